import { fillRandom } from '../crypto/crypto.ts'

const RANDOM_BYTES = 8
const pool = Buffer.alloc(RANDOM_BYTES * 512)
let next = pool.length
let lastMs = 0
let counter = 0

/**
 * A UUIDv7: sorts by time, also within a millisecond of one process (twelve bits count there), so that a key
 * made later is a greater key.
 */
export function uuid7(nowMs: number = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs
    counter = randomBits() & 0x7ff
  } else if (++counter > 0xfff) {
    lastMs++
    counter = 0
  }
  if (next >= pool.length) refill()
  const random = pool.toString('hex', next, next + RANDOM_BYTES)
  next += RANDOM_BYTES
  const time = lastMs.toString(16).padStart(12, '0')
  const variant = ((Number.parseInt(random.slice(0, 1), 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`
}

function randomBits(): number {
  if (next >= pool.length) refill()
  const bits = pool.readUInt16BE(next)
  next += RANDOM_BYTES
  return bits
}

function refill(): void {
  fillRandom(pool)
  next = 0
}
