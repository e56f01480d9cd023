import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fillRandom, sha256 } from './crypto.ts'

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 9_000, size: 'max' }))

// The first few dozen calls of a process go another way, and these are they.
describe('random bytes and hashes', () => {
  it('fill the whole pool, and never alike', () => {
    const pools = Array.from({ length: 20 }, () => Buffer.alloc(4_096))
    for (const pool of pools) fillRandom(pool)

    assert.equal(new Set(pools.map((pool) => pool.toString('hex'))).size, pools.length)
    for (const pool of pools) assert.ok(pool.subarray(-32).some((byte) => byte !== 0))
  })

  it('are those of Node, in short and long texts, at first and later', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('hex', 'base64', 'base64url'), (value, encoding) => {
        assert.equal(sha256(value, encoding), hash('sha256', value, encoding))
      }),
      { numRuns: 300 },
    )
    assert.equal(sha256('\ud800', 'hex'), hash('sha256', '\ud800'))
  })
})
