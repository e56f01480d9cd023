import { describeDialectLaws, fixturesOf } from '../../src/dialects/dialect.contract.ts'
import { DIALECTS } from '../../src/dialects/dialect.ts'

for (const dialect of DIALECTS) describeDialectLaws(dialect, { samples: fixturesOf(dialect), runs: 1_000 })
