import { AUTHS, type AuditRecord, SUBJECTS } from '../entry.ts'
import type { Digest, GoodEntry } from './read-entry.ts'
import { HANDOFF_STEPS } from './replay/handoff-rules.ts'

/** Which letters may stand in what, one bit each. */
const NAME = 1
const FIELD = 2
const ID = 4
const ORIGIN = 8
const BASE64 = 16
const BASE64URL = 32
/** The last letter of a hash carries four bits. */
const LAST = 64
const CLASSES = classes()

const HASH_LETTERS = 44
const DIGEST_LETTERS = 43
const INSTANT = 'dddd-dd-ddTdd:dd:dd.dddZ'
/** As many digits as every count of that length is exact. */
const MOST_DIGITS = 15
const ZERO = `${'A'.repeat(43)}=`
const NOTHING: readonly never[] = []
/** The words of most entries. */
const HANDOFF_ACTS = ['handoff.heartbeat', ...Object.keys(HANDOFF_STEPS)]
const HANDOFF_STATES = [
  ...new Set(Object.values(HANDOFF_STEPS).flatMap((steps) => steps.flatMap((step) => step.split('>')))),
]

// The text, its bytes and how far they are read. Not fields of an object: a million entries are read a letter at a
// time, from the bytes, which is faster; in what is read here each letter is one byte.
let text = ''
let bytes: Uint8Array = new Uint8Array()
let at = 0
/** The first two lines of the last entry that had others: in one log they are the same for all. */
let header = '\n'
let origin = ''

/**
 * Takes an entry apart that is exactly as `encodeEntry` writes the daily ones: letter by letter, in the order of
 * canonical JSON, each of a kind that needs no escape. Whatever else it meets it leaves to the general reader, so
 * it may know less than that, and never more.
 */
export function scanEntry(entry: string, coded: Uint8Array): GoodEntry | undefined {
  text = entry
  bytes = coded
  at = 0
  if (!is(header) && !isHeader()) return undefined
  const stream = run(ID, 200)
  if (stream === '' || !is('\n')) return undefined
  const seq = count()
  if (seq < 0 || !is('\n')) return undefined
  const prev = hash()
  if (prev === '' || (prev === ZERO) !== (seq === 0) || !is('\n{"act":"')) return undefined
  const digests: Digest[] = []
  const record = scanRecord(stream, digests)
  if (!record || at !== bytes.length) return undefined
  return { ok: true, origin, stream, seq, prev, record, digests, redacts: NOTHING }
}

function isHeader(): boolean {
  if (!is('baton-audit/v1\n')) return false
  const name = run(ORIGIN, 255)
  if (name === '' || !is('\n')) return false
  origin = name
  header = text.slice(0, at)
  return true
}

function scanRecord(stream: string, into: Digest[]): AuditRecord | undefined {
  // The same text each time is found faster later on.
  const act = word(HANDOFF_ACTS) ?? run(FIELD, 64)
  if (act === '' || !is('","actor":{"id":"')) return undefined
  const by = run(NAME, 64)
  if (by === '' || !is('"},"auth":"')) return undefined
  const auth = word(AUTHS)
  if (auth === undefined || !is('"')) return undefined
  const from = is(',"from":"') ? (word(HANDOFF_STATES) ?? run(NAME, 64)) : undefined
  if (from !== undefined && (from === '' || !is('"'))) return undefined
  if (is(',"sd":{') && !scanDigests(into)) return undefined
  if (!is(',"sub":{"id":"')) return undefined
  // Most entries are about what their stream is named after: one text for both is looked up faster.
  const id = isQuoted(stream) ? stream : run(ID, 200)
  if (id === '' || !is('","k":"')) return undefined
  const k = word(SUBJECTS)
  if (k === undefined || !is('","rev":')) return undefined
  const rev = count()
  if (rev < 0 || !is('}')) return undefined
  const to = is(',"to":"') ? (word(HANDOFF_STATES) ?? run(NAME, 64)) : undefined
  if (to !== undefined && (to === '' || !is('"'))) return undefined
  if (!is(',"ts":"')) return undefined
  const ts = instant()
  if (ts === '' || !is('","v":1}')) return undefined
  // One shape for all, absent fields included: objects of many shapes are slow to read.
  return { act, actor: { id: by }, auth, from, to, sub: { id, k, rev }, ts, v: 1 } as AuditRecord
}

/** Names in rising order, as canonical JSON has them, each once. */
function scanDigests(into: Digest[]): boolean {
  let before = ''
  do {
    if (!is('"')) return false
    const name = run(FIELD, 64)
    if (name <= before || !is('":"')) return false
    const digest = run(BASE64URL, DIGEST_LETTERS)
    if (digest.length !== DIGEST_LETTERS || !is('"')) return false
    into.push({ name, digest })
    before = name
  } while (is(','))
  return is('}')
}

function is(expected: string): boolean {
  const { length } = expected
  for (let i = 0; i < length; i += 1) if (bytes[at + i] !== expected.charCodeAt(i)) return false
  at += length
  return true
}

/** As many letters of a kind as there are, up to `most`; empty where a name may not begin so. */
function run(kind: number, most: number): string {
  const start = at
  pass(kind, most)
  return at === start || !isFirst(bytes[start]!, kind) ? '' : text.slice(start, at)
}

function pass(kind: number, most: number): void {
  const end = Math.min(bytes.length, at + most)
  let here = at
  while (here < end && (CLASSES[bytes[here]!]! & kind) !== 0) here += 1
  at = here
}

function word<T extends string>(words: readonly T[]): T | undefined {
  for (const each of words) if (isQuoted(each)) return each
  return undefined
}

/** A quote ends it: one word may begin another. */
function isQuoted(expected: string): boolean {
  return bytes[at + expected.length] === 34 && is(expected)
}

function count(): number {
  const start = at
  let value = 0
  while (at - start < MOST_DIGITS) {
    const digit = bytes[at]! - 48
    if (!(digit >= 0 && digit <= 9)) break
    value = value * 10 + digit
    at += 1
  }
  const digits = at - start
  return digits === 0 || (digits > 1 && bytes[start] === 48) ? -1 : value
}

function hash(): string {
  const start = at
  pass(BASE64, HASH_LETTERS - 2)
  pass(LAST, 1)
  return at === start + HASH_LETTERS - 1 && is('=') ? text.slice(start, at) : ''
}

function instant(): string {
  const start = at
  for (let i = 0; i < INSTANT.length; i += 1) {
    const code = bytes[start + i]!
    const expected = INSTANT.charCodeAt(i)
    // The pattern's d stands for a digit.
    if (expected === 100 ? !(code >= 48 && code <= 57) : code !== expected) return ''
  }
  at = start + INSTANT.length
  return text.slice(start, at)
}

/** Names and ids begin with a letter or digit, fields with a letter; what is coded may begin with anything. */
function isFirst(code: number, kind: number): boolean {
  if (kind === BASE64 || kind === BASE64URL) return true
  const isDigit = code >= 48 && code <= 57
  if (isDigit) return kind !== FIELD
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

function classes(): Uint8Array {
  const table = new Uint8Array(256)
  const mark = (letters: string, kinds: number): void => {
    for (const letter of letters) table[letter.charCodeAt(0)]! |= kinds
  }
  mark('abcdefghijklmnopqrstuvwxyz', NAME | FIELD | ID | ORIGIN | BASE64 | BASE64URL)
  mark('ABCDEFGHIJKLMNOPQRSTUVWXYZ', FIELD | ID | ORIGIN | BASE64 | BASE64URL)
  mark('0123456789', NAME | FIELD | ID | ORIGIN | BASE64 | BASE64URL)
  mark('.', NAME | FIELD | ID | ORIGIN)
  mark('_', NAME | FIELD | ID | ORIGIN | BASE64URL)
  mark('-', NAME | FIELD | ID | ORIGIN | BASE64URL)
  mark(':', ID | ORIGIN)
  mark('/', ID | ORIGIN | BASE64)
  mark('@', ID)
  mark('~', ORIGIN)
  mark('+', BASE64)
  mark('AEIMQUYcgkosw048', LAST)
  return table
}
