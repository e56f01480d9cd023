import type { PlacedProblem } from '../../domain/problem.ts'
import { isData, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import { fitted } from '../fitted.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { quotedText } from '../text/quoted.ts'
import type { Path, Position, Source } from '../text/source.ts'
import { readInstant } from '../text/time.ts'
import { type ReadAgent, readAgent, sameAgent } from './agents.ts'
import { BodyIndex, type BodyValue } from './body/body-index.ts'
import { type NativeKey, spellingsOf } from './keys.ts'

export type Where = 'front' | 'body' | 'name'

export interface FoundValue<T> {
  readonly value: T
  readonly where: Where
  /** Places cost more than values, so they are worked out when a finding needs one. */
  at(): Position
}

export interface Body {
  readonly text: string
  /** Offset in the whole text. */
  readonly at: number
}

/** What a document says, wherever it says it: front matter first, then the body. Reports as it goes. */
export class Reading {
  readonly source: Source
  readonly top: Fields | undefined
  /** The mapping `handoff:`, in which some keep all of the front matter. */
  readonly nested: Fields | undefined
  readonly body: Body | undefined
  readonly index: BodyIndex
  readonly diagnostics: PlacedProblem[]
  readonly places: Map<string, Path>
  /** Native keys that were found, and where. */
  readonly found = new Map<string, Where>()
  /** Where in the body, by key. */
  readonly #offsets = new Map<string, number>()
  readonly #texts = new Map<NativeKey, FoundValue<string> | undefined>()
  readonly #times = new Map<NativeKey, FoundValue<string> | undefined>()

  constructor(source: Source) {
    this.source = source
    this.top = fieldsOf(source)
    this.nested = isData(own(source.value, 'handoff')) ? this.top?.below('handoff') : undefined
    this.body = bodyOf(source)
    this.index = new BodyIndex(this.body?.text ?? '')
    this.diagnostics = this.top?.diagnostics ?? []
    this.places = this.top?.places ?? new Map()
  }

  /** The draft without the values that no handoff can have, each reported. */
  fitted(draft: Draft): Draft {
    const { draft: fitting, unfit } = fitted(draft)
    for (const { message } of unfit) this.report('error', 'unusable_value', message, this.start)
    return fitting
  }

  report(severity: PlacedProblem['severity'], code: string, message: string, at: Position): void {
    this.diagnostics.push({ severity, code, message, line: at.line, column: at.column })
  }

  /** Where a native key stands, or would stand. */
  positionOf(key: string, ...below: readonly (string | number)[]): Position {
    const offset = this.#offsets.get(key)
    if (offset !== undefined) return this.bodyPosition(offset)
    return this.source.locate([...this.pathOf(key), ...below])
  }

  pathOf(key: string): Path {
    return this.places.get(key) ?? [key]
  }

  bodyPosition(offset: number): Position {
    return this.source.position((this.body?.at ?? this.source.bodyAt) + offset)
  }

  /** Where a key that is missing would be added. */
  get start(): Position {
    return this.source.position(this.top ? this.source.start : (this.body?.at ?? this.source.start))
  }

  foundInBody(key: NativeKey, offset: number): void {
    this.found.set(key, 'body')
    this.#offsets.set(key, offset)
  }

  hasFront(key: NativeKey): boolean {
    return this.#frontOf(key) !== undefined
  }

  /** Whether the front matter has a value for a key, understood or not. */
  frontIsSaid(key: NativeKey): boolean {
    const front = this.#frontOf(key)
    const value = front?.fields.value(...front.names)
    const isBlank = (each: unknown) => each === undefined || each === null || String(each).trim() === ''
    return Array.isArray(value) ? !value.every(isBlank) : !isBlank(value)
  }

  /** A text in the front matter. What was left to be filled in has been reported, and is none. */
  frontText(key: NativeKey): FoundValue<string> | undefined {
    return remembered(this.#texts, key, () => {
      const front = this.#frontOf(key)
      const before = this.diagnostics.length
      const value = front?.fields.text(...front.names)
      if (value === undefined || !isPlaceholder(value, 'markdown'))
        return value === undefined ? undefined : this.#front(key, value)
      const message = `${quotedText(value)} was left to be filled in; write the value.`
      if (this.diagnostics.length === before)
        this.report('warning', 'placeholder', message, this.positionOf(key))
      return undefined
    })
  }

  frontTime(key: NativeKey): FoundValue<string> | undefined {
    return remembered(this.#times, key, () => {
      const front = this.#frontOf(key)
      const value = front?.fields.time(...front.names)
      return value === undefined ? undefined : this.#front(key, value)
    })
  }

  agent(key: NativeKey, weak = false): FoundValue<ReadAgent> | undefined {
    const front = this.frontText(key)
    const said = front && this.#agent(front)
    const line = this.index.line(key)
    if (front && said) {
      const inBody = line && readAgent(line.value)
      if (line && inBody && !sameAgent(inBody.name, said.name)) this.#contradicts(key, said.name, line)
      return { ...front, value: { ...inBody, ...said } }
    }
    if (line) return this.#agentIn(key, line)
    const { from, to } = this.index.heading
    const named = key === 'from_agent' ? from : key === 'to_agent' ? to : undefined
    if (named) return this.#inBody(key, named, this.index.headingAt)
    const column = this.index.column(key)
    if (column) return this.#agentIn(key, column)
    return weak ? this.#weakAgent(key) : undefined
  }

  time(key: NativeKey): FoundValue<string> | undefined {
    const front = this.frontTime(key)
    if (front || this.hasFront(key)) return front
    const field = this.index.field(key)
    if (!field || field.value === '') return undefined
    const read = bodyInstant(field.value)
    if (read !== undefined) return this.#inBody(key, read, field.at)
    const message = `${quotedText(field.value)} is not a valid time; write for example 2026-02-21T14:30:00Z.`
    if (!isPlaceholder(field.value, 'markdown'))
      this.report('warning', 'bad_time', message, this.bodyPosition(field.at))
    return undefined
  }

  text(key: NativeKey): FoundValue<string> | undefined {
    const front = this.frontText(key)
    if (front || this.hasFront(key)) return front
    const section = this.index.section(key)
    if (section && !isPlaceholder(section.text, 'markdown'))
      return this.#inBody(key, section.text, section.at)
    const line = spellingsOf(key).sections ? this.index.field(key) : this.index.line(key)
    if (!line || line.value === '' || isPlaceholder(line.value, 'markdown')) return undefined
    return this.#inBody(key, line.value, line.at)
  }

  list(key: NativeKey): FoundValue<readonly string[]> | undefined {
    const front = this.#frontOf(key)
    if (front) {
      const items = this.#textsOf(front.fields, front.names).filter((item) => item.trim() !== '')
      return items.length > 0 ? this.#front(key, items) : undefined
    }
    const field = this.index.field(key)
    const section = field?.items.length ? undefined : this.index.section(key)
    const items = section ? this.index.itemsBelow(section) : (field?.items ?? [])
    const texts = items.map(({ text }) => text).filter((text) => !isPlaceholder(text, 'markdown'))
    return texts.length > 0 ? this.#inBody(key, texts, section?.at ?? field?.at ?? 0) : undefined
  }

  /** A list of texts. Some write mappings, of which one key is the text. */
  #textsOf(fields: Fields, names: readonly string[]): readonly string[] {
    const value = fields.value(...names)
    const isNamed = (item: unknown) => isData(item) && TEXT_KEYS.some((key) => own(item, key) !== undefined)
    if (!Array.isArray(value) || !value.some(isNamed)) return fields.list(...names) ?? []
    return (fields.each(...names) ?? []).flatMap((each) => {
      if (typeof each === 'string') return [each]
      each.report('warning', 'not_text', 'Each element is one text; write it after the dash, without keys.')
      return each.text(...TEXT_KEYS) ?? []
    })
  }

  /** The mapping that has a key, whatever it is called there, and all its names. */
  #frontOf(key: NativeKey): { readonly fields: Fields; readonly names: readonly string[] } | undefined {
    const names = [key, ...spellingsOf(key).keys]
    const fields = [this.nested, this.top].find((each) => each?.has(...names))
    if (!fields) return undefined
    if (fields === this.nested && !this.places.has(key)) {
      fields.value(...names)
      this.places.set(key, this.places.get(`handoff.${key}`) ?? ['handoff', key])
    }
    return { fields, names }
  }

  #weakAgent(key: NativeKey): FoundValue<ReadAgent> | undefined {
    const names = spellingsOf(key).weak ?? []
    const text = this.top?.has(...names) ? this.top.text(key, ...names) : undefined
    const front = text === undefined ? undefined : this.#front(key, text)
    const value = front && this.#agent(front)
    if (front && value) return { ...front, value }
    const field = this.index.weakField(key)
    return field && this.#agentIn(key, field)
  }

  #agentIn(key: NativeKey, { value, at }: BodyValue): FoundValue<ReadAgent> | undefined {
    return this.#inBody(key, this.#agent({ value, where: 'body', at: () => this.bodyPosition(at) }), at)
  }

  #agent({ value, at }: FoundValue<string>): ReadAgent | undefined {
    const agent = readAgent(value)
    const warn = (code: string, what: string) =>
      this.report('warning', code, `${quotedText(value)} ${what}`, at())
    if (!agent && isPlaceholder(value, 'markdown'))
      warn('placeholder', "was left to be filled in; write the agent's name.")
    else if (!agent) warn('bad_agent_name', "is not an agent's name; write one word, for example claude.")
    else if (agent.several)
      warn('several_agents', `names several agents, and ${agent.name} was taken; write one handoff for each.`)
    else if (agent.joined) warn('bad_agent_name', `is read as ${agent.name}; write agents as one word.`)
    return agent
  }

  #contradicts(key: string, said: string | null, line: BodyValue): void {
    const taken = `${this.pathOf(key).join('.')} is ${said ?? 'nobody'}, which was taken`
    const message = `The body says ${quotedText(line.value)}, but ${taken}; make them agree.`
    this.report('warning', 'body_contradicts', message, this.bodyPosition(line.at))
  }

  #front<T>(key: NativeKey, value: T): FoundValue<T> {
    this.found.set(key, 'front')
    return { value, where: 'front', at: () => this.positionOf(key) }
  }

  #inBody<T>(key: NativeKey, value: T | undefined, offset: number): FoundValue<T> | undefined {
    if (value === undefined) return undefined
    this.foundInBody(key, offset)
    return { value, where: 'body', at: () => this.bodyPosition(offset) }
  }
}

const TEXT_KEYS = ['deliverable', 'criterion', 'name', 'title', 'description', 'item', 'text'] as const

function remembered<K, V>(memory: Map<K, V>, key: K, make: () => V): V {
  const known = memory.get(key)
  if (known !== undefined || memory.has(key)) return known as V
  const made = make()
  memory.set(key, made)
  return made
}

const FRONT_MATTER_MARK = /^---[ \t]*\r?\n/

/**
 * The text below the front matter. A body that begins like YAML makes a text without a name look like several YAML
 * documents; all but the first of them are the body then.
 */
function bodyOf({ body, bodyAt, kind, text, start, end }: Source): Body | undefined {
  if (body !== undefined) return { text: body, at: bodyAt }
  if (kind !== 'yaml' || !FRONT_MATTER_MARK.test(text.slice(start, start + 20))) return undefined
  const mark = FRONT_MATTER_MARK.exec(text.slice(end))
  return mark ? { text: text.slice(end + mark[0].length), at: end + mark[0].length } : undefined
}

/** Any instant at the start of a text; behind it may stand a remark or a zone that nobody else knows. */
function bodyInstant(text: string): string | undefined {
  const before = text
    .slice(0, 100)
    .split(/\s*[([|]/)[0]!
    .trim()
  const day = /^\d{4}-\d{2}-\d{2}/.exec(before)?.[0] ?? ''
  return (readInstant(text) ?? readInstant(before) ?? readInstant(day))?.instant
}
