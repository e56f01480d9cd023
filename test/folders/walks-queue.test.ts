import { describeWalks } from './walk-suite.ts'
import { queue } from './walkers.ts'

describeWalks([queue], { times: 1, length: 2 })
