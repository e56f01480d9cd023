import { describeOnEngines } from '../support/program/workspace.ts'
import { itListens } from '../support/servers/listeners.ts'

describeOnEngines('a thousand listeners', (open) => itListens(1_000, open))
