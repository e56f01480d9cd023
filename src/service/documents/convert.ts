import type * as z from 'zod'
import { DIALECTS, type DialectId, type Loss } from '../../dialects/dialect.ts'
import { Draft } from '../../dialects/draft.ts'
import type { Document, Format } from '../../dialects/index.ts'
import { alteredIn, convert, toOwnText } from '../../dialects/index.ts'
import { findWord, STATE_WORDS } from '../../dialects/text/words.ts'
import { orElse } from '../../domain/once.ts'
import { present } from '../../domain/present.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { refuse } from '../write.ts'
import { documentsIn, isWrong, type TextInput } from './check.ts'

export interface ConvertInput extends TextInput {
  /** A dialect or a format of the team's own. */
  readonly to: string
  /** Which document of the text, from 1; needed where it holds several. */
  readonly document?: number | undefined
  readonly slot?: boolean | undefined
  /** Required fields of the dialect that the document lacks, by field of the draft: `record.branch`. */
  readonly supply?: Readonly<Record<string, unknown>> | undefined
}

export interface Converted {
  readonly text: string
  readonly losses: readonly Loss[]
}

/** Includes the diagnostics of the source document: an error there may be why something is lost. */
export interface ConvertedText extends Converted {
  readonly diagnostics: readonly PlacedProblem[]
}

/** One document in the words of another dialect, with all that is lost on the way. */
export function convertText(input: ConvertInput): ConvertedText {
  const { to, format } = targetOf(input.to, input.formats)
  const document = chosen(documentsIn(input), input.document)
  const { dialect, draft, diagnostics } = document
  const none = `this ${dialect} document holds no handoff or record of its own`
  if (draft === undefined) refuse('invalid_input', `${none}, so there is nothing to convert`)
  const { text, losses } = converted(draft, to, input)
  const said = format ? toOwnText(text, format) : text
  return { text: said, losses: [...alteredIn(document, to), ...losses], diagnostics }
}

/** The dialect that is written, and the team's own format in whose words. */
export function targetOf<T extends string | undefined>(
  to: T,
  formats: readonly Format[] = [],
): { readonly to: DialectId | Extract<T, undefined>; readonly format?: Format } {
  const format = formats.find(({ name }) => name === to)
  const dialect = format?.base ?? DIALECTS.find((each) => each === to)
  if (dialect === undefined && to !== undefined) {
    const names = [...DIALECTS, ...formats.map(({ name }) => name)]
    const known = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
    refuse('invalid_input', `${to} is not a format; use ${known}`, { field: 'to', to })
  }
  return { to: dialect as DialectId | Extract<T, undefined>, ...present({ format }) }
}

/** Refused with the list of what is missing: nothing is made up. */
export function converted(
  draft: Draft,
  to: DialectId,
  { slot = false, supply = {} }: Pick<ConvertInput, 'slot' | 'supply'>,
): Converted {
  const result = convert(draft, to, { slot, supply: toDraftFields(supply) })
  if (result.ok) return { text: result.text, losses: result.losses }
  const { missing } = result
  const named = missing.map(({ field, reason }) => `${field} (${reason})`).join('; ')
  return refuse('unmet', `${to} also needs ${named}`, { to, missing })
}

function chosen(documents: readonly Document[], wanted: number | undefined): Document {
  const known = documents.filter(({ dialect }) => dialect !== undefined)
  if (wanted !== undefined) {
    const found = documents[wanted - 1]
    if (found?.dialect !== undefined) return found
    const none = `there is no document ${wanted} in this text; it holds ${known.length}`
    refuse('not_found', none, { document: wanted })
  }
  const [only] = known
  if (only && known.length === 1) return only
  const { length } = documents
  const how = `say which one with document (--document 1 to ${length})`
  if (only)
    refuse('invalid_input', `this text holds ${known.length} documents; ${how}`, { documents: length })
  const reason = documents.find(isWrong)?.diagnostics.find(({ severity }) => severity === 'error')
  refuse('invalid_input', reason?.message ?? 'this text holds no document that Baton knows', {
    diagnostics: documents.flatMap(({ diagnostics }) => diagnostics).slice(0, 20),
  })
}

/**
 * Named fields as a part of a draft. What people type is text: where the field is a number, a list or data, it
 * is read as that, and text that could be either stays text. A state may be said in any dialect's word for it.
 */
export function toDraftFields(supply: Readonly<Record<string, unknown>>): Partial<Draft> {
  const schema = Draft().strict()
  let draft: Partial<Draft> = {}
  for (const [field, value] of Object.entries(supply)) {
    const given = readings(field, value).map((reading) => withField(draft, field.split('.'), reading))
    const read = given.map((each) => schema.safeParse(each))
    const fitting = read.find(({ success }) => success)
    if (!fitting?.data) refuse('invalid_input', misfit(field, value, read[0]?.error), { field })
    draft = fitting.data
  }
  return draft
}

function misfit(field: string, value: unknown, error: z.ZodError | undefined): string {
  const issue = error?.issues[0]
  if (issue?.code === 'unrecognized_keys')
    return `${field} is not a known field; supply the fields that are listed as missing`
  const words =
    issue?.code === 'invalid_value'
      ? `one of ${issue.values.join(', ')}`
      : 'the value that the list of missing fields describes'
  return `${field} does not take ${JSON.stringify(value)?.slice(0, 80)}; write ${words}`
}

/** Fields for which nothing can be meant, and the words that mean it there rather than somebody of that name. */
const NULL_WORDS: Readonly<Record<string, readonly string[]>> = {
  to: ['null', 'None'],
  from_step: ['null'],
  to_step: ['null'],
}

function readings(field: string, value: unknown): readonly unknown[] {
  if (typeof value !== 'string') return [value]
  if (Object.hasOwn(NULL_WORDS, field) && NULL_WORDS[field]?.includes(value)) return [null]
  const word = field === 'state' ? findWord(STATE_WORDS, value)?.word : undefined
  if (word !== undefined) return [word]
  return orElse(() => [value, JSON.parse(value), [value]], [value, [value]])
}

/** Only names of fields lead deeper, so that no key reaches a prototype. */
function withField(
  data: unknown,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const before: Record<string, unknown> = { ...(typeof data === 'object' ? data : undefined) }
  const below = Object.hasOwn(before, key) ? before[key] : undefined
  return { ...before, [key]: rest.length === 0 ? value : withField(below, rest, value) }
}
