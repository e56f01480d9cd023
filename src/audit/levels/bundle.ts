import { MAX_ENTRY_BYTES } from '../entry.ts'
import { TILE_WIDTH } from '../tiles.ts'

const LENGTH_BYTES = 2
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
