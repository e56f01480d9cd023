import { describeWalks } from './walk-suite.ts'
import { PACKAGE_WALKERS } from './walkers.ts'

describeWalks(PACKAGE_WALKERS, { times: 1, length: 2 })
