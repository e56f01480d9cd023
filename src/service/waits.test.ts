import { describeWaiting } from '../../test/support/store/waiting.ts'

describeWaiting(10, 10)
