import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { BatonError } from '../../domain/errors.ts'
import type { ForeignAnswer, ForeignQuestion } from './foreign-schema-worker.ts'
import type { JsonSchema } from './json-schema.ts'
import { checkSchemaLimits } from './schema-limits.ts'
import { toProblems, type ValueProblem } from './schema-problems.ts'

/** Starting the thread takes a tenth of a second on an idle machine; the rest is for the schema. */
const TIME_LIMIT_MS = 5_000
const MEMORY_LIMIT_MB = 256
/** The value was too much for its time or its memory. */
const EXHAUSTED: readonly unknown[] = ['ABORT_ERR', 'ERR_WORKER_OUT_OF_MEMORY']

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
  const worker = new Worker(WORKER_URL, {
    workerData: { role: WORKER_ROLE, schema, data } satisfies ForeignQuestion,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  try {
    const signal = AbortSignal.timeout(timeLimitMs)
    const [answer] = (await once(worker, 'message', { signal })) as [ForeignAnswer]
    if ('problems' in answer) return answer.problems
    throw new BatonError('invalid_input', answer.refused)
  } catch (error) {
    if (!EXHAUSTED.includes((error as NodeJS.ErrnoException).code)) throw error
    return toProblems([{ path: [], error: `could not be checked within ${timeLimitMs / 1_000} s` }])
  } finally {
    await worker.terminate()
  }
}
