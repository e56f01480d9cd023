import assert from 'node:assert/strict'
import { it } from 'node:test'
import { run } from '../../../test/support/program/invoke.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { HOUR_MS, SECOND_MS } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Channel } from '../../domain/people/delivery.ts'
import type { Message } from '../deps.ts'

const planner = by('planner')
const maria = person('maria')
const OPS: Channel = { name: 'ops', kind: 'webhook' }

/** A way out that keeps what was sent on it, and fails while it is told to. */
function outside(...channels: readonly Channel[]) {
  const sent: string[] = []
  const messages: Message[] = []
  const nothing = async (): Promise<void> => undefined
  const state = { failing: false, before: nothing }
  const notify = {
    channels: channels.length > 0 ? channels : [OPS],
    send: async (channel: string, message: Message) => {
      await state.before()
      if (state.failing) throw new Error('the other side is away')
      sent.push(`${channel} ${message.event} ${message.handoff.id} to ${message.to}`)
      messages.push(message)
    },
  }
  return { notify, sent, messages, state }
}

const ask = async ({ service }: Workspace, more = {}): Promise<Handoff> =>
  (await service.sending.send(planner, { to: 'human', title: 'Ship it?', type: 'gate', ...more })).handoff

const notices = async ({ service }: Workspace): Promise<string[]> =>
  (await service.looking.inbox('maria', { limit: 50 }, true)).notices.map(
    ({ kind, text }) => `${kind}: ${text}`,
  )

describeOnEngines('messages to the outside', (open) => {
  it('tell of a gate once, with what is needed to answer it', async (t) => {
    const { notify, sent, messages } = outside()
    const w = await open(t, { notify })
    const { uid, id } = await ask(w)

    const first = await w.service.deliver()
    const second = await w.service.deliver()

    assert.deepEqual([first.sent, second.sent], [1, 0])
    assert.deepEqual(sent, ['ops gate HO-2026-001 to human'])
    assert.deepEqual(messages[0]?.handoff, {
      uid,
      id,
      type: 'gate',
      state: 'needs_input',
      from: 'planner',
      to: 'human',
      title: 'Ship it?',
    })
    assert.equal(messages[0]?.command, 'baton decide HO-2026-001')
  })

  it('tell each channel what it wants to know, and of whom', async (t) => {
    const { notify, sent } = outside(
      OPS,
      { name: 'maria', kind: 'mail', for: ['maria'] },
      { name: 'ends', kind: 'webhook', events: ['completed', 'reminder'] },
    )
    const w = await open(t, { notify })
    await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
    const gate = await ask(w, { to: 'maria', remind_s: 3_600 })
    await ask(w, { type: 'escalation' })
    const work = await w.service.sending.send(maria, { to: 'codex', title: 'Work' })
    await w.service.receiving.ask(by('codex'), work.handoff.uid, 'Which?')
    await w.service.deliver()
    const before = sent.splice(0)

    w.clock.pass(HOUR_MS)
    await w.service.settle()
    await w.service.deliver()
    const later = sent.splice(0)
    await w.service.closing.decide(maria, gate.uid, 'approve')
    await w.service.deliver()

    assert.deepEqual(before.sort(), [
      'maria gate HO-2026-001 to maria',
      'maria question HO-2026-003 to maria',
      'ops decision HO-2026-002 to human',
      'ops gate HO-2026-001 to maria',
      'ops question HO-2026-003 to maria',
    ])
    assert.deepEqual(later.sort(), [
      'ends reminder HO-2026-001 to maria',
      'maria reminder HO-2026-001 to maria',
      'ops reminder HO-2026-001 to maria',
    ])
    assert.deepEqual(sent, ['ends completed HO-2026-001 to planner'])
  })

  it('are written with what they tell of, or not at all', async (t) => {
    const { notify } = outside()
    const w = await open(t, { notify })

    await assert.rejects(ask(w, { to: 'codex' }), { code: 'invalid_input' })
    const nothing = await w.store.dueDeliveries(w.clock.text, 10)
    await ask(w)

    assert.deepEqual(nothing, [])
    const [delivery] = await w.store.dueDeliveries(w.clock.text, 10)
    assert.deepEqual([delivery?.channel, delivery?.attempts, delivery?.due_at], ['ops', 0, w.clock.text])
    assert.equal(JSON.stringify(delivery).includes('Ship'), false)
  })

  it('are tried again at longer and longer intervals, then given up with a notice', async (t) => {
    const { notify, sent, state } = outside()
    const w = await open(t, { notify })
    const { id } = await ask(w)
    state.failing = true
    const results = []

    for (const seconds of [0, 29, 1, 120, 600, 3_600, 100_000]) {
      w.clock.pass(seconds * SECOND_MS)
      const { failed, given_up } = await w.service.deliver()
      results.push([failed, given_up])
    }
    state.failing = false
    const after = await w.service.deliver()

    assert.deepEqual(results, [
      [1, 0],
      [0, 0],
      [1, 0],
      [1, 0],
      [1, 0],
      [0, 1],
      [0, 0],
    ])
    assert.deepEqual([sent, after.sent], [[], 0])
    assert.deepEqual(await notices(w), [
      `undelivered: A message about ${id} could not be delivered by ops: the other side is away`,
    ])
  })

  it('get through when the other side is back, with the same id', async (t) => {
    const { notify, messages, state } = outside()
    const w = await open(t, { notify })
    await ask(w)
    const [delivery] = await w.store.dueDeliveries(w.clock.text, 1)
    state.failing = true
    await w.service.deliver()
    state.failing = false

    w.clock.pass(30 * SECOND_MS)
    const { sent } = await w.service.deliver()

    assert.deepEqual([sent, messages[0]?.uid], [1, delivery?.uid])
    assert.deepEqual(await notices(w), [])
  })

  it('are sent once by two servers at the same time', async (t) => {
    const { notify, sent } = outside()
    const w = await open(t, { notify })
    const beside = await w.beside()
    for (let i = 0; i < 10; i++) await ask(w)

    const [one, two] = await Promise.all([w.service.deliver(), beside.deliver()])

    assert.equal(one.sent + two.sent, 10)
    assert.equal(new Set(sent).size, 10)
    assert.equal(sent.length, 10)
  })

  it('are sent by another when whoever began has died, and what comes late of it changes nothing', async (t) => {
    const { notify, sent, state } = outside()
    const w = await open(t, { notify })
    await ask(w)
    const { promise: hung, resolve: goOn } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
    state.before = async () => {
      state.before = async () => undefined
      begins()
      await hung
      throw new Error('too late')
    }
    const first = w.service.deliver()
    await begun

    const early = await (await w.beside()).deliver()
    w.clock.pass(120 * SECOND_MS)
    const taken = await (await w.beside()).deliver()
    goOn()
    await first
    w.clock.pass(HOUR_MS)
    const again = await w.service.deliver()

    assert.deepEqual([early.sent, taken.sent, again.sent, sent.length], [0, 1, 0, 1])
  })

  it('are not sent of what was answered meanwhile', async (t) => {
    const { notify, sent } = outside()
    const w = await open(t, { notify })
    const approved = await ask(w)
    const questioned = await ask(w)
    await w.service.closing.decide(maria, approved.uid, 'approve')
    await w.service.closing.decide(maria, questioned.uid, 'question', 'Which users?')

    const { dropped } = await w.service.deliver()

    assert.deepEqual([dropped, sent], [2, []])
  })

  it('say nothing that was taken away from the handoff before they are sent', async (t) => {
    const { notify, messages } = outside()
    const w = await open(t, { notify })
    const { id } = await ask(w, { title: 'Ship with code word pelican-41?' })
    await run(w.service, maria, 'audit_redact', { id, field: 'title', reason: 'leaked-key' })

    await w.service.deliver()

    assert.equal(JSON.stringify(messages).includes('pelican'), false)
  })

  it('are left for another when whoever sends is stopped', async (t) => {
    const { notify, sent, state } = outside()
    const w = await open(t, { notify })
    for (let i = 0; i < 3; i++) await ask(w)
    const stopping = new AbortController()
    state.before = async () => stopping.abort()

    const first = await w.service.deliver(stopping.signal)
    const second = await w.service.deliver()

    assert.deepEqual([first.sent, second.sent, sent.length], [1, 2, 3])
  })

  it('are not written where nothing is configured, and not sent by who only reads', async (t) => {
    const w = await open(t)
    await ask(w)

    assert.deepEqual(await w.store.dueDeliveries(w.clock.text, 10), [])
    assert.deepEqual(await w.service.deliver(), { sent: 0, failed: 0, given_up: 0, dropped: 0 })
  })

  it('tell who is asked in place of a silent person, and why', async (t) => {
    const { notify, sent } = outside()
    const w = await open(t, { notify })
    await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
    await w.service.agents.add(maria, { name: 'paul', kind: 'human' })
    await ask(w, { to: 'maria', silence: { policy: 'escalate', after_s: 60, to: 'paul' } })
    await w.service.deliver()
    sent.splice(0)

    w.clock.pass(60 * SECOND_MS)
    await w.service.settle()
    await w.service.deliver()

    assert.deepEqual(sent.sort(), ['ops escalated HO-2026-001 to maria', 'ops escalated HO-2026-001 to paul'])
  })

  it('to any person are acknowledged by any person, and by no agent', async (t) => {
    const { notify, state } = outside()
    const w = await open(t, { notify })
    await ask(w)
    state.failing = true
    for (let i = 0; i < 5; i++) {
      await w.service.deliver()
      w.clock.pass(HOUR_MS)
    }
    const { notices: found } = await w.service.looking.inbox('paul', { limit: 5 }, true)

    await assert.rejects(w.service.looking.acknowledge(planner, found[0]!.uid), { code: 'not_allowed' })
    await w.service.looking.acknowledge(person('paul'), found[0]!.uid)

    assert.deepEqual(await notices(w), [])
  })
})
