import { describeWaiting } from '../support/store/waiting.ts'

describeWaiting(200, 50)
