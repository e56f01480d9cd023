import type { DialectId } from './dialect.ts'
import { type Data, differences, keysOf, own, valueAt, withoutPath, withPath } from './difference.ts'
import { dialectOf, endingOf, schemasOf } from './registry.ts'
import type { Change, Path, Source } from './text/source.ts'
import { sourcesOf } from './text/sources.ts'
import { isMapping, setOwn } from './text/tree.ts'

/** A team's own format: a known one with other keys, other words for its states and other folders. */
export interface Format {
  readonly name: string
  readonly base: DialectId
  /** Its key path to that of the base: `from_master` to `source.agent_id`. */
  readonly keys: Readonly<Record<string, string>>
  /** Its word for a status to that of the base: `pending_pickup` to `pending`. */
  readonly states?: Readonly<Record<string, string>> | undefined
  /** Its folder to that of the base: `inbox` to `handoffs/pending`. */
  readonly folders?: Readonly<Record<string, string>> | undefined
}

/** The key of the status, and the keys of agents that the document writes with `@`. */
// biome-ignore format: read as a table
const BASE_KEYS: Readonly<Record<DialectId, { readonly status: string; readonly at: readonly string[] }>> = {
  markdown:  { status: 'status',         at: [] },
  queue:     { status: 'status',         at: ['source.agent_id', 'target.agent_id'] },
  block:     { status: 'handoff.status', at: ['handoff.from', 'handoff.to'] },
  writeback: { status: 'status',         at: [] },
  package:   { status: 'handoff.status', at: [] },
}

/** Whether the base has such a key, or a free mapping in its place. */
export const knowsKey = (base: DialectId, key: string): boolean =>
  Object.values(schemasOf(base)).some((schema) => {
    let at: unknown = schema
    for (const name of partsOf(key)) {
      const known = own(at, 'properties')
      if (known === undefined) return at !== undefined && at !== schema
      at = own(known, name)
    }
    return at !== undefined
  })

interface Moved {
  readonly own: Path
  readonly base: Path
}

const partsOf = (key: string): readonly string[] => key.split('.')
const begins = (path: Path, head: Path): boolean => head.every((key, i) => path[i] === key)

/**
 * A piece of a text as its base would have it: what is read by the base's keys is found and changed under the team's.
 * Undefined where nothing in it is the team's own.
 */
export function asBase(source: Source, format: Format): Source | undefined {
  const { value: said } = source
  if (!isMapping(said)) return undefined
  const path = source.path === undefined ? undefined : basePlace(source.path, format)
  const moved = movedIn(said, format)
  const value = baseValue(said, moved, format)
  const isOwn = moved.some(({ own: from }) => valueAt(said, from) !== undefined)
  if (
    !isOwn &&
    path === source.path &&
    valueAt(said, statusPath(format)) === valueAt(value, statusPath(format))
  )
    return undefined
  const placeOf = (at: Path): Path => {
    const found = moved.find(({ base }) => begins(at, base)) ?? moved.find(({ base }) => begins(base, at))
    return found ? [...found.own, ...at.slice(found.base.length)] : at
  }
  return {
    ...source,
    ...(path !== undefined && { path }),
    value,
    locate: (at, part) => source.locate(placeOf(at), part),
    raw: (at) => {
      const there = valueAt(value, at)
      return typeof there === 'string' ? there : source.raw(placeOf(at))
    },
    edit: (changes) => source.edit(changes.flatMap((change) => ownChanges(change, said, moved, format))),
  }
}

/** The keys that are the team's in this document. A key of the base that stands there itself is left where it is. */
function movedIn(said: Data, { keys }: Format): readonly Moved[] {
  const all = Object.entries(keys).map(([from, to]) => ({ own: partsOf(from), base: partsOf(to) }))
  const present = ({ own: from, base }: Moved): boolean =>
    valueAt(said, from) !== undefined || valueAt(said, base) === undefined
  const bases = new Set<string>()
  return all
    .filter(present)
    .toSorted((a, b) => Number(isIn(said, b)) - Number(isIn(said, a)))
    .filter(({ base }) => !bases.has(base.join('.')) && bases.add(base.join('.')))
}

const isIn = (said: Data, { own: from }: Moved): boolean => valueAt(said, from) !== undefined

function baseValue(said: Data, moved: readonly Moved[], format: Format): Data {
  const found = moved.filter((each) => isIn(said, each))
  let value = found.reduce((left, { own: from }) => withoutPath(left, from), said)
  for (const { own: from, base } of found)
    value = withPath(value, base, asWritten(base, valueAt(said, from), format))
  const status = valueAt(value, statusPath(format))
  const word = typeof status === 'string' ? own(format.states, status) : undefined
  return word === undefined ? value : withPath(value, statusPath(format), word)
}

const statusPath = ({ base }: Format): readonly string[] => partsOf(BASE_KEYS[base].status)

/** A team's own key names an agent without the `@` of the document. */
const asWritten = (base: Path, value: unknown, format: Format): unknown =>
  isAgent(base, format) && typeof value === 'string' && /^[A-Za-z0-9]/.test(value) ? `@${value}` : value

const isAgent = (base: Path, format: Format): boolean => BASE_KEYS[format.base].at.includes(base.join('.'))

/** The same value in the team's words. */
function inOwnWords(base: Path, value: unknown, before: unknown, format: Format): unknown {
  if (base.join('.') === BASE_KEYS[format.base].status) {
    const words = Object.entries(format.states ?? {}).filter(([, word]) => word === value)
    return (words.find(([word]) => word === before) ?? words[0])?.[0] ?? value
  }
  const isPlain = isAgent(base, format) && !(typeof before === 'string' && before.startsWith('@'))
  return isPlain && typeof value === 'string' ? value.replace(/^@/, '') : value
}

function ownChanges({ path, value }: Change, said: Data, moved: readonly Moved[], format: Format): Change[] {
  const above = moved.find(({ base }) => begins(path, base))
  const at = above ? [...above.own, ...path.slice(above.base.length)] : path
  const below = above ? [] : moved.filter(({ base }) => begins(base, path))
  const parts = below.map(({ own: from, base }) => {
    const part = valueAt(value, base.slice(path.length))
    return { path: from, value: inOwnWords(base, part, valueAt(said, from), format) }
  })
  const rest = below.reduce<unknown>(
    (left, { base }) => (isMapping(left) ? withoutPath(left, base.slice(path.length)) : left),
    value,
  )
  const isLeft = below.length === 0 || !isMapping(rest) || keysOf(rest).length > 0
  const changed = { path: at, value: inOwnWords(path, rest, valueAt(said, at), format) }
  const isThere = rest !== undefined || valueAt(said, at) !== undefined
  return [
    ...parts.filter((each) => each.value !== undefined || valueAt(said, each.path) !== undefined),
    ...(isLeft && isThere ? [changed] : []),
  ]
}

/** A native value of the base in the team's keys and words, in the order of the base. */
function ownValue(native: Data, format: Format): Data {
  const moved = movedIn({}, format)
  let result: Data = {}
  const add = (path: Path, value: unknown): void => {
    const at = moved.find(({ base }) => base.length === path.length && begins(path, base))
    if (!at && isMapping(value) && moved.some(({ base }) => begins(base, path)))
      for (const key of keysOf(value)) add([...path, key], own(value, key))
    else result = withPath(result, at?.own ?? path, inOwnWords(path, value, undefined, format))
  }
  for (const key of keysOf(native)) add([key], own(native, key))
  return result
}

/** A team's text as its base would write it; as it is where nothing in it is the team's own. */
export function toBaseText(text: string, path: string, format: Format): string {
  const source = wholeOf(text, path)
  const base = source && asBase(source, format)
  if (!base || !isMapping(base.value)) return text
  const value = exact(base, base.value, []) as Data
  return dialectOf(format.base).print({ value, ...(base.body !== undefined && { body: base.body }) })
}

/** A text of the base as the team writes it: on top of the team's own text, if there is one, which keeps its bytes. */
export function toOwnText(text: string, format: Format, before?: string): string {
  const path = `handoff${endingOf(format.base)}`
  const after = wholeOf(text, path)
  if (!after || !isMapping(after.value)) return text
  const body = after.body === undefined ? {} : { body: after.body }
  const source = before === undefined ? undefined : wholeOf(before, path)
  const base = source && (asBase(source, format) ?? source)
  if (!source || !base) return dialectOf(format.base).print({ value: ownValue(after.value, format), ...body })
  const changes = differences(exact(base, base.value, []), exact(after, after.value, []))
  const edited = base.edit(changes.map(({ path: at, after: value }) => ({ path: at, value })))
  if (source.body === after.body) return edited
  return edited.slice(0, edited.length - (source.body?.length ?? 0)) + (after.body ?? '')
}

const wholeOf = (text: string, path: string): Source | undefined =>
  sourcesOf(text, { path }).find(({ value }) => isMapping(value))

/** A number that was written otherwise than it is printed, such as the task 15.10, stays as it was written. */
function exact(source: Source, value: unknown, path: Path): unknown {
  if (Array.isArray(value)) return value.map((each, i) => exact(source, each, [...path, i]))
  if (isMapping(value)) {
    const result: Data = {}
    for (const key of keysOf(value)) setOwn(result, key, exact(source, own(value, key), [...path, key]))
    return result
  }
  const raw = typeof value === 'number' ? source.raw(path) : undefined
  return raw === undefined || raw === String(value) ? value : raw
}

/** The path of the base for a path of the team's, and back. The longest folder counts. */
export const basePlace = (path: string, { folders = {} }: Format): string =>
  otherFolder(path, Object.entries(folders))
export const ownPlace = (path: string, { folders = {} }: Format): string =>
  otherFolder(
    path,
    Object.entries(folders).map(([mine, base]) => [base, mine]),
  )

function otherFolder(path: string, folders: readonly (readonly [string, string])[]): string {
  const whole = `/${path}/`
  const [best] = folders
    .filter(([from]) => whole.includes(`/${from}/`))
    .toSorted(([a], [b]) => b.length - a.length)
  if (!best) return path
  const at = whole.indexOf(`/${best[0]}/`)
  return `${whole.slice(0, at + 1)}${best[1]}${whole.slice(at + 1 + best[0].length)}`.slice(1, -1)
}
