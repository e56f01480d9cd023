import { BatonError } from '../../domain/errors.ts'
import { askApart } from '../apart.ts'
import type { ForeignAnswer, ForeignQuestion } from './foreign-schema-worker.ts'
import { compileSchema, type JsonSchema, type Validate } from './json-schema.ts'
import { checkSchemaLimits } from './schema-limits.ts'
import { toProblems, type ValueProblem } from './schema-problems.ts'

/** Starting the thread takes a tenth of a second on an idle machine; the rest is for the schema. */
const TIME_LIMIT_MS = 5_000

/** A small schema without these is checked in time that grows with the size of the value: it needs no thread. */
const COSTLY = /"(?:\$\w*[rR]ef|\$id|\$\w*[aA]nchor|pattern\w*|uniqueItems)":/
const PLAIN_SCHEMA = 4_096
const PLAIN_VALUE = 65_536
const KEPT_SCHEMAS = 100
const plainChecks = new Map<string, Promise<Validate>>()

/**
 * Checks the value by somebody else's schema. Unless both are small and plain, it runs in a thread of its own that is
 * ended when it takes too long, which counts against the value. Throws when the schema cannot be used.
 */
export async function checkForeign(
  schema: JsonSchema,
  data: unknown,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<readonly ValueProblem[]> {
  checkSchemaLimits(schema)
  const text = JSON.stringify(schema)
  if (text.length <= PLAIN_SCHEMA && !COSTLY.test(text) && isSmall(data))
    return (await plainCheck(text))(data)
  const { WORKER_URL, WORKER_ROLE } = await import('./foreign-schema-worker.ts')
  const question = { role: WORKER_ROLE, schema, data } satisfies ForeignQuestion
  const answer = await askApart<ForeignAnswer>(WORKER_URL, question, timeLimitMs)
  if (!answer)
    return toProblems([{ path: [], error: `could not be checked within ${timeLimitMs / 1_000} s` }])
  if ('problems' in answer) return answer.problems
  throw new BatonError('invalid_input', answer.refused)
}

const isSmall = (data: unknown): boolean => (JSON.stringify(data) ?? '').length <= PLAIN_VALUE

/** Compiled once: the same work is handed in again and again. */
function plainCheck(text: string): Promise<Validate> {
  const known = plainChecks.get(text) ?? compileSchema(JSON.parse(text))
  if (plainChecks.size >= KEPT_SCHEMAS) plainChecks.clear()
  plainChecks.set(text, known)
  return known
}
