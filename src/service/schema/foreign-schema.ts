import { BatonError } from '../../domain/errors.ts'
import { askApart } from '../apart.ts'
import type { ForeignAnswer, ForeignQuestion } from './foreign-schema-worker.ts'
import type { JsonSchema } from './json-schema.ts'
import { checkSchemaLimits } from './schema-limits.ts'
import { toProblems, type ValueProblem } from './schema-problems.ts'

/** Starting the thread takes a tenth of a second on an idle machine; the rest is for the schema. */
const TIME_LIMIT_MS = 5_000

/**
 * Checks the value by somebody else's schema. Runs in a thread of its own that is ended when it takes too long,
 * which counts against the value. Throws when the schema cannot be used.
 */
export async function checkForeign(
  schema: JsonSchema,
  data: unknown,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<readonly ValueProblem[]> {
  checkSchemaLimits(schema)
  const { WORKER_URL, WORKER_ROLE } = await import('./foreign-schema-worker.ts')
  const question = { role: WORKER_ROLE, schema, data } satisfies ForeignQuestion
  const answer = await askApart<ForeignAnswer>(WORKER_URL, question, timeLimitMs)
  if (!answer)
    return toProblems([{ path: [], error: `could not be checked within ${timeLimitMs / 1_000} s` }])
  if ('problems' in answer) return answer.problems
  throw new BatonError('invalid_input', answer.refused)
}
