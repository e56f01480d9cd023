import { hash, randomFillSync } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { plainSha256 } from '../audit/sha256.ts'

/** One command makes fewer calls than this; to load node:crypto would take longer than the command itself. */
const PLAIN_CALLS = 64
const PLAIN_LENGTH = 4_096
let calls = 0

/** SHA-256 of a text: the first few and short ones in plain code, then as Node has it. */
export function sha256(text: string, encoding: 'hex' | 'base64' | 'base64url'): string {
  calls += 1
  if (calls > PLAIN_CALLS || text.length > PLAIN_LENGTH) return hash('sha256', text, encoding)
  return Buffer.from(plainSha256(Buffer.from(text))).toString(encoding)
}

/** Fills a pool from the system's own generator of random bytes, which is what Node's is fed by. */
export function fillRandom(pool: Buffer): void {
  calls += 1
  if (calls > PLAIN_CALLS || !fromKernel(pool)) randomFillSync(pool)
}

function fromKernel(pool: Buffer): boolean {
  let descriptor: number
  try {
    descriptor = openSync('/dev/urandom', 'r')
  } catch {
    return false
  }
  try {
    return readSync(descriptor, pool) === pool.length
  } finally {
    closeSync(descriptor)
  }
}

const SALT_BYTES = 16
const pool = Buffer.alloc(SALT_BYTES * 256)
let next = pool.length

/** 128 random bits; taken from a pool because one call of the generator per salt costs more than the hash. */
export function salt(): string {
  if (next >= pool.length) {
    fillRandom(pool)
    next = 0
  }
  const text = pool.toString('base64url', next, next + SALT_BYTES)
  next += SALT_BYTES
  return text
}
