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
    counter = pool.readUInt16BE(freshOffset()) & 0x7ff
  } else if (++counter > 0xfff) {
    lastMs++
    counter = 0
  }
  const from = freshOffset()
  const random = pool.toString('hex', from, from + RANDOM_BYTES)
  const time = lastMs.toString(16).padStart(12, '0')
  const variant = ((Number.parseInt(random.slice(0, 1), 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`
}

/**
 * The key of something that is older than its key: sorts by its own time, and among those of one time by when each key
 * was made, which is what most of the random bits give way to.
 */
export function agedUid(uid: string, atMs: number): string {
  const [time, count, random] = [uid.slice(0, 8) + uid.slice(9, 13), uid.slice(15, 18), uid.slice(-3)]
  const own = Math.max(0, Math.trunc(atMs)).toString(16).padStart(12, '0')
  const aged = `${own.slice(0, 8)}-${own.slice(8)}-7${time.slice(0, 3)}-8${time.slice(3, 6)}-${time.slice(6)}${count}${random}`
  return aged < uid ? aged : uid
}

/** The offset of random bytes that nobody has had. */
function freshOffset(): number {
  if (next >= pool.length) {
    fillRandom(pool)
    next = 0
  }
  next += RANDOM_BYTES
  return next - RANDOM_BYTES
}
