import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { aHandoff } from '../../../test/support/store/builders.ts'
import { checkCycle, checkDepth, placeBelow } from './chain.ts'

describe('the place of a new handoff', () => {
  it('is its own root where nothing led to it', () => {
    assert.deepEqual(placeBelow('new'), { root: 'new', depth: 0 })
  })

  it('is one below its parent, under the root of the parent', () => {
    const parent = aHandoff({ uid: 'parent', root: 'first', depth: 4 })

    assert.deepEqual(placeBelow('new', parent), { root: 'first', parent: 'parent', depth: 5 })
  })
})

describe('the depth of a chain', () => {
  it('may reach its limit and not pass it', () => {
    assert.deepEqual(checkDepth({ root: 'first', depth: 16 }, 16), { ok: true })
    assert.deepEqual(checkDepth({ root: 'first', depth: 17 }, 16), {
      ok: false,
      code: 'limit_exceeded',
      message:
        'this would be handoff 18 in one chain (max: 17); finish or return the work instead of passing it on',
      details: { depth: 17, limit: 16 },
    })
  })
})

describe('the same work between the same two', () => {
  const before = aHandoff({ id: 'HO-2026-001', root: 'first', task: 'P1', sent_seq: 4 })
  const place = { root: 'first', parent: 'x', depth: 2 }

  it('is refused in one chain when nothing was added after it was sent', () => {
    assert.deepEqual(checkCycle(before, place, 4), {
      ok: false,
      code: 'conflict',
      message:
        'planner already handed P1 to codex (HO-2026-001) and nothing was added since; add a record, evidence or an answer first',
      details: { before: 'HO-2026-001', from: 'planner', to: 'codex', task: 'P1' },
    })
  })

  it('passes when something was added, in another chain, and the first time', () => {
    assert.deepEqual(checkCycle(before, place, 5), { ok: true })
    assert.deepEqual(checkCycle(before, { root: 'other', depth: 0 }, -1), { ok: true })
    assert.deepEqual(checkCycle(undefined, place, -1), { ok: true })
  })

  it('passes exactly when the log moved on after the sending', () => {
    const position = fc.integer({ min: -1, max: 50 })
    fc.assert(
      fc.property(position, position, (sent, progress) => {
        const decision = checkCycle(aHandoff({ root: 'first', sent_seq: sent }), place, progress)

        assert.equal(decision.ok, progress > sent)
      }),
    )
  })
})
