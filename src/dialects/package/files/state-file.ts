import { ANYONE } from '../../../domain/actor.ts'
import { orElse } from '../../../domain/once.ts'
import { present } from '../../../domain/present.ts'
import { type PlacedProblem, placedProblem } from '../../../domain/problem.ts'
import { type Data, isData, keysOf, own, put } from '../../difference.ts'
import type { Draft } from '../../draft.ts'
import { type Fields, fieldsOf } from '../../fields.ts'
import { prettyJson } from '../../text/json/json.ts'
import { NUMBER } from '../../text/json/json-read.ts'
import type { Change, Path, Source } from '../../text/source.ts'
import { Statuses, stateOf, statusOf } from '../words.ts'

/** One handoff as `state/current.json` lists it. */
export type StateEntry = Pick<Draft, 'id' | 'created_at' | 'from' | 'to' | 'state'>

export type Updated =
  | { readonly ok: true; readonly text: string }
  /** A file that cannot be read is left as it is. */
  | { readonly ok: false; readonly diagnostics: readonly PlacedProblem[] }

const LIST = 'handoffs'
/** Each entry that is added in place costs a reading of the file. */
const MOST_ADDED = 20

/** The handoffs of a state file, oldest first. Comments, trailing commas and a byte order mark are read over. */
export function readState(source: Source) {
  const fields = fieldsOf(source)
  const none = `this is not a state file; write a JSON object with a list ${LIST}`
  const noState = () => placedProblem('error', 'no_state', none, source.position(source.start))
  if (fields === undefined) return { entries: [], diagnostics: [noState()] }
  if (!fields.has(LIST))
    fields.report('info', 'no_handoffs', `the file lists no handoffs yet; they go into a list ${LIST}`)
  else if (!Array.isArray(fields.value(LIST))) {
    fields.report('error', 'handoffs_no_list', `${LIST} must be a list, for example []`, LIST)
    return { entries: [], diagnostics: fields.diagnostics }
  }
  const entries = (fields.each(LIST) ?? []).map((each, i): StateEntry => {
    if (typeof each !== 'string') return readEntry(each)
    const message = `an entry has id, timestamp, from, to and status; "${each}" has none`
    fields.report('error', 'entry_as_text', message, LIST, i)
    return {}
  })
  reportTwice(entries, fields)
  return { entries, diagnostics: fields.diagnostics }
}

function readEntry(fields: Fields): StateEntry {
  const status = fields.word(Statuses, 'status', 'state')
  const id = fields.text('id', 'handoff_id')
  if (id === undefined)
    fields.report('error', 'missing_id', 'an entry names its handoff as id, for example HO-001')
  return present({
    id,
    // A file that only shows the form has "..." here.
    created_at: fields.value('timestamp') === '...' ? undefined : fields.time('timestamp', 'created_at'),
    from: readAgent(fields, 'from'),
    to: readAgent(fields, 'to'),
    state: status && stateOf(status),
  }) as StateEntry
}

/** The package's mapping is read here too. */
function readAgent(fields: Fields, key: string): string | undefined {
  return isData(fields.value(key)) ? fields.below(key)?.agent('agent', 'agent_id', 'name') : fields.agent(key)
}

function reportTwice(entries: readonly StateEntry[], fields: Fields): void {
  const seen = new Set<string>()
  for (const [i, { id }] of entries.entries()) {
    if (id === undefined) continue
    const message = `${id} is listed twice; ids are unique within a session, so give one of them another id`
    if (seen.has(id)) fields.report('warning', 'id_twice', message, LIST, i, 'id')
    seen.add(id)
  }
}

/**
 * The file with these handoffs in it. Listed ones are brought up to date, new ones are added at the end; all other
 * keys stay. What was strict JSON keeps its bytes, anything else is written anew as strict JSON, with every number
 * as it was written.
 */
export function updateState(source: Source | undefined, handoffs: readonly Draft[]): Updated {
  if (source === undefined || source.text.trim() === '')
    return { ok: true, text: prettyJson({ [LIST]: handoffs.map(nativeEntry) }) }
  const errors = [...source.diagnostics, ...readState(source).diagnostics].filter(isCorrupt)
  const { value } = source
  const list = own(value, LIST) ?? []
  if (errors.length > 0 || !isData(value) || !Array.isArray(list)) return { ok: false, diagnostics: errors }
  const next = mergedHandoffs(list, handoffs)
  const changes = changesIn(list, next)
  if (changes.length === 0) return { ok: true, text: source.text }
  if (!isStrict(source.text) || next.length - list.length > MOST_ADDED)
    return { ok: true, text: prettyJson(exactly({ ...value, [LIST]: next }, source)) }
  return { ok: true, text: source.edit(changes) }
}

/** Entries that cannot be understood stay; only what makes the file unsafe to write is in the way. */
const isCorrupt = ({ severity, code }: PlacedProblem): boolean =>
  severity === 'error' && !['missing_id', 'entry_as_text', 'unknown_status'].includes(code)

function mergedHandoffs(list: readonly unknown[], handoffs: readonly Draft[]): readonly unknown[] {
  const byId = Map.groupBy(handoffs, ({ id }) => id)
  const listed = new Set<Draft>()
  const kept = list.map((entry) => {
    const alike = byId.get(String(own(entry, 'id'))) ?? []
    const handoff = alike.find((each) => !listed.has(each) && isOfTime(each, own(entry, 'timestamp')))
    if (handoff === undefined || !isData(entry)) return entry
    listed.add(handoff)
    return { ...entry, ...nativeEntry(handoff) }
  })
  return [...kept, ...handoffs.filter((each) => !listed.has(each)).map(nativeEntry)]
}

/** Every session counts anew: of two entries of one id the time tells which handoff it is. */
function isOfTime({ created_at: created }: Draft, written: unknown): boolean {
  const [a, b] = [Date.parse(String(written)), Date.parse(String(created))]
  return Number.isNaN(a) || Number.isNaN(b) || Math.trunc(a / 1_000) === Math.trunc(b / 1_000)
}

/** Key by key, and new entries at the end; the other bytes of an entry are not ours. */
function changesIn(list: readonly unknown[], next: readonly unknown[]): readonly Change[] {
  return next.flatMap((entry, i) => {
    if (i >= list.length) return [{ path: [LIST, i], value: entry }]
    return isData(entry)
      ? keysOf(entry)
          .filter((key) => own(entry, key) !== own(list[i], key))
          .map((key) => ({ path: [LIST, i, key], value: own(entry, key) }))
      : []
  })
}

const nativeEntry = ({ id, created_at, from, to, state, type }: Draft): Data => {
  const forPerson = to === ANYONE || type === 'gate' || type === 'escalation'
  const status = state && statusOf(state, forPerson)
  return present({ id, timestamp: created_at, from, to: to ?? undefined, status })
}

/** Part of the language since Node 21, and not yet of its declarations. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** The value for printing, with numbers as the source has them: a double does not carry every digit. */
function exactly(value: unknown, source: Source, path: Path = []): unknown {
  if (Array.isArray(value)) return value.map((each, i) => exactly(each, source, [...path, i]))
  if (isData(value)) {
    const result: Data = {}
    for (const key of keysOf(value)) put(result, key, exactly(own(value, key), source, [...path, key]))
    return result
  }
  const raw = typeof value === 'number' || typeof value === 'string' ? source.raw(path) : undefined
  if (raw === undefined || !NUMBER.test(raw)) return value
  return typeof value === 'number' || isBare(source, path) ? rawJSON(raw) : value
}

/** A number that is kept as text stands without quotes. */
function isBare(source: Source, path: Path): boolean {
  const { line, column } = source.locate(path)
  return /[-\d]/.test(source.text.split('\n')[line - 1]?.[column - 1] ?? '')
}

const isStrict = (text: string): boolean => orElse(() => JSON.parse(text) !== undefined, false)
