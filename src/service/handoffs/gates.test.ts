import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  by,
  describeOnEngines,
  person,
  START,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'

const planner = by('planner')
const maria = person('maria')

const ask = async ({ service }: Workspace, more = {}) =>
  (
    await service.sending.send(planner, {
      to: 'maria',
      title: 'Specification',
      type: 'gate',
      validation_request: { items: ['The scope is right'] },
      ...more,
    })
  ).handoff

/** Maria is known as a person before anybody asks her. */
const withMaria =
  (openBare: Parameters<Parameters<typeof describeOnEngines>[1]>[0]): typeof openBare =>
  async (t, options) => {
    const w = await openBare(t, options)
    await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
    return w
  }

describeOnEngines('a gate', (openBare) => {
  const open = withMaria(openBare)

  it('waits for the person it is addressed to, for ever', async (t) => {
    const w = await open(t)

    const gate = await ask(w)
    w.clock.pass(365 * 24 * HOUR_MS)
    await w.service.settle()

    assert.deepEqual([gate.state, gate.need, gate.waiting_for], ['needs_input', 'gate', 'maria'])
    assert.equal(gate.ack_deadline, undefined)
    const { items } = await w.service.looking.inbox('maria', { limit: 5 })
    assert.deepEqual(
      items.map(({ id, state }) => `${id} ${state}`),
      ['HO-2026-001 needs_input'],
    )
  })

  it('opens when the person approves, and its sender is told', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w)

    const decided = await w.service.closing.decide(maria, uid, 'approve', 'ship it')

    assert.deepEqual([decided.state, decided.verified_by, decided.need], ['completed', 'maria', undefined])
    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(content.thread, [
      { kind: 'decision', by: 'maria', at: START, text: 'ship it', choice: 'approve' },
    ])
    const { notices } = await w.service.looking.inbox('planner', { limit: 5 })
    assert.deepEqual(
      notices.map(({ kind }) => kind),
      ['completed'],
    )
  })

  it('stays shut when the person rejects, with the reason', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w)

    const decided = await w.service.closing.decide(maria, uid, 'reject', 'too broad')

    assert.equal(decided.state, 'rejected')
    assert.deepEqual(decided.rejection, { type: 'gate', message: 'too broad', by: 'maria', at: START })
    const { notices } = await w.service.looking.inbox('planner', { limit: 5 })
    assert.deepEqual(
      notices.map(({ text }) => text),
      ['Handoff rejected: too broad'],
    )
  })

  it('[S4-64] goes to its sender with a question, back with the answer, and is then decided', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w)

    const asked = await w.service.closing.decide(maria, uid, 'question', 'Which users?')
    await assert.rejects(w.service.closing.decide(maria, uid, 'approve'), {
      code: 'wrong_state',
      message: 'HO-2026-001 waits for planner to answer a question',
    })
    const answered = await w.service.receiving.answer(planner, uid, 'Only admins')
    const decided = await w.service.closing.decide(maria, uid, 'approve')

    assert.deepEqual(
      [asked.state, asked.need, asked.waiting_for],
      ['needs_input', 'clarification', 'planner'],
    )
    assert.deepEqual([answered.state, answered.need, answered.waiting_for], ['needs_input', 'gate', 'maria'])
    assert.equal(decided.state, 'completed')
    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(
      content.thread.map(({ kind, by: who, text }) => `${who} ${kind} ${text}`),
      ['maria question Which users?', 'planner answer Only admins', 'maria decision '],
    )
    const { notices } = await w.service.looking.inbox('maria', { limit: 5 }, true)
    assert.deepEqual(
      notices.map(({ text }) => text),
      ['planner answered about HO-2026-001: Only admins'],
    )
  })

  it('takes a question only with what is asked', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w)

    await assert.rejects(w.service.closing.decide(maria, uid, 'question'), { code: 'invalid_input' })
  })

  it('is answered by nobody before something was asked', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w)

    await assert.rejects(w.service.receiving.answer(planner, uid, 'It is fine'), {
      code: 'wrong_state',
      message: 'nobody has asked anything about HO-2026-001; it waits for maria',
    })
  })

  it('[S4-66] is decided by people only, and only by the one it is addressed to', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w)
    const refused = { code: 'not_allowed' }

    for (const call of [planner, by('codex'), by('maria')])
      await assert.rejects(w.service.closing.decide(call, uid, 'approve'), refused)
    await assert.rejects(w.service.closing.decide(person('paul'), uid, 'approve'), refused)
    await assert.rejects(w.service.closing.complete(person('paul'), uid), { code: 'wrong_state' })
    await assert.rejects(w.service.closing.verify(planner, uid, { pass: true }), { code: 'wrong_state' })

    assert.equal((await w.store.handoff(uid))?.state, 'needs_input')
  })

  it('that is addressed to human is decided by any person', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w, { to: 'human' })

    const decided = await w.service.closing.decide(person('paul'), uid, 'approve')

    assert.equal(decided.verified_by, 'paul')
  })

  it('[S4-65] is decided once: a second decision is refused and changes nothing', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w)
    const first = await w.service.closing.decide(maria, uid, 'approve')

    for (const choice of ['approve', 'reject'] as const)
      await assert.rejects(w.service.closing.decide(maria, uid, choice, 'again'), { code: 'wrong_state' })

    assert.deepEqual(await w.store.handoff(uid), first)
    assert.equal((await w.service.looking.get(uid)).content.thread.length, 1)
  })

  it('is decided by exactly one of two simultaneous decisions', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w, { to: 'human' })
    const beside = await w.beside()

    const race = await Promise.allSettled([
      w.service.closing.decide(maria, uid, 'approve'),
      beside.closing.decide(person('paul'), uid, 'reject', 'no'),
    ])

    assert.deepEqual(race.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await w.service.looking.get(uid)).content.thread.length, 1)
  })

  it('waits for its person again when its sender mends it', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w)
    await w.service.closing.decide(maria, uid, 'question', 'Which users?')

    const mended = await w.service.sending.amend(planner, uid, { summary: 'For admins only' })
    const decided = await w.service.closing.decide(maria, uid, 'approve')

    assert.deepEqual([mended.state, mended.need, mended.waiting_for], ['needs_input', 'gate', 'maria'])
    assert.equal(decided.state, 'completed')
  })

  it('is not sent to who is no person', async (t) => {
    const w = await open(t)
    await w.service.agents.add(maria, { name: 'codex' })

    for (const type of ['gate', 'escalation'])
      await assert.rejects(ask(w, { to: 'codex', type }), {
        code: 'invalid_input',
        message: `only a person can decide ${type === 'gate' ? 'a gate' : 'an escalation'}, not codex; send it to human, or ask a person to run: baton agent add codex --kind human`,
      })
  })

  it('makes a person of a name that nobody has used, where a person asks, and not where an agent does', async (t) => {
    const w = await open(t)
    const known = async () => (await w.store.agents()).map(({ name, kind }) => `${name} ${kind}`)
    await w.service.agents.add(maria, { name: 'planner' })

    await assert.rejects(ask(w, { to: 'paul' }), { code: 'invalid_input' })
    const before = await known()
    await w.service.sending.send(maria, { to: 'paul', title: 'Ship?', type: 'gate' })

    assert.deepEqual(before, ['maria human', 'planner agent'])
    assert.deepEqual(await known(), ['maria human', 'paul human', 'planner agent'])
  })

  it('can be taken back by its sender', async (t) => {
    const w = await open(t)
    const { uid } = await ask(w)

    assert.equal((await w.service.sending.cancel(planner, uid)).state, 'cancelled')
    await assert.rejects(w.service.closing.decide(maria, uid, 'approve'), { code: 'wrong_state' })
  })

  it('leaves its task alone', async (t) => {
    const w = await open(t)
    await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
    await w.service.tasks.start(planner, 'P1')
    const { uid } = await ask(w, { task: 'P1' })

    await w.service.closing.decide(maria, uid, 'reject', 'no')

    const { task } = (await w.service.tasks.get('P1')).row
    assert.deepEqual([task.status, task.owner], ['in_progress', 'planner'])
  })
})

describeOnEngines('an escalation', (openBare) => {
  const open = withMaria(openBare)

  it('waits for a decision and is completed by it', async (t) => {
    const w = await open(t)
    const escalation = await ask(w, { type: 'escalation' })

    const decided = await w.service.closing.decide(maria, escalation.uid, 'approve', 'Take the second')

    assert.deepEqual([escalation.need, decided.state], ['decision', 'completed'])
  })

  it('is no gate for ordinary work', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(planner, { to: 'human', title: 'Work' })

    await assert.rejects(w.service.closing.decide(maria, handoff.uid, 'approve'), {
      code: 'wrong_state',
      message: 'HO-2026-001 is not a gate; use accept, reject or verify',
    })
  })
})
