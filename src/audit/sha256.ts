import type { Sha256 } from './merkle.ts'

const INITIAL = fractions(8, Math.sqrt)
const K = fractions(64, Math.cbrt)
const BLOCK_BYTES = 64
export const HASH_BYTES = 32
/** One bit and the length in 64 bits come after the message. */
const LEAST_PADDING = 9

/**
 * SHA-256 (FIPS 180-4) in plain code, for runtimes without a synchronous one: a browser's own takes a
 * promise for each of a million hashes.
 */
export const plainSha256: Sha256 = (...parts) => {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const padded = new Uint8Array(Math.ceil((size + LEAST_PADDING) / BLOCK_BYTES) * BLOCK_BYTES)
  let at = 0
  for (const part of parts) {
    padded.set(part, at)
    at += part.length
  }
  padded[size] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor((size * 8) / 2 ** 32))
  view.setUint32(padded.length - 4, (size * 8) >>> 0)
  const state = Int32Array.from(INITIAL)
  const words = new Int32Array(64)
  for (let block = 0; block < padded.length; block += BLOCK_BYTES) compress(state, words, view, block)
  const hash = new Uint8Array(HASH_BYTES)
  const output = new DataView(hash.buffer)
  state.forEach((word, i) => {
    output.setInt32(i * 4, word)
  })
  return hash
}

/** The names are those of the standard. */
function compress(state: Int32Array, w: Int32Array, view: DataView, block: number): void {
  for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(block + i * 4)
  for (let i = 16; i < 64; i += 1) {
    const [x, y] = [w[i - 15]!, w[i - 2]!]
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i += 1) state[i] = (state[i]! + added[i]!) | 0
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** The first 32 bits of the fractions of the roots of the first primes. */
function fractions(most: number, root: (prime: number) => number): Int32Array {
  const words = new Int32Array(most)
  let count = 0
  for (let n = 2; count < most; n += 1) {
    let isPrime = true
    for (let d = 2; d * d <= n; d += 1) if (n % d === 0) isPrime = false
    if (!isPrime) continue
    words[count] = ((root(n) % 1) * 2 ** 32) | 0
    count += 1
  }
  return words
}
