import { parentPort, workerData } from 'node:worker_threads'
import { BatonError, type ErrorCode, type ErrorDetails } from '../../domain/errors.ts'
import type { CheckInput, TextInput } from './check.ts'
import type { ConvertInput } from './convert.ts'
import type { KeptExport } from './export.ts'

/** All that is made of a document's text. Data in, data out: the same in a thread of its own and in the caller's. */
export const JOBS = {
  check: async (input: CheckInput) => (await import('./check.ts')).checkText(input),
  convert: async (input: ConvertInput) => (await import('./convert.ts')).convertText(input),
  pieces: async (input: TextInput) => (await import('./pieces.ts')).piecesOf(input),
  blocks: async (inputs: readonly TextInput[]) => {
    const { blocksIn } = await import('../blocks/found-blocks.ts')
    return inputs.map((input) => blocksIn(input))
  },
  definition: async ({ text, name }: { readonly text: string; readonly name?: string | undefined }) =>
    (await import('../workflows/definition.ts')).readDefinition(text, name),
  export: async (input: KeptExport) => (await import('./export.ts')).exported(input),
}
export type Jobs = typeof JOBS

export interface TextJob {
  readonly role: typeof JOB_ROLE
  readonly name: keyof Jobs
  readonly input: unknown
}

export type JobAnswer =
  | { readonly done: unknown }
  | { readonly refused: readonly [ErrorCode, string, ErrorDetails] }

export const JOB_ROLE = 'baton: work on a text'

/** The thread starts from this module; in the built package from its text. */
export const JOBS_URL: URL | string = new URL(import.meta.url)

/** More than a document says; the server would be busy with so many values. As many as a body may hold. */
const MAX_VALUES = 50_000

const port = parentPort
// The module is also loaded by threads that are not ours to answer for.
if (port && workerData?.role === JOB_ROLE)
  void answerOf(workerData).then((answer) => port.postMessage(answer))

async function answerOf({ name, input }: TextJob): Promise<JobAnswer> {
  try {
    const done: unknown = await (JOBS[name] as (input: unknown) => Promise<unknown>)(input)
    if (valuesIn(done) <= MAX_VALUES) return { done }
    return { refused: ['too_large', `the document holds more than ${MAX_VALUES} values; split it`, {}] }
  } catch (error) {
    if (!(error instanceof BatonError)) throw error
    return { refused: [error.code, error.message, error.details] }
  }
}

const valuesIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 1
    : Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1)
