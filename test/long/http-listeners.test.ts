import { itListens } from '../listeners.ts'
import { describeOnEngines } from '../workspace.ts'

describeOnEngines('a thousand listeners', (open) => itListens(1_000, open))
