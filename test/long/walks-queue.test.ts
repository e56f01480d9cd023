import { describeWalks } from '../folders/walk-suite.ts'
import { queue } from '../folders/walkers.ts'

describeWalks([queue], { times: 10, length: 6 })
