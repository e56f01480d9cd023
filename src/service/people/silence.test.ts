import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'

const planner = by('planner')
const maria = person('maria')
const paul = person('paul')
const HOUR_S = 3_600

async function withPeople({ service }: Workspace): Promise<void> {
  for (const name of ['maria', 'paul']) await service.agents.add(maria, { name, kind: 'human' })
}

const ask = async ({ service }: Workspace, more = {}): Promise<Handoff> =>
  (await service.sending.send(planner, { to: 'maria', title: 'Ship it?', type: 'gate', ...more })).handoff

async function pass(w: Workspace, hours: number): Promise<void> {
  w.clock.pass(hours * HOUR_MS)
  await w.service.settle()
  await w.service.settle()
}

const told = async ({ service }: Workspace, name: string): Promise<string[]> =>
  (await service.looking.inbox(name, { limit: 50 })).notices.map(({ kind, text }) => `${kind}: ${text}`)

const waiting = async ({ service }: Workspace, name: string): Promise<string[]> =>
  (await service.looking.inbox(name, { limit: 50 })).items.map(({ id }) => id)

describeOnEngines('a person who does not answer', (open) => {
  it('is waited for without end where nobody said otherwise, and reminded of nothing', async (t) => {
    const w = await open(t)
    await withPeople(w)
    const { uid } = await ask(w)

    await pass(w, 24 * 400)

    assert.equal((await w.store.handoff(uid))?.state, 'needs_input')
    assert.deepEqual(await told(w, 'maria'), [])
  })

  it('lets the gate expire where its sender said so, and the work stays held up', async (t) => {
    const w = await open(t)
    await withPeople(w)
    const { handoff } = await w.service.sending.send(maria, { to: 'planner', title: 'Work' })
    await w.service.receiving.accept(planner, handoff.uid)
    const { uid, id } = await ask(w, {
      parent: handoff.uid,
      silence: { policy: 'expire', after_s: HOUR_S },
    })

    await pass(w, 0.9)
    const before = (await w.store.handoff(uid))?.state
    await pass(w, 0.1)

    assert.deepEqual([before, (await w.store.handoff(uid))?.state], ['needs_input', 'expired'])
    assert.deepEqual(await told(w, 'planner'), [`expired: Handoff ${id} expired without an answer`])
    await assert.rejects(w.service.closing.decide(maria, uid, 'approve'), { code: 'wrong_state' })
    await assert.rejects(w.service.receiving.submit(planner, handoff.uid, { note: 'done' }), {
      code: 'unmet',
    })
  })

  it('is joined by whoever the question escalates to, once, and both may decide', async (t) => {
    const w = await open(t)
    await withPeople(w)
    const gates = [await ask(w, RULES.escalate), await ask(w, RULES.escalate)]

    await pass(w, 1)
    await pass(w, 24)

    const now = await w.store.handoff(gates[0]!.uid)
    assert.deepEqual([now?.to, now?.escalated_to, now?.waiting_for], ['maria', 'paul', 'paul'])
    assert.deepEqual(
      await waiting(w, 'paul'),
      gates.map(({ id }) => id),
    )
    assert.deepEqual(
      await told(w, 'paul'),
      gates.map(({ id }) => `escalated: maria did not answer ${id} within 1 hour: Ship it?`),
    )
    assert.equal((await told(w, 'maria')).length, 2)
    const { items } = await w.service.looking.inbox('maria', { limit: 9 }, true)
    assert.deepEqual(
      items.map(({ id }) => id),
      gates.map(({ id }) => id),
    )
    await w.service.closing.decide(paul, gates[0]!.uid, 'approve')
    await w.service.closing.decide(maria, gates[1]!.uid, 'reject', 'no')
    await assert.rejects(w.service.closing.decide(person('eve'), (await ask(w)).uid, 'approve'), {
      code: 'not_allowed',
    })
  })

  it('loses the question to another where it is reassigned', async (t) => {
    const w = await open(t)
    await withPeople(w)
    const { uid, id } = await ask(w, RULES.reassign)

    await pass(w, 1)

    const now = await w.store.handoff(uid)
    assert.deepEqual([now?.to, now?.waiting_for, now?.state], ['paul', 'paul', 'needs_input'])
    assert.deepEqual(await told(w, 'maria'), [
      `reassigned: maria did not answer ${id} within 1 hour, so it was given to paul`,
    ])
    await assert.rejects(w.service.closing.decide(maria, uid, 'approve'), { code: 'not_allowed' })
    assert.equal((await w.service.closing.decide(paul, uid, 'approve')).state, 'completed')
  })

  it('is reminded at longer and longer intervals until there is an answer', async (t) => {
    const w = await open(t)
    await withPeople(w)
    const { uid } = await ask(w, { remind_s: HOUR_S })
    const counts: number[] = []

    for (const hours of [0.5, 0.5, 1.5, 0.5, 4]) {
      await pass(w, hours)
      counts.push((await told(w, 'maria')).length)
    }
    await w.service.closing.decide(maria, uid, 'approve')
    await pass(w, 1_000)

    assert.deepEqual(counts, [0, 1, 1, 2, 3])
    assert.equal((await told(w, 'maria')).length, 3)
    assert.match((await told(w, 'maria'))[0]!, /^reminder: HO-2026-001 still waits for maria: Ship it\?$/)
  })

  it('has the time anew when the answer to a question leads back to them', async (t) => {
    const w = await open(t)
    await withPeople(w)
    const { uid } = await ask(w, { silence: { policy: 'expire', after_s: HOUR_S } })
    await pass(w, 0.9)
    await w.service.closing.decide(maria, uid, 'question', 'Which users?')
    await pass(w, 100)
    await w.service.receiving.answer(planner, uid, 'Admins')

    await pass(w, 0.9)
    const state = (await w.store.handoff(uid))?.state
    await pass(w, 0.1)

    assert.deepEqual([state, (await w.store.handoff(uid))?.state], ['needs_input', 'expired'])
  })

  it('is asked about the work too: a question that nobody answers follows the same rules', async (t) => {
    const w = await open(t)
    await withPeople(w)
    const send = async (more: object) => {
      const { handoff } = await w.service.sending.send(maria, { to: 'planner', title: 'Work', ...more })
      return w.service.receiving.ask(planner, handoff.uid, 'Which endpoints?')
    }
    const expiring = await send({ silence: { policy: 'expire', after_s: HOUR_S } })
    const telling = await send({ ...RULES.escalate, remind_s: HOUR_S / 2 })

    await pass(w, 0.5)
    await pass(w, 0.5)

    assert.equal((await w.store.handoff(expiring.uid))?.state, 'expired')
    const now = await w.store.handoff(telling.uid)
    assert.deepEqual([now?.state, now?.waiting_for], ['needs_input', 'maria'])
    assert.deepEqual(await told(w, 'paul'), [
      `escalated: maria did not answer ${telling.id} within 1 hour: Work`,
    ])
    assert.ok((await told(w, 'maria')).some((text) => text.startsWith('reminder: ')))
  })

  it('is treated as the workspace rules where the sender says nothing', async (t) => {
    const people = {
      silence: { policy: 'reassign', after_s: HOUR_S, to: 'paul' },
      remind_s: HOUR_S / 2,
    } as const
    const w = await open(t, { policy: { people } })
    await withPeople(w)
    const usual = await ask(w)
    const own = await ask(w, { silence: { policy: 'wait' } })

    await pass(w, 0.6)
    await pass(w, 0.4)

    assert.equal((await w.store.handoff(usual.uid))?.to, 'paul')
    assert.equal((await w.store.handoff(own.uid))?.to, 'maria')
    assert.equal((await told(w, 'maria')).filter((text) => text.startsWith('reminder')).length, 2)
  })

  it('is settled once by two processes that look at the same time', async (t) => {
    const w = await open(t)
    await withPeople(w)
    await ask(w, { ...RULES.escalate, remind_s: HOUR_S / 2 })
    const beside = await w.beside()

    for (let i = 0; i < 3; i++) {
      w.clock.pass(HOUR_MS / 2)
      await Promise.all([w.service.settle(), beside.settle()])
    }

    assert.equal((await told(w, 'paul')).filter((text) => text.startsWith('escalated')).length, 1)
  })

  it('is shown as waited for on a store that cannot be written, or as let expire', async (t) => {
    const w = await open(t)
    await withPeople(w)
    const reminded = await ask(w, { remind_s: HOUR_S })
    const given = await ask(w, RULES.reassign)
    const expired = await ask(w, { silence: { policy: 'expire', after_s: HOUR_S } })
    const reader = await w.beside({ readOnly: true })

    w.clock.pass(2 * HOUR_MS)

    const shown = []
    for (const { uid } of [reminded, given, expired]) shown.push((await reader.looking.get(uid)).handoff)
    assert.deepEqual(
      shown.map(({ state, to }) => `${state} ${to}`),
      ['needs_input maria', 'needs_input maria', 'expired maria'],
    )
  })

  it('has rules that can be kept: a time where one is needed, and a person to ask', async (t) => {
    const w = await open(t)
    await withPeople(w)
    await w.service.agents.add(maria, { name: 'codex' })

    for (const silence of [
      { policy: 'expire' },
      { policy: 'escalate', after_s: 5 },
      { policy: 'reassign', after_s: 5, to: 'codex' },
      { policy: 'escalate', after_s: 5, to: 'nobody' },
    ])
      await assert.rejects(ask(w, { silence }), { code: 'invalid_input' })
  })
})

const RULES = {
  escalate: { silence: { policy: 'escalate', after_s: HOUR_S, to: 'paul' } },
  reassign: { silence: { policy: 'reassign', after_s: HOUR_S, to: 'paul' } },
} as const
