import { type PlacedProblem, placedProblem } from '../domain/problem.ts'
import type { Dialect } from './dialect.ts'
import { type Data, fieldDifferences, isData, keysOf, own, put, sameData, valueAt } from './difference.ts'
import { Draft } from './draft.ts'
import type { Path, Source } from './text/source.ts'

/** What a slot may take up in a document, as JSON in UTF-8. */
export const SLOT_BYTES = 16 * 1024
const VERSION = 1

/**
 * What a document cannot say in its own keys. `draft` holds the fields as they were, `read_as` what the native
 * keys give for the same fields. The second half is how a later reader sees that somebody has edited the native
 * keys since: then these no longer read as they did, and they win.
 */
export interface Slot {
  readonly version: typeof VERSION
  readonly draft: Draft
  readonly read_as: Draft
}

export interface Carried {
  readonly draft: Draft
  /** Fields that the slot gave, for example `package.summary`. Nobody but the writer vouches for them. */
  readonly carried: readonly string[]
  readonly diagnostics: readonly PlacedProblem[]
}

/** The slot that makes `read` into `draft` again. Undefined where nothing is missing. */
export function slotFor(draft: Draft, read: Draft): Slot | undefined {
  const slot = { version: VERSION, draft: {}, read_as: {} } satisfies Slot
  for (const { path, before, after } of fieldDifferences(draft, read)) {
    putAt(slot.draft, path, before, own(draft, path[0]!) !== undefined)
    putAt(slot.read_as, path, after)
  }
  return keysOf(slot.draft).length + keysOf(slot.read_as).length > 0 ? slot : undefined
}

export const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length

/** What the native keys say, completed from the slot wherever they still say what they said when it was written. */
export function withSlot(draft: Draft, source: Source, dialect: Dialect): Carried {
  const found = valueAt(source.value, dialect.slot)
  if (found === undefined) return { draft, carried: [], diagnostics: [] }
  const warn = (code: string, message: string): PlacedProblem =>
    placedProblem('warning', code, message, source.locate(dialect.slot, 'key'))
  const native = nativeOnly(draft, dialect.slot)
  const uid = liveMark(found)
  if (uid !== undefined) return { draft: { ...native, uid }, carried: ['uid'], diagnostics: [] }
  const slot = readSlot(found)
  if (typeof slot === 'string')
    return { draft: native, carried: [], diagnostics: [warn('slot_ignored', slot)] }

  const { draft: completed, carried, contradicted } = completeDraft(native, slot)
  const checked = Draft().safeParse(completed)
  if (!checked.success)
    return { draft: native, carried: [], diagnostics: [warn('slot_ignored', IGNORED('is not a draft'))] }
  const diagnostics = contradicted.map((field) =>
    warn(
      'slot_contradicts',
      `x_baton and the document disagree about ${field}. The document was used. Remove ${field} from x_baton.`,
    ),
  )
  return { draft: checked.data, carried, diagnostics }
}

/** What Baton writes into files of a live folder: which handoff they are, its revision, and what was said about it. */
const LIVE_KEYS: ReadonlySet<string> = new Set(['uid', 'rev', 'thread'])

/** A mark says nothing of the draft but which handoff it is. */
function liveMark(found: unknown): string | undefined {
  if (!isData(found) || keysOf(found).some((key) => !LIVE_KEYS.has(key))) return undefined
  const [uid, rev] = [own(found, 'uid'), own(found, 'rev')]
  return typeof uid === 'string' && uid.length <= 100 && Number.isInteger(rev) ? uid : undefined
}

const IGNORED = (why: string): string =>
  `x_baton ${why}, so it was not read; remove it, or write the document again with \`baton convert\`.`

function readSlot(found: unknown): Slot | string {
  if (!isData(found)) return IGNORED('is not a mapping')
  if (bytesOf(found) > SLOT_BYTES) return IGNORED(`holds more than ${SLOT_BYTES} bytes`)
  if (own(found, 'version') !== VERSION) return IGNORED(`is not of version ${VERSION}`)
  const draft = Draft().safeParse(own(found, 'draft') ?? {})
  const readAs = Draft().safeParse(own(found, 'read_as') ?? {})
  if (!draft.success || !readAs.success) return IGNORED('does not hold a draft')
  return { version: VERSION, draft: draft.data, read_as: readAs.data }
}

function completeDraft(native: Draft, slot: Slot) {
  const draft: Data = { ...native }
  const carried: string[] = []
  const contradicted: string[] = []
  for (const { path, before, after } of fieldDifferences(slot.draft, slot.read_as)) {
    const field = path.join('.')
    const now = valueAt(native, path)
    if (sameData(now, before)) continue
    if (sameData(now, after)) {
      putAt(draft, path, before, own(slot.draft, path[0]!) !== undefined)
      carried.push(field)
    } else contradicted.push(field)
  }
  return { draft, carried, contradicted }
}

/** Sets or, for undefined, takes away a field. A mapping that loses its last key goes too, unless it was there as such. */
function putAt(draft: Data, path: Path, value: unknown, keepEmpty = false): void {
  const [field, key] = path.map(String)
  if (field === undefined) return
  if (key === undefined) {
    if (value === undefined) delete draft[field]
    else put(draft, field, value)
    return
  }
  const below: Data = { ...(own(draft, field) as Data | undefined) }
  if (value === undefined) delete below[key]
  else put(below, key, value)
  if (keysOf(below).length === 0 && !keepEmpty) delete draft[field]
  else put(draft, field, below)
}

/** Without the slot, which a dialect may have taken for an unknown key. */
export function nativeOnly(draft: Draft, slot: Path): Draft {
  const key = String(slot.at(-1))
  const dotted = slot.join('.')
  const result: Data = { ...draft }
  for (const field of ['extra', 'metrics']) {
    for (const name of [key, dotted])
      if (own(result[field], name) !== undefined) putAt(result, [field, name], undefined)
  }
  const data = own(own(result, 'package'), 'data')
  if (isData(data) && Object.hasOwn(data, key)) {
    const { [key]: _slot, ...rest } = data
    putAt(result, ['package', 'data'], keysOf(rest).length > 0 ? rest : undefined)
  }
  return result as Draft
}
