import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isOpen } from './lifecycle.ts'
import { type AgentLimits, checkLimits, DEFAULT_LIMITS } from './limits.ts'

const count = fc.nat({ max: 30 })
const limits = fc.record(
  { outgoing: fc.nat({ max: 20 }), incoming: fc.nat({ max: 20 }) },
  { requiredKeys: [] },
)

describe('the limits that agents have by default', () => {
  it('[S0-43] lets grok have 10 outgoing and 5 incoming', () => {
    assert.deepEqual(DEFAULT_LIMITS.grok, { outgoing: 10, incoming: 5 })
  })

  it('[S0-44] [S0-45] [S0-47] lets claude, abacus and gemini have 5 outgoing and 10 incoming', () => {
    for (const name of ['claude', 'abacus', 'gemini']) {
      assert.deepEqual(DEFAULT_LIMITS[name], { outgoing: 5, incoming: 10 })
    }
  })

  it('[S0-46] lets perplexity have 3 outgoing and 15 incoming', () => {
    assert.deepEqual(DEFAULT_LIMITS.perplexity, { outgoing: 3, incoming: 15 })
  })

  it('[S0-55] names five agents and nothing that an object brings along', () => {
    assert.deepEqual(Object.keys(DEFAULT_LIMITS), ['grok', 'claude', 'abacus', 'perplexity', 'gemini'])
    for (const name of ['constructor', 'toString', 'codex']) assert.equal(DEFAULT_LIMITS[name], undefined)
  })

  it('[S0-55] cannot be changed by whoever reads them', () => {
    const table = DEFAULT_LIMITS as Record<string, AgentLimits>

    assert.throws(() => {
      table.grok = { outgoing: 99 }
    }, TypeError)
  })
})

describe('checkLimits', () => {
  const check = { from: 'grok', to: 'claude', outgoing: 0, incoming: 0 }
  const both = { from: { outgoing: 10, incoming: 5 }, to: { outgoing: 5, incoming: 10 } }

  it('[S0-48] lets grok send the tenth and refuses the eleventh', () => {
    assert.deepEqual(checkLimits({ ...check, outgoing: 9, limits: both }), { ok: true })
    assert.equal(checkLimits({ ...check, outgoing: 10, limits: both }).ok, false)
    assert.equal(checkLimits({ ...check, outgoing: 11, limits: both }).ok, false)
  })

  it('[S0-50] names the sender, its count and its limit in the words of the document', () => {
    assert.deepEqual(checkLimits({ ...check, outgoing: 10, limits: both }), {
      ok: false,
      code: 'limit_exceeded',
      message: 'grok has 10 active outgoing handoffs (max: 10)',
      details: { agent: 'grok', side: 'outgoing', count: 10, limit: 10 },
    })
  })

  it('[S0-51] names the receiver, its count and its limit in the words of the document', () => {
    assert.deepEqual(checkLimits({ ...check, incoming: 12, limits: both }), {
      ok: false,
      code: 'limit_exceeded',
      message: 'claude has 12 active incoming handoffs (max: 10)',
      details: { agent: 'claude', side: 'incoming', count: 12, limit: 10 },
    })
  })

  it('[S0-49] tells of the sender when both sides are full', () => {
    const decision = checkLimits({ ...check, outgoing: 10, incoming: 10, limits: both })

    assert.equal(decision.ok === false && decision.message, 'grok has 10 active outgoing handoffs (max: 10)')
  })

  it('[S0-52] is about drafts, offered and accepted handoffs, and not about ended ones', () => {
    const counted = (['draft', 'offered', 'accepted', 'completed', 'expired', 'rejected'] as const).filter(
      isOpen,
    )

    assert.deepEqual(counted, ['draft', 'offered', 'accepted'])
  })

  it('judges the counts it is given and no other side of either agent', () => {
    const decision = checkLimits({
      ...check,
      outgoing: 7,
      incoming: 7,
      limits: { from: { outgoing: 8, incoming: 1 }, to: { outgoing: 1, incoming: 8 } },
    })

    assert.deepEqual(decision, { ok: true })
  })

  it('[S0-55] has no limit for an agent that nobody gave one', () => {
    assert.deepEqual(checkLimits({ ...check, outgoing: 1e6, incoming: 1e6, limits: {} }), { ok: true })
    assert.deepEqual(checkLimits({ ...check, outgoing: 1e6, incoming: 1e6, limits: { from: {}, to: {} } }), {
      ok: true,
    })
  })

  it('[S0-55] lets a limit of 0 refuse the first', () => {
    assert.equal(checkLimits({ ...check, limits: { from: { outgoing: 0 } } }).ok, false)
  })

  it('[S0-48] [S0-49] refuses exactly when a side has reached its limit', () => {
    fc.assert(
      fc.property(count, count, limits, limits, (outgoing, incoming, from, to) => {
        const decision = checkLimits({ from: 'a', to: 'b', outgoing, incoming, limits: { from, to } })

        const out = from.outgoing !== undefined && outgoing >= from.outgoing
        const into = to.incoming !== undefined && incoming >= to.incoming
        assert.equal(decision.ok, !out && !into)
        if (!decision.ok) assert.equal(decision.details?.side, out ? 'outgoing' : 'incoming')
      }),
    )
  })
})
