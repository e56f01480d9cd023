import { AGENT_NAME, AGENT_NAME_RULE, toAgentName } from '../domain/actor.ts'
import { BatonError, invalidInput } from '../domain/errors.ts'
import { sentenceOf } from '../service/schema/schema-problems.ts'
import type { CallOptions } from './link.ts'
import type { OperationInput } from './operation-types.ts'
import { checkStandard, isStandard, type StandardSchema } from './schema.ts'

/** A kind of work: its receiver, and the schemas that both ends keep to. Made by `defineWork`. */
export interface DefinedWork<
  In extends StandardSchema = StandardSchema,
  Out extends StandardSchema = StandardSchema,
> {
  /** The agent that does it. */
  readonly to: string
  /** The schema of its input, of zod or of any library with the Standard Schema interface. */
  readonly input: In
  /** The schema of its output. */
  readonly output: Out
  /** The title of its handoffs; `Work for` and the receiver's name unless said. */
  readonly title?: string
}

/** Fields of the handoff that a defined work leaves open. */
export interface DefinedSendOptions
  extends CallOptions,
    Omit<Partial<OperationInput<'handoff_create'>>, 'to' | 'input'> {}

export interface RequestOptions extends DefinedSendOptions {
  /** The longest wait for the result, in seconds; the handoff's `timeout_s` unless said, else 300. */
  readonly wait_s?: number
  /** Ends the waiting, not the handoff. */
  readonly signal?: AbortSignal
}

/**
 * Names a kind of work with the types of its input and output, for the sender and the receiver.
 *
 * ```ts
 * const userCard = defineWork({
 *   to: 'react-specialist',
 *   input: z.object({ name: z.string() }),
 *   output: z.object({ files: z.array(z.string()) }),
 * })
 * ```
 */
export function defineWork<In extends StandardSchema, Out extends StandardSchema>(
  work: DefinedWork<In, Out>,
): DefinedWork<In, Out> {
  if (isDefined(work)) return { ...work, to: demandName(work.to) }
  throw invalidInput(
    'defineWork needs to, input and output; input and output are schemas, for example of zod',
  )
}

export function isDefined(given: unknown): given is DefinedWork {
  const { input, output } = (given ?? {}) as Partial<DefinedWork>
  return isStandard(input) && isStandard(output)
}

/** The handoff of a defined work with this input, once the input has passed its schema. */
export async function handoffOf(
  work: DefinedWork,
  input: unknown,
  fields: Omit<DefinedSendOptions, 'key'>,
): Promise<OperationInput<'handoff_create'>> {
  const { to, title = `Work for ${to}` } = work
  await demandValue('Input', work.input, input)
  return { title, ...fields, ...lastWord(work, fields), to, input }
}

/**
 * The last word on the output: its schema, as a check that the engine runs. A schema that cannot be written as JSON
 * Schema leaves it to the receiver, as the queue format does.
 */
function lastWord({ output }: DefinedWork, given: DefinedSendOptions) {
  if (given.review !== undefined || given.home !== undefined) return {}
  try {
    const schema = output['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
    if (schema)
      return {
        review: 'none',
        checks: [...(given.checks ?? []), { kind: 'json_schema' as const, schema: { ...schema } }],
      }
  } catch {
    // The library says that this schema has no form in JSON Schema.
  }
  return { home: 'queue' as const }
}

/** The value as its schema passes it; a refusal names each field. */
export async function demandValue(
  what: 'Input' | 'Output',
  schema: StandardSchema,
  value: unknown,
): Promise<unknown> {
  const checked = await checkStandard(schema, value)
  if (checked.ok) return checked.value
  throw new BatonError(what === 'Input' ? 'invalid_input' : 'unmet', sentenceOf(what, checked.problems), {
    problems: checked.problems,
  })
}

/** The same schema for the hand-in: it checks, and the waiting side gets the value that it turns into. */
export function asGiven(schema: StandardSchema): StandardSchema {
  const { validate, ...rest } = schema['~standard']
  const check = async (value: unknown) => {
    const result = await validate(value)
    return result.issues ? result : { value }
  }
  return { '~standard': { ...rest, validate: check } }
}

export function demandName(name: string): string {
  const known = typeof name === 'string' ? toAgentName(name) : ''
  if (AGENT_NAME.test(known)) return known
  throw new BatonError('invalid_input', AGENT_NAME_RULE, { name })
}
