import { HASH_BYTES } from '../sha256.ts'
import { isBase64Of } from './coded.ts'
import { ownCopy, utf8 } from './files.ts'
import { type GoodEntry, readEntry } from './read-entry.ts'
import { amount, type LevelReport, Tally } from './report.ts'

/**
 * L0: every entry is in its one form, and in each stream follows the one before it. What it keeps grows with the
 * number of streams, not of entries: position and hash of each stream's last entry, in flat arrays.
 */
export class ChainCheck {
  readonly #findings = new Tally()
  readonly #slots = new Map<string, number>()
  #heads = new Uint8Array(1_024 * HASH_BYTES)
  #positions = new Float64Array(1_024)
  #entries = 0
  /** The log's name, the very text that the reader gives: two are compared letter by letter, one is not. */
  #origin: string | undefined

  /** The entry as read, or undefined where it is not one. Its leaf hash was made from the same bytes. */
  check(index: number, bytes: Uint8Array, leaf: Uint8Array, origin: string): GoodEntry | undefined {
    this.#entries += 1
    const text = utf8(bytes)
    const entry = text === undefined ? undefined : readEntry(text)
    if (!entry?.ok) {
      this.#findings.bad(`entry ${index}`, entry?.reason ?? 'it is not UTF-8', index)
      return undefined
    }
    if (entry.origin !== this.#origin) {
      if (entry.origin === origin) this.#origin = entry.origin
      else this.#bad(index, entry, `it is of another log, ${entry.origin}`)
    }
    this.#follow(index, entry, leaf)
    return entry
  }

  report(isWhole: boolean): LevelReport {
    const { counts } = this.#findings
    counts.entries = this.#entries
    counts.chains = this.#slots.size
    const summary = `${amount(this.#entries, 'entry', 'entries')} in ${amount(this.#slots.size, 'chain')}, each entry follows the one before it`
    return this.#findings.report('L0', isWhole ? 'ok' : 'unverifiable', summary)
  }

  #follow(index: number, entry: GoodEntry, leaf: Uint8Array): void {
    let slot = this.#slots.get(entry.stream)
    if (slot === undefined) {
      slot = this.#newSlot(entry.stream)
      if (entry.seq !== 0) this.#bad(index, entry, `the stream begins with number ${entry.seq}`)
    } else {
      const expected = this.#positions[slot]! + 1
      if (entry.seq !== expected)
        this.#bad(index, entry, `it says that it is number ${entry.seq}, and ${expected} is next`)
      else if (!isBase64Of(entry.prev, this.#heads, slot * HASH_BYTES))
        this.#bad(index, entry, 'it does not follow the entry before it')
    }
    this.#positions[slot] = entry.seq
    this.#heads.set(leaf, slot * HASH_BYTES)
  }

  #newSlot(stream: string): number {
    const slot = this.#slots.size
    this.#slots.set(ownCopy(stream), slot)
    if (slot === this.#positions.length) {
      this.#heads = larger(this.#heads, new Uint8Array(this.#heads.length * 2))
      this.#positions = larger(this.#positions, new Float64Array(slot * 2))
    }
    return slot
  }

  #bad(index: number, { stream, seq }: GoodEntry, reason: string): void {
    this.#findings.bad(entryPlace(index, stream, seq), reason, index)
  }
}

export const entryPlace = (index: number, stream: string, seq: number): string =>
  `entry ${index} (number ${seq} of stream ${stream})`

function larger<T extends Uint8Array | Float64Array>(from: T, to: T): T {
  to.set(from)
  return to
}
