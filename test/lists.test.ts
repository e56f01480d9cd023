import { describePlans } from './support/store/plans.ts'

describePlans(2_000)
