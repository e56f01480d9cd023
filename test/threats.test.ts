import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { proofs, THREATS } from '../scripts/threats.ts'

describe('the table of threats', () => {
  it('has every threat from T1 on, each with what holds', () => {
    assert.deepEqual(
      Object.keys(THREATS),
      Array.from({ length: 25 }, (_, i) => `T${i + 1}`),
    )
  })

  it('has no row without a test', () => {
    const proven = new Set(proofs().flatMap(({ ids }) => ids))

    assert.deepEqual(
      Object.keys(THREATS).filter((id) => !proven.has(id)),
      [],
    )
  })

  it('is cited only by ids that it has', () => {
    const wrong = proofs().filter(({ ids }) => ids.some((id) => !(id in THREATS)))

    assert.deepEqual(wrong, [])
  })
})
