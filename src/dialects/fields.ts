import type { PlacedProblem } from '../domain/problem.ts'
import { MAX_AGENT_LENGTH } from './text/limits.ts'
import { isPlaceholder, leftOpen } from './text/placeholder.ts'
import { quoted } from './text/quoted.ts'
import type { Path, Source } from './text/source.ts'
import { readInstant, type TimeOddity } from './text/time.ts'
import { isMapping, setOwn, valueAt } from './text/tree.ts'
import { findWord, type Words } from './text/words.ts'

/** The document's own path for a native path. */
export function placedAt(path: Path, places: ReadonlyMap<string, Path>): Path {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(path.slice(0, length).join('.'))
    if (place) return [...place, ...path.slice(length)]
  }
  return path
}

/** What all fields of one source share. */
interface Shared {
  readonly source: Source
  readonly diagnostics: PlacedProblem[]
  readonly places: Map<string, Path>
}

interface FoundField {
  readonly key: string
  readonly value: unknown
}

const AGENT_WORD = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const DISPLAY_SUFFIX = /[ \t]*\([^()]*\)$/
/** A name with a title behind it; what is longer is a sentence. */
const MAX_SHOWN_NAME = 2 * MAX_AGENT_LENGTH
const TRUE = ['true', 'yes', 'y', 'on']
const FALSE = ['false', 'no', 'n', 'off']
const EXAMPLE_TIME = '2026-02-21T14:30:00Z'

const ODD_TIMES: Readonly<Record<TimeOddity, readonly [PlacedProblem['severity'], string]>> = {
  no_zone: ['warning', 'has no time zone and is taken as UTC'],
  date_only: ['info', 'has no time of day and is taken as midnight UTC'],
  odd_zone: ['info', 'writes its time zone in an unusual way'],
  space: ['info', 'has a space where a T belongs'],
  prose: ['info', 'is not in the ISO form'],
}

/** The fields of a source's mapping, or of one below it; undefined where there is none. */
export function fieldsOf(source: Source, path: Path = []): Fields | undefined {
  const value = path.length === 0 ? source.value : valueAt(source.value, path)
  return isMapping(value)
    ? new Fields({ source, diagnostics: [], places: new Map() }, value, path)
    : undefined
}

/**
 * Typed reading of a mapping. A value of the wrong kind gives a diagnostic where it stands and `undefined`, or
 * the nearest thing that a person would have meant. `names` are the key and its other spellings, best first.
 */
export class Fields {
  readonly path: Path
  /** All that was found wrong so far, here and below. */
  readonly diagnostics: PlacedProblem[]
  /** Values found under another spelling than the first: canonical native path, joined with dots, to the path found. */
  readonly places: Map<string, Path>
  readonly #shared: Shared
  readonly #mapping: Record<string, unknown>
  readonly #asked = new Set<string>()
  #below: Map<string, Fields> | undefined
  /** Keys in the usual spelling to keys as they stand; undefined until a key is not found. */
  #spellings: Map<string, string> | undefined

  constructor(shared: Shared, mapping: Record<string, unknown>, path: Path) {
    this.#shared = shared
    this.#mapping = mapping
    this.path = path
    this.diagnostics = shared.diagnostics
    this.places = shared.places
  }

  has(...names: readonly string[]): boolean {
    return this.#keyOf(names) !== undefined
  }

  /** The plain value as it is. */
  value(...names: readonly string[]): unknown {
    return this.#find(names)?.value
  }

  /** A scalar as written; lists and mappings are reported. Blank text counts as absent. */
  text(...names: readonly string[]): string | undefined {
    const found = this.#find(names)
    return found && this.#text(found)
  }

  /** An agent without `@` and without a display suffix such as `(Chief)`; a name that cannot be one is reported. */
  agent(...names: readonly string[]): string | undefined {
    const found = this.#find(names)
    const text = found && this.#text(found)
    if (found === undefined || text === undefined || isPlaceholder(text, 'field')) return text
    const name = nameIn(text.trim())
    if (!AGENT_WORD.test(name) || name.length > MAX_AGENT_LENGTH) {
      const message = `${quoted(text)} cannot be an agent's name; write letters, digits, dots, dashes or underscores, for example codex`
      this.report('warning', 'bad_agent_name', message, found.key)
    }
    return name === '' ? undefined : name
  }

  /** A number; a numeric text is taken with a warning. */
  number(...names: readonly string[]): number | undefined {
    const { key, value } = this.#said(names) ?? {}
    if (key === undefined) return undefined
    if (typeof value === 'number' && Number.isFinite(value)) return value
    const number = typeof value === 'string' ? Number(value) : Number.NaN
    const message = `${key} must be a number, for example 3; ${quoted(value)} is not a number`
    if (!Number.isFinite(number)) return this.report('error', 'not_a_number', message, key)
    this.report('warning', 'number_as_text', `${key} is a number; write ${number} without quotes`, key)
    return number
  }

  boolean(...names: readonly string[]): boolean | undefined {
    const { key, value } = this.#said(names) ?? {}
    if (key === undefined || typeof value === 'boolean') return value as boolean | undefined
    const word = String(value).trim().toLowerCase()
    const meant = TRUE.includes(word)
    if (typeof value !== 'string' || !(meant || FALSE.includes(word)))
      return this.report(
        'error',
        'not_a_boolean',
        `${key} must be true or false; ${quoted(value)} is neither`,
        key,
      )
    this.report('warning', 'boolean_as_text', `${key} is true or false; write ${meant} without quotes`, key)
    return meant
  }

  /** An instant in UTC, for example `2026-02-21T14:30:00Z`; odd zone forms are read and reported. */
  time(...names: readonly string[]): string | undefined {
    const { key, text } = this.#scalar(names) ?? {}
    if (key === undefined || text === undefined) return undefined
    const read = readInstant(text)
    const message = `${quoted(text)} is not a valid time; write for example ${EXAMPLE_TIME}`
    if (read === undefined) return this.report('warning', 'bad_time', message, key)
    for (const oddity of read.oddities) {
      const [severity, what] = ODD_TIMES[oddity]
      this.report(severity, `time_${oddity}`, `${quoted(text)} ${what}; write ${read.instant}`, key)
    }
    return read.instant
  }

  /** A list of scalars as written; a lone scalar is a list of one, with a warning. */
  list(...names: readonly string[]): string[] | undefined {
    const found = this.#said(names)
    if (found === undefined) return undefined
    const { key, value } = found
    if (Array.isArray(value)) return value.flatMap((item, index) => this.#item(item, key, index) ?? [])
    const text = this.#text(found, 'a list of texts')
    if (text === undefined) return undefined
    const message = `${key} is a list; write each value on its own line after a dash, or in [ ]`
    this.report('warning', 'not_a_list', message, key)
    return [text]
  }

  /** The value of a word in a table; case and synonyms are tolerated and reported. */
  word<T extends string>(words: Words<T>, ...names: readonly string[]): T | undefined {
    const { key, text } = this.#scalar(names) ?? {}
    if (key === undefined || text === undefined) return undefined
    const { word, exact } = findWord(words, text.trim()) ?? {}
    const unknown = `${quoted(text)} is not a known ${words.name}; write one of ${words.words.join(', ')}`
    if (word === undefined) return this.report('error', `unknown_${words.name}`, unknown, key)
    const message = `${quoted(text)} is read as ${word}; write ${word}`
    if (!exact) this.report('warning', `odd_${words.name}`, message, key)
    return word
  }

  /** The fields of a mapping below; anything else is reported. */
  below(...names: readonly string[]): Fields | undefined {
    const { key, value } = this.#said(names) ?? {}
    if (key === undefined) return undefined
    if (isMapping(value)) return this.#fieldsBelow(key, value, [...this.path, key])
    const message = `${key} must hold keys of its own; ${quoted(value)} is a single value or a list`
    return this.report('error', 'not_a_mapping', message, key)
  }

  /** The fields of each mapping in a list; elements that are scalars come as text. */
  each(...names: readonly string[]): readonly (Fields | string)[] | undefined {
    const { key, value } = this.#said(names) ?? {}
    if (key === undefined) return undefined
    if (isMapping(value)) {
      const message = `${key} is a list; put a dash before its first key, or [ ] around it`
      this.report('warning', 'not_a_list', message, key)
      return [this.#fieldsBelow(key, value, [...this.path, key])]
    }
    if (!Array.isArray(value)) return this.list(...names)
    return value.flatMap((item, index) => {
      if (isMapping(item)) return this.#fieldsBelow(`${key}\0${index}`, item, [...this.path, key, index])
      return this.#item(item, key, index) ?? []
    })
  }

  /** Keys that were never asked for, with their values as found. */
  rest(): Record<string, unknown> {
    const rest: Record<string, unknown> = {}
    for (const key of Object.keys(this.#mapping))
      if (!this.#asked.has(key)) setOwn(rest, key, this.#mapping[key])
    return rest
  }

  report(
    severity: PlacedProblem['severity'],
    code: string,
    message: string,
    ...path: readonly (string | number)[]
  ): undefined {
    const place = this.#shared.source.locate([...this.path, ...path])
    this.diagnostics.push({ severity, code, message, ...place })
  }

  #fieldsBelow(name: string, mapping: Record<string, unknown>, path: Path): Fields {
    this.#below ??= new Map()
    const known = this.#below.get(name)
    if (known) return known
    const fields = new Fields(this.#shared, mapping, path)
    this.#below.set(name, fields)
    return fields
  }

  #find(names: readonly string[]): FoundField | undefined {
    const key = this.#keyOf(names)
    if (key === undefined) return undefined
    const isFirstTime = !this.#asked.has(key)
    this.#asked.add(key)
    const [first] = names
    if (isFirstTime && key !== first && first !== undefined) {
      this.places.set([...this.path, first].join('.'), [...this.path, key])
      if (!names.includes(key))
        this.report('warning', 'key_spelling', `write ${first} instead of ${quoted(key)}`, key)
    }
    return { key, value: this.#mapping[key] }
  }

  /** The same where something stands there. */
  #said(names: readonly string[]): FoundField | undefined {
    const found = this.#find(names)
    return found && !isAbsent(found.value) ? found : undefined
  }

  /** A scalar that is not a blank of a template. */
  #scalar(names: readonly string[]): { readonly key: string; readonly text: string } | undefined {
    const found = this.#find(names)
    const text = found && this.#text(found)
    if (text === undefined || isPlaceholder(text, 'field')) return undefined
    return { key: found!.key, text }
  }

  #keyOf(names: readonly string[]): string | undefined {
    for (const name of names) if (Object.hasOwn(this.#mapping, name)) return name
    this.#spellings ??= spellingsOf(this.#mapping)
    if (this.#spellings.size === 0) return undefined
    for (const name of names) {
      const key = this.#spellings.get(usual(name))
      if (key !== undefined) return key
    }
    return undefined
  }

  /** A scalar as text. Numbers and booleans come as they were written. */
  #text({ key, value }: FoundField, wanted = 'a single value'): string | undefined {
    if (isAbsent(value)) return undefined
    if (typeof value === 'string') {
      if (isPlaceholder(value, 'field')) this.#placeholder(value, key)
      return value
    }
    if (typeof value !== 'object' || value === null)
      return this.#shared.source.raw([...this.path, key]) ?? String(value)
    const left = leftOpen(value, this.#shared.source.text)
    if (left !== undefined) {
      this.#placeholder(left, key)
      return left
    }
    if (Array.isArray(value) && value.length === 1 && typeof value[0] !== 'object') {
      this.report('warning', 'list_of_one', `${key} is a single value; remove the brackets or the dash`, key)
      return this.#shared.source.raw([...this.path, key, 0]) ?? String(value[0])
    }
    const kind = Array.isArray(value) ? 'a list' : 'a mapping'
    return this.report('error', 'not_text', `${key} must be ${wanted}; ${kind} was found`, key)
  }

  #placeholder(text: string, key: string): void {
    this.report('warning', 'placeholder', `${quoted(text)} was left to be filled in; write the value`, key)
  }

  /** An element of a list as text. */
  #item(item: unknown, key: string, index: number): string | undefined {
    if (isAbsent(item)) return undefined
    if (typeof item === 'string') return item
    if (typeof item !== 'object') return this.#shared.source.raw([...this.path, key, index]) ?? String(item)
    const sentence = isMapping(item) ? this.#sentence(item, [key, index]) : undefined
    if (sentence !== undefined) {
      const message = 'a text with a colon in it needs quotes; it was read as text'
      this.report('warning', 'unquoted_colon', message, key, index)
      return sentence
    }
    return this.report('error', 'not_text', `each element of ${key} must be a single value`, key, index)
  }

  /** `- Endpoints: 12` was meant as a text, though YAML makes a mapping of it. */
  #sentence(item: Record<string, unknown>, path: Path): string | undefined {
    const [only, ...others] = Object.keys(item)
    if (only === undefined || others.length > 0) return undefined
    const inner = item[only]
    const { source } = this.#shared
    const isPlain = typeof inner !== 'object' || inner === null
    const value = isPlain
      ? (source.raw([...this.path, ...path, only]) ?? String(inner))
      : leftOpen(inner, source.text)
    if (value === undefined) return undefined
    return `${only}: ${value}`.trimEnd()
  }
}

function nameIn(text: string): string {
  const name = text.startsWith('@') ? text.slice(1) : text
  return name.length > MAX_SHOWN_NAME ? name : name.replace(DISPLAY_SUFFIX, '').trim()
}

/** Nothing, or text without a sign in it. */
export function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '')
}

/** Keys in the usual spelling to keys as they stand, for those that are spelt otherwise. */
function spellingsOf(mapping: Record<string, unknown>): Map<string, string> {
  const spellings = new Map<string, string>()
  for (const key of Object.keys(mapping)) {
    const name = usual(key)
    if (name !== key && !spellings.has(name)) spellings.set(name, key)
  }
  return spellings
}

/** `Assigned To`, `assigned-to` and `assignedTo` are all `assigned_to`. */
function usual(name: string): string {
  if (/^[a-z0-9_]*$/.test(name)) return name
  return name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}
