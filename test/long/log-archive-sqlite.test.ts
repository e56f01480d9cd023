import { describeArchive } from '../support/log/archived.ts'

describeArchive('sqlite', 2_000_000)
