import { describePlans } from '../support/store/plans.ts'

describePlans(400_000)
