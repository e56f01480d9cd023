import { describeArchive } from '../support/log/archived.ts'

describeArchive('postgres', 2_000_000)
