import { MAX_ENTRY_BYTES } from '../entry.ts'
import { TILE_WIDTH, utf8 } from './files.ts'

const LENGTH_BYTES = 2
const SPACE = 32
/** No honest bundle is larger. */
export const MOST_BUNDLE_BYTES = TILE_WIDTH * (LENGTH_BYTES + MAX_ENTRY_BYTES)

/** A C2SP entry bundle: each entry with its length in 16 bits, high byte first, before it. */
export function printBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, entry) => sum + LENGTH_BYTES + entry.length, 0))
  let at = 0
  for (const entry of entries) {
    bundle[at] = entry.length >> 8
    bundle[at + 1] = entry.length & 0xff
    bundle.set(entry, at + LENGTH_BYTES)
    at += LENGTH_BYTES + entry.length
  }
  return bundle
}

/** The entries of a bundle, as views of it. Ends early at one that is cut off: whoever asks knows how many there are. */
export function readBundle(bundle: Uint8Array): { readonly entries: Uint8Array[]; readonly rest: number } {
  const entries: Uint8Array[] = []
  let at = 0
  while (at + LENGTH_BYTES <= bundle.length) {
    const start = at + LENGTH_BYTES
    // The loop has made sure of both bytes.
    const end = start + ((bundle[at]! << 8) | bundle[at + 1]!)
    if (end > bundle.length) break
    entries.push(bundle.subarray(start, end))
    at = end
  }
  return { entries, rest: bundle.length - at }
}

/**
 * The texts of a bundle's entries, decoded all at once: one by one takes ten times as long. Only where all of them
 * are plain ASCII, as ours are; undefined otherwise.
 */
export function textsOf(bundle: Uint8Array, entries: readonly Uint8Array[]): readonly string[] | undefined {
  const copy = Uint8Array.from(bundle)
  for (const entry of entries) {
    const start = entry.byteOffset - bundle.byteOffset
    // A length is no text.
    copy.fill(SPACE, start - LENGTH_BYTES, start)
  }
  for (let i = 0; i < copy.length; i += 1) if (copy[i]! > 127) return undefined
  const text = utf8(copy) ?? ''
  return entries.map((entry) => {
    const start = entry.byteOffset - bundle.byteOffset
    return text.slice(start, start + entry.length)
  })
}
