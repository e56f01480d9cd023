import { describeCosts } from './cost.contract.ts'
import { describeDialectLaws, fixturesOf } from './dialect.contract.ts'
import { DIALECTS } from './dialect.ts'

for (const dialect of DIALECTS) describeDialectLaws(dialect, { samples: fixturesOf(dialect), runs: 40 })
describeCosts()
