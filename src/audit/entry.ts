import { canonicalJson } from './canonical-json.ts'

/** The log's record of one action: ids, enumerations, digests, times. Content is committed to in `sd`. */
export interface AuditRecord {
  readonly act: string
  readonly actor: { readonly id: string; readonly kid?: string }
  readonly auth: (typeof AUTHS)[number]
  /** A head of the log that was known when this was written: what begins here began after it. */
  readonly cp?: Head
  /** A redaction: which field was taken away, and the digests whose disclosures are gone since. */
  readonly field?: string
  /** States before and after. */
  readonly from?: string
  readonly to?: string
  readonly h?: readonly string[]
  readonly idem?: string
  /** Why something was redacted: a code, never a sentence. */
  readonly reason?: string
  /** Digests of disclosures, by field. */
  readonly sd?: Readonly<Record<string, string>>
  /** The end of an audit session: how many entries it holds, and the root of the tree of their leaf hashes. */
  readonly seal?: { readonly n: number; readonly root: string }
  /** `rev` is the row's version after the action, so that states can be replayed. */
  readonly sub: { readonly id: string; readonly k: (typeof SUBJECTS)[number]; readonly rev: number }
  readonly ts: string
  readonly v: 1
}

/** Size and root of the log's tree at some moment. */
export interface Head {
  readonly size: number
  readonly root: string
}

export interface Entry {
  /** Name of the log: install name and workspace. */
  readonly origin: string
  readonly stream: string
  /** Position in the stream, from 0. */
  readonly seq: number
  /** Leaf hash of the entry before in the stream, `ZERO_HASH` for the first. */
  readonly prev: string
  readonly record: AuditRecord
}

/** An entry as read. Its record is canonical, but may be of a later version: `checkRecord` tells. */
export type Decoded =
  | ({ readonly ok: true; readonly record: Readonly<Record<string, unknown>> } & Omit<Entry, 'record'>)
  | { readonly ok: false; readonly line: number; readonly reason: string }

/** Base64 of SHA-256(0x00 ‖ the entry's UTF-8 bytes): link of the chain and leaf of the tree (RFC 6962). */
export type LeafHash = (entry: string) => string

export const ZERO_HASH = `${'A'.repeat(43)}=`
/** C2SP entry bundles hold lengths in 16 bits. */
export const MAX_ENTRY_BYTES = 60_000

const VERSION = 'baton-audit/v1'
export const AUTHS = ['tty', 'token', 'os-user', 'file', 'engine'] as const
export const SUBJECTS = [
  'handoff',
  'task',
  'agent',
  'artifact',
  'notice',
  'workspace',
  'record',
  'gate',
  'session',
  'run',
] as const

const ORIGIN = /^[A-Za-z0-9][A-Za-z0-9._~:/-]{0,254}$/
const ID = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}$/
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/
const FIELD = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/
const KEY_ID = /^[0-9a-f]{8,64}$/
const DIGEST = /^[A-Za-z0-9_-]{43}$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const SEQ = /^(?:0|[1-9]\d{0,18})$/
/** 32 bytes in base64; the last letter carries four bits, so only sixteen of them are canonical. */
const HASH = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

const RECORD_FIELDS = new Set([
  'act',
  'actor',
  'auth',
  'cp',
  'field',
  'from',
  'h',
  'idem',
  'reason',
  'sd',
  'seal',
  'sub',
  'to',
  'ts',
  'v',
])
const ACTOR_FIELDS = new Set(['id', 'kid'])
const SUBJECT_FIELDS = new Set(['id', 'k', 'rev'])
const HEAD_FIELDS = new Set(['root', 'size'])
const SEAL_FIELDS = new Set(['n', 'root'])

/**
 * Names the first field that may not stand in the log: it is unknown, missing, or could hold free text. The
 * empty string means that it is not a record at all; undefined, that all of it may stand.
 */
export function checkRecord(record: unknown): string | undefined {
  if (!isObject(record)) return ''
  const { act, actor, auth, cp, field, from, h, idem, reason, sd, seal, sub, to, ts, v } = record
  if (!matches(act, FIELD)) return 'act'
  if (!isObject(actor)) return 'actor'
  if (!matches(actor.id, NAME)) return 'actor.id'
  if (actor.kid !== undefined && !matches(actor.kid, KEY_ID)) return 'actor.kid'
  if (!AUTHS.some((known) => known === auth)) return 'auth'
  if (field !== undefined && !matches(field, FIELD)) return 'field'
  if (from !== undefined && !matches(from, NAME)) return 'from'
  if (h !== undefined && !isDigests(h)) return 'h'
  if (idem !== undefined && !matches(idem, ID)) return 'idem'
  if (reason !== undefined && !matches(reason, NAME)) return 'reason'
  if (!isObject(sub)) return 'sub'
  if (!matches(sub.id, ID)) return 'sub.id'
  if (!SUBJECTS.some((known) => known === sub.k)) return 'sub.k'
  if (!isCount(sub.rev)) return 'sub.rev'
  if (to !== undefined && !matches(to, NAME)) return 'to'
  if (!matches(ts, INSTANT)) return 'ts'
  if (v !== 1) return 'v'
  return (
    unknownField(record, RECORD_FIELDS, '') ??
    unknownField(actor, ACTOR_FIELDS, 'actor.') ??
    unknownField(sub, SUBJECT_FIELDS, 'sub.') ??
    (sd === undefined ? undefined : wrongDigest(sd)) ??
    wrongHead(cp, 'cp', 'size', HEAD_FIELDS) ??
    wrongHead(seal, 'seal', 'n', SEAL_FIELDS)
  )
}

/**
 * The text whose bytes are hashed: five lines and the canonical record. Throws a TypeError rather than make
 * one that `decodeEntry` would refuse or that holds free text.
 */
export function encodeEntry({ origin, stream, seq, prev, record }: Entry): string {
  if (!ORIGIN.test(origin)) throw new TypeError('an entry needs an origin without spaces')
  if (!ID.test(stream)) throw new TypeError('an entry needs the id of a stream')
  if (!isCount(seq)) throw new TypeError('an entry needs a position')
  if (!isLink(seq, prev)) throw new TypeError('an entry needs the hash of the one before')
  const wrong = checkRecord(record)
  if (wrong !== undefined) throw new TypeError(`the log does not take ${wrong || 'this record'}`)
  const entry = `${VERSION}\n${origin}\n${stream}\n${seq}\n${prev}\n${writeRecord(record)}`
  if (isTooLarge(entry)) throw new TypeError(`an entry has at most ${MAX_ENTRY_BYTES} bytes`)
  return entry
}

/** Reads an entry that is byte for byte in its one form; of any other it tells the line (1 to 6) and why. */
export function decodeEntry(entry: string): Decoded {
  const lines: string[] = []
  let start = 0
  for (let line = 1; line <= 5; line += 1) {
    const end = entry.indexOf('\n', start)
    if (end === -1) return refuseLine(line, 'is the last one')
    lines.push(entry.slice(start, end))
    start = end + 1
  }
  // The loop has put five there.
  const [version, origin, stream, position, prev] = lines as [string, string, string, string, string]
  const seq = SEQ.test(position) ? Number(position) : Number.NaN
  if (version !== VERSION) return refuseLine(1, `is not ${VERSION}`)
  if (!ORIGIN.test(origin)) return refuseLine(2, 'is not an origin')
  if (!ID.test(stream)) return refuseLine(3, 'is not the id of a stream')
  if (!isCount(seq)) return refuseLine(4, 'is not a position')
  if (!isLink(seq, prev)) return refuseLine(5, 'is not a hash that can stand here')
  if (isTooLarge(entry)) return refuseLine(6, 'is too long')
  const record = parseCanonical(entry.slice(start))
  if (!record) return refuseLine(6, 'is not a canonical JSON object')
  return { ok: true, origin, stream, seq, prev, record }
}

/** The record of an entry that Baton wrote and keeps, unchecked: `decodeEntry` judges the text of others. */
export function recordIn({ body }: { readonly body: string }): AuditRecord {
  return JSON.parse(body.slice(body.lastIndexOf('\n') + 1))
}

function refuseLine(line: number, reason: string): Decoded {
  return { ok: false, line, reason: `line ${line} ${reason}` }
}

function parseCanonical(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) && canonicalJson(value) === json ? value : undefined
  } catch {
    // Broken JSON, or JSON that has no canonical form.
    return undefined
  }
}

const isDigests = (value: unknown): boolean =>
  Array.isArray(value) && value.every((digest) => matches(digest, DIGEST))

function isLink(seq: number, prev: string): boolean {
  return seq === 0 ? prev === ZERO_HASH : prev !== ZERO_HASH && HASH.test(prev)
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTooLarge(entry: string): boolean {
  // No UTF-16 unit takes more than three bytes.
  return entry.length * 3 > MAX_ENTRY_BYTES && new TextEncoder().encode(entry).length > MAX_ENTRY_BYTES
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}

function unknownField(object: Readonly<Record<string, unknown>>, known: ReadonlySet<string>, path: string) {
  for (const name of Object.keys(object)) if (!known.has(name)) return `${path}${name}`
  return undefined
}

/** A count and a hash, both or neither. */
function wrongHead(head: unknown, name: string, count: string, fields: ReadonlySet<string>) {
  if (head === undefined) return undefined
  if (!isObject(head)) return name
  if (!isCount(head[count])) return `${name}.${count}`
  if (!matches(head.root, HASH)) return `${name}.root`
  return unknownField(head, fields, `${name}.`)
}

function wrongDigest(sd: unknown): string | undefined {
  if (!isObject(sd)) return 'sd'
  for (const name of Object.keys(sd)) {
    if (!FIELD.test(name) || !matches(sd[name], DIGEST)) return `sd.${name}`
  }
  return undefined
}

/**
 * The canonical JSON of a record that passed `checkRecord`. Nothing in it needs escaping, so it is put
 * together in a quarter of the time that `canonicalJson` takes.
 */
function writeRecord(record: AuditRecord): string {
  const { act, actor, auth, cp, field, from, h, idem, reason, sd, seal, sub, to, ts } = record
  let json = `{"act":"${act}","actor":{"id":"${actor.id}"`
  if (actor.kid !== undefined) json += `,"kid":"${actor.kid}"`
  json += `},"auth":"${auth}"`
  if (cp !== undefined) json += `,"cp":{"root":"${cp.root}","size":${String(cp.size)}}`
  if (field !== undefined) json += `,"field":"${field}"`
  if (from !== undefined) json += `,"from":"${from}"`
  if (h !== undefined) json += `,"h":${canonicalJson(h)}`
  if (idem !== undefined) json += `,"idem":"${idem}"`
  if (reason !== undefined) json += `,"reason":"${reason}"`
  if (sd !== undefined) json += `,"sd":${canonicalJson(sd)}`
  if (seal !== undefined) json += `,"seal":{"n":${String(seal.n)},"root":"${seal.root}"}`
  json += `,"sub":{"id":"${sub.id}","k":"${sub.k}","rev":${String(sub.rev)}}`
  if (to !== undefined) json += `,"to":"${to}"`
  return `${json},"ts":"${ts}","v":1}`
}
