import type { Dialect } from '../dialect.ts'
import { queueLossReason } from './losses.ts'
import { formOf, interpret } from './parse.ts'
import { print, toNative } from './write.ts'

export { type Artifact, artifactOf, printArtifact } from './artifact.ts'
export { type BoardEntry, boardEntries } from './board.ts'
export {
  checkArtifact,
  checkNative,
  type PathProblem,
  type SchemaRequest,
  schemaRequestsOf,
} from './check.ts'
export { contextOf, type PhaseStatus, printContext, withPhase } from './context-files.ts'
export { withDefaults } from './defaults.ts'
export { artifactFile, artifactId, fillDestination, handoffFile, handoffId } from './names.ts'
export { schemas } from './schema.ts'
export { dependencyMissing, type SchemaDetail, type SchemaError, schemaFailure } from './schema-failure.ts'

/** Document 001: JSON files in `handoffs/pending`, `in-progress`, `completed` and `failed`. */
export const queue: Dialect = {
  id: 'queue',
  title: 'JSON queue (001)',
  formOf,
  interpret,
  toNative,
  print,
  reasonFor: queueLossReason,
  slot: ['x_baton'],
}
