import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHandoff } from '../../../test/support/store/builders.ts'
import type { Handoff } from '../handoffs/handoff.ts'
import { type Chosen, choiceOf, gateTypeOf, shutGates, shutReason } from './gate.ts'

const WORK = 'work'
const gate = (uid: string, state: Handoff['state'], more: Partial<NonNullable<Handoff['gate']>> = {}) =>
  aHandoff({ uid, id: uid, type: 'gate', state, gate: { type: 'blocking', guards: WORK, ...more } })

const shut = (...gates: readonly Handoff[]) => shutGates(gates, WORK).map(({ uid }) => uid)

describe('a gate', () => {
  it('[S4-69] is blocking unless it is plainly something else', () => {
    const types = ['blocking', ' Advisory', 'AUTO', 'soft', 'non-blocking', '', undefined].map(gateTypeOf)

    assert.deepEqual(types, ['blocking', 'advisory', 'auto', 'blocking', 'blocking', 'blocking', 'blocking'])
  })

  it('is shut in every state in which nobody has opened it, for each name by itself', () => {
    const states = [
      'draft',
      'offered',
      'needs_input',
      'completed',
      'rejected',
      'expired',
      'cancelled',
    ] as const

    assert.deepEqual(
      states.map((state) => shut(gate('g', state)).length),
      [0, 1, 1, 0, 1, 1, 0],
    )
    assert.deepEqual(shut(gate('g1', 'rejected'), gate('g2', 'completed')), [])
    assert.deepEqual(shut(gate('g1', 'completed'), gate('g2', 'rejected')), ['g2'])
    assert.deepEqual(shut(gate('g2', 'completed'), gate('g1', 'rejected')), [])
    assert.deepEqual(shut(gate('g1', 'rejected'), gate('g2', 'cancelled')), ['g1'])
    assert.deepEqual(shut(gate('g1', 'needs_input'), gate('g2', 'completed')), ['g1'])
    assert.deepEqual(shut(gate('g1', 'rejected', { name: 'a' }), gate('g2', 'completed', { name: 'b' })), [
      'g1',
    ])
  })

  it('[S4-63] that a person did not open is not opened by checks that its sender chose', () => {
    for (const state of ['rejected', 'expired'] as const)
      assert.deepEqual(shut(gate('g1', state), gate('g2', 'completed', { type: 'auto' })), ['g1'])
    assert.deepEqual(
      shut(gate('g1', 'rejected'), gate('g2', 'completed'), gate('g3', 'completed', { type: 'auto' })),
      [],
    )
    assert.deepEqual(shut(gate('g1', 'completed', { type: 'auto' })), [])
  })

  it('holds up only the work it was asked for, and nothing where it advises', () => {
    assert.deepEqual(shut(gate('g', 'needs_input', { guards: 'other' })), [])
    assert.deepEqual(shut(gate('g', 'needs_input', { type: 'advisory' })), [])
    assert.deepEqual(shut(aHandoff({ uid: 'h', state: 'needs_input' })), [])
  })

  it('says whom it waits for, or what to do', () => {
    const waiting = { ...gate('G1', 'needs_input', { name: 'scope' }), waiting_for: 'maria' }

    assert.equal(shutReason(waiting), 'the gate scope (G1) waits for maria')
    assert.equal(
      shutReason(gate('G2', 'expired')),
      'the gate G2 has expired; correct the work and send the gate again',
    )
  })
})

describe('an answer', () => {
  const said = (type: Handoff['type'], options: Record<string, string> | undefined, text: string) => {
    const chosen: Chosen = choiceOf(aHandoff({ type }), options, text)
    return chosen.ok ? chosen.choice : chosen.code
  }

  it('[S4-65] to a gate is approve, reject or question, and none of its labels or other options', () => {
    const options = { approve: 'Go on', A: 'fast' }

    assert.deepEqual(
      ['approve', 'REJECT', ' Question ', 'Go on', 'A', 'yes', ''].map((text) => said('gate', options, text)),
      ['approve', 'reject', 'question', 'invalid_input', 'invalid_input', 'invalid_input', 'invalid_input'],
    )
  })

  it('to an escalation with options is one of these, in the spelling of its sender', () => {
    const options = { 'Option B': 'robust', A: 'fast', reject: 'neither' }

    assert.deepEqual(
      ['option b', 'a', 'reject', 'question', 'approve'].map((text) => said('escalation', options, text)),
      ['Option B', 'A', 'reject', 'question', 'invalid_input'],
    )
    assert.equal(said('escalation', undefined, 'approve'), 'approve')
    assert.equal(said('escalation', { constructor: 'x' } as never, 'constructor'), 'constructor')
    assert.equal(said('escalation', { A: 'x' }, 'constructor'), 'invalid_input')
  })
})
