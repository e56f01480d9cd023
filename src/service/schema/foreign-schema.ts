import { Worker } from 'node:worker_threads'
import { BatonError } from '../../domain/errors.ts'
import type { ForeignAnswer, ForeignQuestion } from './foreign-schema-worker.ts'
import type { JsonSchema } from './json-schema.ts'
import { checkSchemaLimits } from './schema-limits.ts'
import { toProblems, type ValueProblem } from './schema-problems.ts'

/** Starting the thread takes a tenth of a second on an idle machine; the rest is for the schema. */
const TIME_LIMIT_MS = 5_000
const MEMORY_LIMIT_MB = 256

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
    const answer = await answerOf(worker, timeLimitMs)
    if (answer === 'exhausted')
      return toProblems([{ path: [], error: `could not be checked within ${timeLimitMs / 1_000} s` }])
    if ('problems' in answer) return answer.problems
    throw new BatonError('invalid_input', answer.refused)
  } finally {
    await worker.terminate()
  }
}

function answerOf(worker: Worker, timeLimitMs: number): Promise<ForeignAnswer | 'exhausted'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('exhausted'), timeLimitMs)
    worker.once('message', (answer: ForeignAnswer) => {
      clearTimeout(timer)
      resolve(answer)
    })
    worker.once('error', (error: Error & { code?: string }) => {
      clearTimeout(timer)
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve('exhausted')
      else reject(error)
    })
  })
}
