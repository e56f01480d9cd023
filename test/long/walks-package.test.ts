import { describeWalks } from '../folders/walk-suite.ts'
import { PACKAGE_WALKERS } from '../folders/walkers.ts'

describeWalks(PACKAGE_WALKERS, { times: 10, length: 6 })
