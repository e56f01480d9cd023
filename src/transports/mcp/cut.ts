import { invalidInput } from '../../domain/errors.ts'
import { orElse } from '../../domain/once.ts'
import { ASKED_BYTES, bytesOf } from './size.ts'

/** A place where something was left out, and how much there is. With the cursor the caller reads on from there. */
export interface Cut {
  readonly cursor: string
  readonly of: number
}

/** How long a text and how many entries of a list may be, from generous to what can hardly be called a reply. */
const CUT_STEPS = [
  { text: 2_000, entries: 100 },
  { text: 1_000, entries: 40 },
  { text: 600, entries: 20 },
  { text: 300, entries: 10 },
  { text: 160, entries: 5 },
  { text: 80, entries: 2 },
  { text: 60, entries: 1 },
] as const
/** Never cut, so that ids and names stay whole. */
const SHORTEST = 60
/** Places that are told; the smallest reply must hold them. */
const TOLD = 12
const DEEPEST = 12

/** The value in at most so many bytes. What was left out is listed under `cut`, each place with its cursor. */
export function cutTo(value: object, maxBytes: number, within: readonly string[] = []): object {
  if (bytesOf(value) <= maxBytes) return value
  for (const step of CUT_STEPS) {
    const cuts: Cut[] = []
    const kept = cutValue(value, step, within, cuts) as object
    const result = { ...kept, cut: cuts.slice(0, TOLD) }
    if (bytesOf(result) <= maxBytes) return result
  }
  return skeleton(value, maxBytes, within)
}

type CutStep = (typeof CUT_STEPS)[number]

function cutValue(value: unknown, step: CutStep, path: readonly string[], cuts: Cut[]): unknown {
  if (isMark(path)) return value
  if (typeof value === 'string') {
    if (value.length <= Math.max(step.text, SHORTEST)) return value
    cuts.push({ cursor: cursorAt(path, step.text), of: value.length })
    return `${cleanSlice(value, 0, step.text)}…`
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  // The fields of a reply are few and each has its meaning; a list, or data of a caller, may be long.
  const most = path.length === 0 ? entries.length : Math.max(step.entries, Array.isArray(value) ? 0 : 40)
  const shown = path.length >= DEEPEST ? 0 : most
  if (entries.length > shown) cuts.push({ cursor: cursorAt(path, shown), of: entries.length })
  const kept = entries
    .slice(0, shown)
    .map(([key, each]) => [key, cutValue(each, step, [...path, key], cuts)] as const)
  return Array.isArray(value) ? kept.map(([, each]) => each) : Object.fromEntries(kept)
}

/** The list of foreign fields is never cut, so every reply says which text others wrote. */
const isMark = (path: readonly string[]): boolean => path.length === 1 && path[0] === UNTRUSTED_MARK
const UNTRUSTED_MARK = 'untrusted'

/** When nothing helps: the small fields, and for each other one a cursor. */
function skeleton(value: object, maxBytes: number, within: readonly string[]): object {
  const kept: Record<string, unknown> = {}
  const cut: Cut[] = []
  for (const [key, each] of Object.entries(value))
    if (bytesOf(each) <= 120 && bytesOf({ ...kept, [key]: each, cut }) < maxBytes - 400) kept[key] = each
    else if (cut.length < TOLD) cut.push({ cursor: cursorAt([...within, key], 0), of: sizeOf(each) })
  return { ...kept, cut }
}

/** The value at a cursor, as much as fits. */
export function readOn(value: object, cursor: string, maxBytes: number): object {
  const at = cursor.lastIndexOf('@')
  const path = cursor.slice(0, Math.max(at, 0)).split('/').map(decodeSegment)
  const from = Number(cursor.slice(at + 1))
  const found = path.reduce<unknown>((each, key) => own(each, key), value)
  if (at < 1 || !Number.isSafeInteger(from) || from < 0 || found === undefined)
    throw invalidInput(
      `cursor ${JSON.stringify(cursor.slice(0, 200))} leads nowhere here; take one from the last reply, or leave it out`,
      { cursor: cursor.slice(0, 200) },
    )
  const room = maxBytes - MARK_BYTES
  const part =
    typeof found === 'string' ? textFrom(found, path, from, room) : entriesFrom(found, path, from, room)
  // A part of a marked value is marked too.
  return isForeign(value, path) ? { ...part, untrusted: ['text', 'items', 'value'] } : part
}

const MARK_BYTES = 50

function isForeign(value: object, [first, second]: readonly string[]): boolean {
  const { untrusted } = Object(value)
  return Array.isArray(untrusted) && (untrusted.includes(first) || untrusted.includes(`${first}[${second}]`))
}

function textFrom(text: string, path: readonly string[], from: number, maxBytes: number): object {
  let length = Math.min(text.length - from, maxBytes)
  const part = () => {
    const shown = cleanSlice(text, from, from + length)
    const end = from + shown.length
    return {
      field: path.join('.'),
      text: shown,
      of: text.length,
      ...(end < text.length && { cursor: cursorAt(path, end) }),
    }
  }
  while (length > 1 && bytesOf(part()) > maxBytes) length = Math.floor(length * 0.8)
  return part()
}

function entriesFrom(found: unknown, path: readonly string[], from: number, maxBytes: number): object {
  if (typeof found !== 'object' || found === null) return { field: path.join('.'), value: found }
  const entries = Object.entries(found)
  const shown: [string, unknown][] = []
  const part = () => {
    const end = from + shown.length
    return {
      field: path.join('.'),
      ...(Array.isArray(found)
        ? { items: shown.map(([, each]) => each) }
        : { value: Object.fromEntries(shown) }),
      of: entries.length,
      ...(end < entries.length && { cursor: cursorAt(path, end) }),
    }
  }
  for (const entry of entries.slice(from, from + ASKED_BYTES / 2)) {
    shown.push(entry)
    if (bytesOf(part()) <= maxBytes) continue
    shown.pop()
    if (shown.length > 0) break
    shown.push(oversized(entry, path, maxBytes))
    break
  }
  return part()
}

/** A single entry that is larger than a reply: cut inside, with cursors that lead into it. */
function oversized(
  [key, each]: [string, unknown],
  path: readonly string[],
  maxBytes: number,
): [string, unknown] {
  const within = [...path, key]
  const room = maxBytes - 400
  if (typeof each === 'object' && each !== null && !Array.isArray(each))
    return [key, cutTo(each, room, within)]
  return [key, { cut: [{ cursor: cursorAt(within, 0), of: sizeOf(each) }] }]
}

const sizeOf = (value: unknown): number =>
  typeof value === 'string'
    ? value.length
    : typeof value === 'object' && value !== null
      ? Object.keys(value).length
      : 1

/** Never half of a character. */
const cleanSlice = (text: string, from: number, to: number): string =>
  text.slice(from, to).replace(/[\ud800-\udbff]$/, '')

const cursorAt = (path: readonly string[], from: number): string =>
  `${path.map((key) => encodeURIComponent(key.toWellFormed())).join('/')}@${from}`

/** A part of an address as it was meant; an encoding that is broken stays as it stands. */
export const decodeSegment = (segment: string): string => orElse(() => decodeURIComponent(segment), segment)

const own = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
