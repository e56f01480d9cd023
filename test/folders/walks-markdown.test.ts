import { describeWalks } from './walk-suite.ts'
import { markdown } from './walkers.ts'

describeWalks([markdown], { times: 1, length: 2 })
