import { describeArchive } from '../support/log/archived.ts'

describeArchive('postgres', 500_000)
