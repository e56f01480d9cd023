import { parentPort, workerData } from 'node:worker_threads'
import { compileSchema, type JsonSchema } from './json-schema.ts'
import type { ValueProblem } from './schema-problems.ts'

export interface ForeignQuestion {
  readonly role: typeof WORKER_ROLE
  readonly schema: JsonSchema
  readonly data: unknown
}

export type ForeignAnswer = { readonly problems: readonly ValueProblem[] } | { readonly refused: string }

export const WORKER_ROLE = 'baton: check a value by a schema'

/** The thread starts from this module; in the built package from its text. */
export const WORKER_URL: URL | string = new URL(import.meta.url)

const port = parentPort
// The module is also loaded by threads that are not ours to answer for.
if (port && workerData?.role === WORKER_ROLE)
  void answerQuestion(workerData).then((answer) => port.postMessage(answer))

async function answerQuestion({ schema, data }: ForeignQuestion): Promise<ForeignAnswer> {
  try {
    return { problems: (await compileSchema(schema))(data) }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) }
  }
}
