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
import { markdownRow, namesOf } from './table.ts'

interface Body {
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
  readonly found = new Map<string, 'front' | 'body' | 'name'>()
  /** Where in the body, by key. */
  readonly #offsets = new Map<string, number>()
  /** A second look reports nothing anew. */
  readonly #known = new Map<string, unknown>()
  readonly #weak: boolean

  /** `weak`: `author` counts as the sender and `owner` as the receiver where nothing better is said. */
  constructor(source: Source, { weak = false } = {}) {
    this.source = source
    this.#weak = weak
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

  /** The place of a native key, or the one it would have. Places cost more than values: they are worked out for a finding. */
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

  foundInBody(key: string, offset: number): void {
    this.found.set(key, 'body')
    this.#offsets.set(key, offset)
  }

  hasFront(key: string): boolean {
    return this.#frontOf(key) !== undefined
  }

  /** Whether the front matter has a value for a key, understood or not. */
  frontIsSaid(key: string): boolean {
    const front = this.#frontOf(key)
    const value = front?.fields.value(...front.names)
    const isBlank = (each: unknown) => each === undefined || each === null || String(each).trim() === ''
    return Array.isArray(value) ? !value.every(isBlank) : !isBlank(value)
  }

  /** A text in the front matter. What was left to be filled in has been reported, and is none. */
  frontText(key: string): string | undefined {
    return this.#once(`text ${key}`, () => {
      const front = this.#frontOf(key)
      const before = this.diagnostics.length
      const value = front?.fields.text(...front.names)
      if (value === undefined || !isPlaceholder(value, 'markdown')) return this.#front(key, value)
      const message = `${quotedText(value)} was left to be filled in; write the value.`
      if (this.diagnostics.length === before)
        this.report('warning', 'placeholder', message, this.positionOf(key))
      return undefined
    })
  }

  frontTime(key: string): string | undefined {
    return this.#once(`time ${key}`, () => {
      const front = this.#frontOf(key)
      return this.#front(key, front?.fields.time(...front.names))
    })
  }

  agent(key: string): ReadAgent | undefined {
    return this.#once(`agent ${key}`, () => {
      const front = this.frontText(key)
      const said = front === undefined ? undefined : this.#agent(front, () => this.positionOf(key))
      const line = this.index.line(key)
      if (said) {
        const inBody = line && readAgent(line.value)
        if (line && inBody && !sameAgent(inBody.name, said.name)) this.#contradicts(key, said.name, line)
        return { ...inBody, ...said }
      }
      if (line) return this.#agentIn(key, line)
      const { from, to } = this.index.heading
      const named = key === 'from_agent' ? from : key === 'to_agent' ? to : undefined
      if (named) return this.#inBody(key, named, this.index.headingAt)
      const column = this.index.column(key)
      if (column) return this.#agentIn(key, column)
      return this.#weak ? this.#weakAgent(key) : undefined
    })
  }

  time(key: string): string | undefined {
    if (this.hasFront(key)) return this.frontTime(key)
    const field = this.index.field(key)
    if (!field || field.value === '') return undefined
    const read = bodyInstant(field.value)
    const message = `${quotedText(field.value)} is not a valid time; write for example 2026-02-21T14:30:00Z.`
    if (read === undefined && !isPlaceholder(field.value, 'markdown'))
      this.report('warning', 'bad_time', message, this.bodyPosition(field.at))
    return this.#inBody(key, read, field.at)
  }

  text(key: string): string | undefined {
    if (this.hasFront(key)) return this.frontText(key)
    const section = this.index.section(key)
    if (section && !isPlaceholder(section.text, 'markdown'))
      return this.#inBody(key, section.text, section.at)
    const line = markdownRow(key).sections ? this.index.field(key) : this.index.line(key)
    if (!line || line.value === '' || isPlaceholder(line.value, 'markdown')) return undefined
    return this.#inBody(key, line.value, line.at)
  }

  list(key: string): string[] | undefined {
    const front = this.#frontOf(key)
    if (front) {
      const items = this.#textsOf(front.fields, front.names).filter((item) => item.trim() !== '')
      return this.#front(key, items.length > 0 ? items : undefined)
    }
    const field = this.index.field(key)
    const section = field?.items.length ? undefined : this.index.section(key)
    const items = section ? this.index.itemsBelow(section) : (field?.items ?? [])
    const texts = items.map(({ text }) => text).filter((text) => !isPlaceholder(text, 'markdown'))
    return this.#inBody(key, texts.length > 0 ? texts : undefined, section?.at ?? field?.at ?? 0)
  }

  /** A list of texts. Some write mappings, of which one key is the text. */
  #textsOf(fields: Fields, names: readonly string[]): string[] {
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
  #frontOf(key: string): { readonly fields: Fields; readonly names: readonly string[] } | undefined {
    const names = namesOf(key)
    const fields = [this.nested, this.top].find((each) => each?.has(...names))
    if (!fields) return undefined
    if (fields === this.nested && !this.places.has(key)) {
      fields.value(...names)
      this.places.set(key, this.places.get(`handoff.${key}`) ?? ['handoff', key])
    }
    return { fields, names }
  }

  #weakAgent(key: string): ReadAgent | undefined {
    const names = markdownRow(key).weak ?? []
    const text = this.top?.has(...names) ? this.#front(key, this.top.text(key, ...names)) : undefined
    const field = this.index.weakField(key)
    return (
      (text === undefined ? undefined : this.#agent(text, () => this.positionOf(key))) ??
      (field && this.#agentIn(key, field))
    )
  }

  #agentIn(key: string, { value, at }: BodyValue): ReadAgent | undefined {
    return this.#inBody(
      key,
      this.#agent(value, () => this.bodyPosition(at)),
      at,
    )
  }

  #agent(said: string, at: () => Position): ReadAgent | undefined {
    const agent = readAgent(said)
    const warn = (code: string, what: string) =>
      this.report('warning', code, `${quotedText(said)} ${what}`, at())
    if (!agent && isPlaceholder(said, 'markdown'))
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

  #front<T>(key: string, value: T | undefined): T | undefined {
    if (value !== undefined) this.found.set(key, 'front')
    return value
  }

  #inBody<T>(key: string, value: T | undefined, offset: number): T | undefined {
    if (value !== undefined) this.foundInBody(key, offset)
    return value
  }

  #once<T>(name: string, make: () => T): T {
    if (!this.#known.has(name)) this.#known.set(name, make())
    return this.#known.get(name) as T
  }
}

const TEXT_KEYS = ['deliverable', 'criterion', 'name', 'title', 'description', 'item', 'text'] as const
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
