import { encoder } from '../base64.ts'
import type { Sha256 } from '../merkle.ts'
import { TILE_WIDTH } from '../tiles.ts'
import { entryPlace } from './chains.ts'
import { isBase64UrlOf } from './coded.ts'
import { byteLines, DISCLOSURES, type ExportFiles } from './files.ts'
import type { Digest, GoodEntry } from './read-entry.ts'
import { amount, type LevelReport, Tally } from './report.ts'

interface DisclosureLine {
  readonly number: number
  readonly entry: number
  readonly disclosure: Uint8Array
}

const BEGIN = encoder.encode('{"disclosure":"')
const MIDDLE = encoder.encode('","entry":')
const QUOTE = 34
const BRACE = 125
const ZERO = 48
/** As many as are exact. */
const MOST_DIGITS = 15
const BRACKET = 91
const NO_DISCLOSURES: readonly never[] = []
/** Letters of a salt: 22 hold 128 bits. */
const LEAST_SALT = 22
const MOST_SALT = 100
const VALUES = valuesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
/** The entries of a bundle have neither so many texts nor such long ones: more are there to fill our memory. */
const MOST_LINES = 200 * TILE_WIDTH
const MAX_DISCLOSED_BYTES = 512_000_000

/** A disclosure as it stands in the export: by rising entry, and within one by its letters. */
export const disclosureLine = (disclosure: string, entry: number): string =>
  `{"disclosure":"${disclosure}","entry":${entry}}\n`

/**
 * L5: every disclosure opens a digest of its entry, and a digest that none opens was redacted by a record. Walks
 * beside the entries; only missing ones are kept, until the record that redacts them comes by.
 */
export class DisclosureCheck {
  readonly #findings = new Tally()
  readonly #sha256: Sha256
  readonly #batches: AsyncIterator<readonly (Uint8Array | undefined)[]> | undefined
  readonly #missing = new Map<string, { readonly where: string; readonly entry: number }>()
  /** Lines that were read; those before `#at` have been used. */
  #lines: DisclosureLine[] = []
  #at = 0
  #last: DisclosureLine | undefined
  #bytes = 0
  #number = 0
  #isAtEnd: boolean
  #opened = 0
  #redacted = 0

  constructor(files: ExportFiles, sha256: Sha256) {
    this.#sha256 = sha256
    const chunks = files.chunks(DISCLOSURES)
    if (!chunks) this.#findings.bad(DISCLOSURES, 'it is missing')
    this.#batches = chunks && byteLines(chunks)[Symbol.asyncIterator]()
    this.#isAtEnd = !chunks
  }

  /** Reads on until all lines of the entries below `end` are there. */
  async prepare(end: number): Promise<void> {
    this.#lines = this.#lines.slice(this.#at)
    this.#at = 0
    this.#bytes = 0
    while (!this.#isAtEnd && (this.#lines.at(-1)?.entry ?? -1) < end) {
      const batch = await this.#batches?.next()
      if (!batch || batch.done) this.#isAtEnd = true
      else for (const line of batch.value) this.#take(line)
      if (this.#lines.length > MOST_LINES || this.#bytes > MAX_DISCLOSED_BYTES)
        this.#stop(this.#number, 'there are more of them than an entry can have')
    }
  }

  /** Answers what was opened: the disclosures that are the entry's own. */
  check(index: number, entry: GoodEntry): readonly Uint8Array[] {
    for (const digest of entry.redacts) if (this.#missing.delete(digest)) this.#redacted += 1
    if (entry.digests.length === 0 && this.#lines[this.#at]?.entry !== index) return NO_DISCLOSURES
    const { digests } = entry
    const opened: Uint8Array[] = []
    const isOpen: boolean[] = []
    for (let line = this.#lines[this.#at]; line?.entry === index; line = this.#lines[this.#at]) {
      this.#at += 1
      if (this.#open(index, line, digests, isOpen)) opened.push(line.disclosure)
    }
    for (let i = 0; i < digests.length; i += 1)
      if (!isOpen[i])
        this.#missing.set(digests[i]!.digest, {
          where: `${digests[i]!.name} of ${entryPlace(index, entry.stream, entry.seq)}`,
          entry: index,
        })
    return opened
  }

  async end(): Promise<void> {
    await this.prepare(Number.POSITIVE_INFINITY)
    for (const { number, entry } of this.#lines)
      this.#findings.bad(lineAt(number), `it belongs to entry ${entry}, which is not there`)
  }

  report(isWhole: boolean): LevelReport {
    const { counts } = this.#findings
    counts.disclosures = this.#opened
    counts.redacted = this.#redacted
    for (const [, { where, entry }] of this.#missing)
      this.#findings.bad(where, 'its text is missing, and no record says that it was redacted', entry)
    const redacted = this.#redacted === 0 ? '' : `, ${this.#redacted} redacted`
    const said = `${amount(this.#opened, 'text')} as written${redacted}`
    return this.#findings.report('L5', isWhole ? 'ok' : 'unverifiable', said)
  }

  /** Whether it opens one of the digests that is not open yet; marks it. */
  #open(
    index: number,
    { number, disclosure }: DisclosureLine,
    digests: readonly Digest[],
    isOpen: boolean[],
  ): boolean {
    const hash = this.#sha256(disclosure)
    let place = 0
    while (place < digests.length && (isOpen[place] || !isBase64UrlOf(digests[place]!.digest, hash)))
      place += 1
    const found = digests[place]
    if (!found) {
      this.#findings.bad(lineAt(number), `it opens no digest of entry ${index}`, index)
      return false
    }
    isOpen[place] = true
    if (!isNamed(disclosure, found.name)) {
      this.#findings.bad(lineAt(number), `it does not name the field ${found.name} of entry ${index}`, index)
      return false
    }
    this.#opened += 1
    return true
  }

  #take(bytes: Uint8Array | undefined): void {
    this.#number += 1
    const line = bytes && readLine(bytes, this.#number)
    if (this.#isAtEnd) return
    if (!line) this.#stop(this.#number, 'it is not a disclosure')
    else if (!isAfter(line, this.#last)) this.#stop(this.#number, 'it is not in its place')
    else {
      this.#lines.push(line)
      this.#bytes += line.disclosure.length
      this.#last = line
    }
  }

  /** Lines after a wrong one are not checked: the entry they belong to would be a guess. */
  #stop(line: number, reason: string): void {
    this.#findings.bad(lineAt(line), reason)
    this.#isAtEnd = true
  }
}

const lineAt = (number: number): string => `${DISCLOSURES} line ${number}`

function readLine(bytes: Uint8Array, number: number): DisclosureLine | undefined {
  const end = bytes.indexOf(QUOTE, BEGIN.length)
  const digits = end + MIDDLE.length
  const last = bytes.length - 1
  const isFramed = end > BEGIN.length && isAt(bytes, 0, BEGIN) && isAt(bytes, end, MIDDLE)
  if (!isFramed || bytes[last] !== BRACE || last === digits || last - digits > MOST_DIGITS) return undefined
  let entry = 0
  for (let at = digits; at < last; at += 1) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit > 9) return undefined
    entry = entry * 10 + digit
  }
  if (bytes[digits] === ZERO && last - digits > 1) return undefined
  return { number, entry, disclosure: bytes.subarray(BEGIN.length, end) }
}

/** By entry, and within one by its letters: there is one order, so that nothing can be moved unseen. */
function isAfter({ entry, disclosure }: DisclosureLine, before: DisclosureLine | undefined): boolean {
  if (!before || entry !== before.entry) return entry > (before?.entry ?? -1)
  const length = Math.min(disclosure.length, before.disclosure.length)
  for (let i = 0; i < length; i += 1) {
    const difference = disclosure[i]! - before.disclosure[i]!
    if (difference !== 0) return difference > 0
  }
  return disclosure.length > before.disclosure.length
}

function isAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i += 1) if (bytes[at + i] !== expected[i]) return false
  return true
}

/** Whether a disclosure begins with a salt of 128 bits or more and this name. Only so much of it is decoded. */
function isNamed(disclosure: Uint8Array, name: string): boolean {
  let at = 2
  if (byteAt(disclosure, 0) !== BRACKET || byteAt(disclosure, 1) !== QUOTE) return false
  while (at < MOST_SALT && VALUES[byteAt(disclosure, at)]! < 64) at += 1
  if (at - 2 < LEAST_SALT) return false
  const rest = `","${name}",`
  for (let i = 0; i < rest.length; i += 1) if (byteAt(disclosure, at + i) !== rest.charCodeAt(i)) return false
  return true
}

/** One decoded byte of base64url; 255 beyond its end or for an invalid letter. */
function byteAt(coded: Uint8Array, n: number): number {
  const letter = Math.floor(n / 3) * 4 + (n % 3)
  const high = VALUES[coded[letter] ?? 0]!
  const low = VALUES[coded[letter + 1] ?? 0]!
  if (high > 63 || low > 63) return 255
  const shift = (n % 3) * 2
  return ((high << (2 + shift)) | (low >> (4 - shift))) & 255
}

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(256).fill(255)
  for (let i = 0; i < alphabet.length; i += 1) values[alphabet.charCodeAt(i)] = i
  return values
}
