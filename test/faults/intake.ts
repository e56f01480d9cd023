// One pass over the live folder of a project, in a process of its own: node intake.ts DIALECT ROOT
import { pass } from './intakes.ts'

const [dialect = '', root = ''] = process.argv.slice(2)
await pass(dialect, root)
