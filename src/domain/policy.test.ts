import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anAgent } from '../../test/support/store/builders.ts'
import { DEFAULT_POLICY, hasLimit, hasRole, kindOf, limitsOf, mayRoute, type Policy } from './policy.ts'

const policy = (given: Partial<Policy>): Policy => ({ ...DEFAULT_POLICY, ...given })

describe('the rules of a workspace without a file', () => {
  it('[S0-107] have perplexity verify, grok as chief and chains of 16', () => {
    assert.deepEqual(DEFAULT_POLICY, {
      defaultLimits: {},
      verifiers: ['perplexity'],
      chief: 'grok',
      deadlines: {},
      depthLimit: 16,
    })
  })
})

describe('the limits of an agent', () => {
  it('[S0-55] are its own, else the list, else the table of document 000, else the default', () => {
    const rules = policy({
      agents: { grok: { limits: { outgoing: 7, incoming: 7 } } },
      defaultLimits: { outgoing: 9 },
    })
    const own = anAgent('grok', { limits: { outgoing: 1, incoming: 2 } })

    assert.deepEqual(limitsOf(rules, 'grok', own), { outgoing: 1, incoming: 2 })
    assert.deepEqual(limitsOf(rules, 'grok', anAgent('grok')), { outgoing: 7, incoming: 7 })
    assert.deepEqual(limitsOf(rules, 'claude'), { outgoing: 5, incoming: 10 })
    assert.deepEqual(limitsOf(rules, 'codex'), { outgoing: 9, incoming: undefined })
  })

  it('[S0-55] are set one side at a time: the other stays what it was', () => {
    const listed = policy({ agents: { grok: { limits: { outgoing: 20 } } } })

    assert.deepEqual(limitsOf(listed, 'grok'), { outgoing: 20, incoming: 5 })
    assert.deepEqual(limitsOf(listed, 'grok', anAgent('grok', { limits: { incoming: 0 } })), {
      outgoing: 20,
      incoming: 0,
    })
  })

  it('are there when either side has one', () => {
    assert.deepEqual([{}, { outgoing: 0 }, { incoming: 3 }, { outgoing: undefined }].map(hasLimit), [
      false,
      true,
      true,
      false,
    ])
  })
})

describe('the kind and the roles of an agent', () => {
  const rules = policy({ agents: { codex: { kind: 'specialist', roles: ['pm'] }, paul: { kind: 'human' } } })

  it('are what its row says, else the list, else agent, and human for the word itself', () => {
    assert.equal(kindOf(rules, 'codex', anAgent('codex', { kind: 'pool' })), 'pool')
    assert.equal(kindOf(rules, 'codex'), 'specialist')
    assert.equal(kindOf(rules, 'gemini'), 'agent')
    assert.equal(kindOf(rules, 'human'), 'human')
  })

  it('are roles of either the row or the list', () => {
    assert.equal(hasRole(rules, 'pm', 'codex'), true)
    assert.equal(hasRole(rules, 'chief', 'codex', anAgent('codex', { roles: ['chief'] })), true)
    assert.equal(hasRole(rules, 'verifier', 'codex', anAgent('codex')), false)
  })
})

describe('the routes', () => {
  const rules = policy({
    routes: [
      { from: 'planner', to: ['codex', 'gemini'] },
      { from: '*', to: ['human'] },
      { from: 'chief', to: ['*'] },
    ],
  })

  it('allow everything where none are listed, and nothing else where some are', () => {
    assert.equal(mayRoute(DEFAULT_POLICY, 'anyone', 'anybody'), true)
    assert.equal(mayRoute(policy({ routes: [] }), 'planner', 'codex'), false)
    assert.equal(mayRoute(rules, 'planner', 'codex'), true)
    assert.equal(mayRoute(rules, 'codex', 'planner'), false)
  })

  it('let a star stand for everyone, on either side', () => {
    assert.equal(mayRoute(rules, 'codex', 'human'), true)
    assert.equal(mayRoute(rules, 'chief', 'anybody'), true)
    assert.equal(mayRoute(rules, 'planner', 'abacus'), false)
  })
})
