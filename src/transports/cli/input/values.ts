import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { BatonError, invalidInput } from '../../../domain/errors.ts'
import { FIELD_NAMED } from '../../../domain/handoffs/package-fields.ts'
import { present } from '../../../domain/present.ts'
import type { Io } from '../io.ts'
import { toSeconds } from '../screen/time.ts'
import { type Arguments, typedOption } from './args.ts'
import type { FieldFlag } from './flags.ts'

/** The sources of values that are not written out. */
type Sources = Pick<Io, 'cwd' | 'stdin'>

/** More than any field takes; what is larger is refused before it fills the memory. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024

/** The input of an operation: what options and words say, as the types its fields have. */
export async function toInput(
  args: Arguments,
  flags: readonly FieldFlag[],
  positional: readonly string[],
  sources: Sources,
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {}
  for (const flag of flags) {
    const given = args.switches.get(flag.name)
    if (given !== undefined) input[flag.field] = given
    const texts = args.texts.get(flag.name)
    if (!texts) continue
    const values: unknown[] = []
    for (const text of texts) values.push(await toValue(text, flag, sources))
    put(input, flag, values)
  }
  for (const [i, field] of positional.entries()) {
    const word = args.words[i]
    if (word === undefined) continue
    const flag = flags.find((each) => each.field === field && each.part === undefined)
    if (field in input) throw new BatonError('invalid_input', `${field} was given twice`, { option: field })
    input[field] = flag ? await toValue(word, flag, sources) : word
  }
  return input
}

const optionOf = ({ name }: FieldFlag): string => typedOption(name)

function put(input: Record<string, unknown>, flag: FieldFlag, values: readonly unknown[]): void {
  const { field } = flag
  if (flag.part === 'options')
    input[field] = { items: [], ...(input[field] as object), options: merged(flag, values) }
  else if (flag.part !== undefined) input[field] = { ...(input[field] as object), [flag.part]: values[0] }
  else if (field === 'links' || field === 'data' || field === 'metadata')
    input[field] = { ...(input[field] as object), ...merged(flag, values) }
  else if (field === 'validation_request') input[field] = toPoints(values)
  else input[field] = flag.repeats ? values.flat() : values[0]
}

/** A list, a text or a number has no names under which it could be kept. */
function merged(flag: FieldFlag, values: readonly unknown[]): object {
  for (const value of values)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      bad(flag, JSON.stringify(value), `an object; write ${optionOf(flag)} '{"name": "value"}'`)
  return Object.assign({}, ...values)
}

/** Points to validate are given one by one, or as the whole object. */
function toPoints(values: readonly unknown[]): unknown {
  const [first] = values
  return typeof first === 'object' ? first : { items: values }
}

async function toValue(text: string, flag: FieldFlag, sources: Sources): Promise<unknown> {
  switch (flag.kind) {
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
    case 'seconds':
      return toSeconds(text) ?? bad(flag, text, 'a length of time such as 90s, 15m, 2h or 1d')
    case 'text':
    case 'text-or-false':
      return (await contentOf(text, flag, sources))?.toString('utf8') ?? unescaped(text)
    case 'bytes':
      return (await contentOf(text, flag, sources))?.toString('base64') ?? text
    case 'anything':
    case 'json':
      return toStructure((await contentOf(text, flag, sources))?.toString('utf8') ?? unescaped(text), flag)
    default:
      return text
  }
}

/** The bytes behind `@file` or `-`; undefined when the text stands for itself. */
async function contentOf(text: string, flag: FieldFlag, sources: Sources): Promise<Buffer | undefined> {
  const isPipe = text === '-'
  if (!isPipe && (!text.startsWith('@') || text.startsWith('@@') || text === '@')) return undefined
  const bytes = isPipe ? await bytesFrom(sources.stdin, MAX_INPUT_BYTES) : fileAt(text, flag, sources)
  if (bytes.length <= MAX_INPUT_BYTES) return bytes
  throw new BatonError('too_large', `${optionOf(flag)} takes at most ${MAX_INPUT_BYTES / 1024 / 1024} MB`, {
    option: flag.name,
    limit: MAX_INPUT_BYTES,
  })
}

function fileAt(text: string, flag: FieldFlag, { cwd }: Sources): Buffer {
  try {
    return readFileSync(resolve(cwd, text.slice(1)))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw invalidInput(
      `${optionOf(flag)} names the file ${text.slice(1)}, which cannot be read (${code}); write @@ for a text that begins with @`,
      { option: flag.name, file: text.slice(1) },
      error,
    )
  }
}

/** The bytes of standard input; it is read no further once there are more than `most`. */
export async function bytesFrom(stdin: Readable, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk as Uint8Array))
    size += chunk.length
    if (size > most) break
  }
  return Buffer.concat(chunks)
}

const unescaped = (text: string): string => (text.startsWith('@@') ? text.slice(1) : text)

/** JSON, or the short form of the field: people write a path or a sentence, not an object. */
function toStructure(text: string, flag: FieldFlag): unknown {
  const trimmed = text.trim()
  const field = flag.short ?? flag.field
  const [main] = FIELD_NAMED.get(field)?.texts ?? []
  const short = main === undefined ? SHORT[field] : (item: string) => ({ [main]: item })
  const looksLikeJson = /^[[{"]/.test(trimmed)
  if (!looksLikeJson && short) return short(trimmed, flag)
  try {
    return JSON.parse(trimmed)
  } catch (error) {
    if (!looksLikeJson && flag.kind === 'anything') return text
    // A deliverable may be called "[API] docs".
    if (short === SHORT.evidence && trimmed.includes('=')) return trimmed
    throw invalidInput(
      `${optionOf(flag)} is not JSON (${(error as Error).message}); write for example ${optionOf(flag)} '{"a": 1}' or ${optionOf(flag)} @file.json`,
      { option: flag.name },
      error,
    )
  }
}

/** How one item of a structured field is written without JSON. */
const SHORT: Readonly<Record<string, (text: string, flag: FieldFlag) => unknown>> = {
  blockers: (description) => ({ description }),
  details: (message) => ({ message }),
  evidence: (text) => text,
  links: (text, flag) => Object.fromEntries([pair(text, flag)]),
  checks: toCheck,
  gate: toGate,
  silence: toSilence,
  understood: (text) => text,
  validation_request: (text) => text,
}

function pair(text: string, flag: FieldFlag): readonly [string, string] {
  const at = text.indexOf('=')
  if (at < 1 || at === text.length - 1)
    return bad(flag, text, `a pair, ${optionOf(flag)} "${flag.placeholder}"`)
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

/** `file:path`, `sha256:path=hash`, `evidence:deliverable`, and everything else is a command that must exit 0. */
function toCheck(text: string, flag: FieldFlag): unknown {
  const [, kind, rest = ''] = /^(file|sha256|evidence):\s*(.+)$/s.exec(text) ?? []
  if (kind === 'file') return { kind: 'file_exists', path: rest }
  if (kind === 'evidence') return { kind: 'evidence', deliverable: rest }
  if (kind === 'sha256') {
    const [path, sha256] = pair(rest, flag)
    return { kind: 'sha256', path, sha256: sha256.toLowerCase() }
  }
  return { kind: 'command', command: text.replace(/^command:\s*/, '') }
}

/** `specification`, `advisory:specification` or a type alone. */
function toGate(text: string): unknown {
  const [, type, name] = /^(blocking|advisory|auto)(?::\s*(.+))?$/is.exec(text) ?? []
  if (type === undefined) return { name: text }
  return { type: type.toLowerCase(), ...present({ name }) }
}

/** `wait`, `expire:2d`, `escalate:4h:maria` or `reassign:4h:paul`. */
function toSilence(text: string, flag: FieldFlag): unknown {
  const [policy = '', time, to] = text.split(':').map((part) => part.trim())
  const after_s = time === undefined ? undefined : toSeconds(time)
  if (time !== undefined && after_s === undefined)
    return bad(flag, text, 'a rule such as expire:2d or escalate:4h:maria')
  return { policy, ...present({ after_s }), ...(to && { to }) }
}

function bad(flag: FieldFlag, text: string, wanted: string): never {
  throw new BatonError('invalid_input', `${optionOf(flag)} ${JSON.stringify(text)} is not ${wanted}`, {
    option: flag.name,
    value: text,
  })
}
