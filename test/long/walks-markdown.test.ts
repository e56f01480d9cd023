import { describeWalks } from '../folders/walk-suite.ts'
import { markdown } from '../folders/walkers.ts'

describeWalks([markdown], { times: 10, length: 6 })
