import { describeEdits } from '../support/log/tampering-edits.ts'

describeEdits('sqlite')
