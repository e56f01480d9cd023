import type { DialectId, Loss } from './dialect.ts'
import { isData, keysOf, own, valueAt } from './difference.ts'
import type { Document } from './read.ts'
import { dialectOf } from './registry.ts'
import { numberOrText } from './text/number.ts'
import { shortLine } from './text/quoted.ts'
import type { Path } from './text/source.ts'

/**
 * What a document says and its reading does not: a time to the microsecond, `1.10`, a word that stands for another,
 * the one of two keys that was not taken. The draft is put back into the dialect's keys and compared with what was
 * written; what is only spelt otherwise is the same, and a word that `to` writes under the same key is not lost.
 */
export function alteredIn({ dialect: id, draft, source, places }: Document, to: DialectId): readonly Loss[] {
  if (id === undefined || draft === undefined || source.value === undefined) return []
  const dialect = dialectOf(id)
  const native = dialect.toNative(draft).value
  const homes = new Map([...places].map(([home, found]) => [found.join('\0'), home.split('.')]))
  const kept = new Set([...leavesOf(native), ...leavesOf(draft)].map(markOf))
  const text = [...leavesOf(draft)].map(({ value }) => plainWords(String(value))).join('\n')
  const written = new Set([...leavesOf(dialectOf(to).toNative(draft).value)].map(entryOf))
  const slot = dialect.slot.join('\0')
  return [...leavesOf(source.value)].flatMap(({ path, value }): Loss[] => {
    const at = path.join('\0')
    if (value === null || value === '' || at === slot || at.startsWith(`${slot}\0`)) return []
    const was = source.raw(path) ?? String(value)
    const now = valueAt(native, homeOf(path, homes))
    const isThere = now !== undefined && now !== null && typeof now !== 'object'
    const isSaid = isThere
      ? plainWords(String(now)) === plainWords(was) || (source.kind === 'json' && isSameNumber(was, now))
      : kept.has(markOf({ path, value })) || (typeof value === 'string' && text.includes(plainWords(was)))
    if (isSaid || written.has(entryOf({ path, value: was }))) return []
    const reason = isThere
      ? `${shortLine(was)} is read as ${shortLine(now)}`
      : `${shortLine(was)} is not read`
    return [{ field: path.join('.'), reason }]
  })
}

/** In JSON a number is one, whereas 1.10 in YAML is mostly a version: `1.0` is what programs write for 1. */
const isSameNumber = (was: string, now: unknown): boolean =>
  typeof now === 'number' && Number(was) === now && numberOrText(was, now) === now

/** Where the dialect writes what was found at a path. */
function homeOf(path: Path, homes: ReadonlyMap<string, readonly string[]>): Path {
  for (let length = path.length; length > 0; length--) {
    const home = homes.get(path.slice(0, length).join('\0'))
    if (home) return [...home, ...path.slice(length)]
  }
  return path
}

interface Leaf {
  readonly path: Path
  readonly value: unknown
}

function* leavesOf(value: unknown, path: Path = []): Generator<Leaf> {
  if (Array.isArray(value)) for (const [i, each] of value.entries()) yield* leavesOf(each, [...path, i])
  else if (isData(value)) for (const key of keysOf(value)) yield* leavesOf(own(value, key), [...path, key])
  else if (value !== undefined) yield { path, value }
}

/** A text is known wherever it stands, a number only under its key. */
const markOf = ({ path, value }: Leaf): string =>
  typeof value === 'string' ? plainWords(value) : `${lastKey(path)}\0${String(value)}`

const entryOf = ({ path, value }: Leaf): string => `${lastKey(path)}\0${plainWords(String(value))}`

const lastKey = (path: Path) => path.findLast((step) => typeof step === 'string')

/** As people say it: without the sign of an agent, in any case. */
const plainWords = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').trim().replace(/^@/, '').toLowerCase()
