import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  by,
  describeOnEngines,
  PACKAGE,
  person,
  START,
  UNDERSTOOD,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import { HOUR_MS, SECOND_MS } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'

const planner = by('planner')
const codex = by('codex')
const one = by('codex', { instance: 'one' })
const two = by('codex', { instance: 'two' })

const send = async ({ service }: Workspace, more = {}) =>
  (await service.sending.send(planner, { to: 'codex', title: 'Work', timeout_s: 300, ...more })).handoff
const taken = async (w: Workspace, call = one, more = {}) =>
  w.service.receiving.accept(call, (await send(w, more)).uid)
const stateOf = async ({ store }: Workspace, { uid }: Handoff) => (await store.handoff(uid))?.state

describeOnEngines('a lease', (open) => {
  it('[S1-110] runs out when the holder sent no heartbeat for its timeout, and not before', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)

    w.clock.pass(300 * SECOND_MS - 1)
    await w.service.settle()
    const before = await stateOf(w, handoff)
    w.clock.pass(1)
    await w.service.settle()

    assert.equal(before, 'in_progress')
    const after = await w.store.handoff(handoff.uid)
    assert.deepEqual(
      [after?.state, after?.holder, after?.error?.code, after?.error?.message],
      ['retry_wait', undefined, 'TIMEOUT', 'codex sent no heartbeat for 300 seconds'],
    )
    assert.equal(after?.attempts[0]?.outcome, 'retry_wait')
  })

  it('[S1-110] that runs out where nothing is retried fails the handoff with TIMEOUT', async (t) => {
    const w = await open(t)
    const handoff = await taken(w, one, { home: 'queue', retry: { max: 0, delay_s: 0, multiplier: 1 } })

    w.clock.pass(300 * SECOND_MS)
    await w.service.settle()

    const after = await w.store.handoff(handoff.uid)
    assert.deepEqual([after?.state, after?.error?.code], ['failed', 'TIMEOUT'])
    assert.deepEqual(after?.error?.recovery_actions, ['Increase timeout, retry'])
  })

  it('runs out whatever texts the work holds, and stops nobody else before and after that', async (t) => {
    const { service, store, clock } = await open(t)
    const { sending, receiving } = service
    for (const [i, blocked] of ['a NUL \u0000', 'C:\\users\\', '\\\u0000"', '"lease_until":"9"'].entries()) {
      const [to, other] = [`worker-${i}`, `other-${i}`]
      const { handoff } = await sending.send(by('planner'), { to, title: 'Work', timeout_s: 60 })
      await receiving.claim(by(to))
      const states: unknown[] = []
      for (const passed of [40, 40, 70]) {
        if (passed === 40) await receiving.heartbeat(by(to), handoff.uid, { blocked })
        clock.pass(passed * SECOND_MS)
        await sending.send(by('planner'), { to: other, title: 'Other work' })
        states.push((await store.handoff(handoff.uid))?.state)
      }
      assert.deepEqual([states, blocked], [['blocked', 'blocked', 'retry_wait'], blocked])
    }
  })

  it('is two hours for native work, five minutes in the queue, and none elsewhere or for people', async (t) => {
    const w = await open(t)
    const until = async (to: string, home: string, kind: 'agent' | 'human' = 'agent') => {
      const { handoff } = await w.service.sending.send(planner, {
        to,
        title: 'Work',
        ...PACKAGE,
        home: home as Handoff['home'],
      })
      const accepted = { start: true, ...UNDERSTOOD }
      return (await w.service.receiving.accept(by(to, { kind }), handoff.uid, accepted)).lease_until
    }

    assert.equal(await until('codex', 'native'), '2026-02-21T16:30:00.000Z')
    assert.equal(await until('codex', 'queue'), '2026-02-21T14:35:00.000Z')
    for (const home of ['markdown', 'block', 'writeback', 'package'])
      assert.equal(await until('codex', home), undefined, home)
    await w.service.agents.add(person('omar'), { name: 'maria', kind: 'human' })
    assert.equal(await until('maria', 'native', 'human'), undefined)
  })

  it('is renewed by every call of the holder', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)
    const calls: ((uid: string) => Promise<unknown>)[] = [
      (uid) => w.service.receiving.heartbeat(one, uid, { progress: 40 }),
      (uid) => w.service.receiving.heartbeat(one, uid, { blocked: 'no database' }),
      (uid) => w.service.receiving.heartbeat(one, uid, { blocked: 'still none' }),
      (uid) => w.service.receiving.heartbeat(one, uid, { blocked: false }),
      (uid) => w.service.artifacts.put(one, { path: 'src/limit.ts', handoff: uid }),
    ]

    for (const call of calls) {
      w.clock.pass(299 * SECOND_MS)
      await call(handoff.uid)
      const renewed = await w.store.handoff(handoff.uid)

      assert.equal(Date.parse(renewed?.lease_until ?? '') - w.clock.now().getTime(), 300 * SECOND_MS)
    }
  })

  it('is renewed by nobody but the holder', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)
    w.clock.pass(SECOND_MS)

    await w.service.artifacts.put(planner, { path: 'notes.md', handoff: handoff.uid })
    await w.service.artifacts.put(two, { path: 'notes.md', handoff: handoff.uid })
    await assert.rejects(w.service.receiving.heartbeat(by('gemini'), handoff.uid, {}), {
      code: 'not_allowed',
    })
    await assert.rejects(w.service.receiving.heartbeat(two, handoff.uid, {}), { code: 'not_allowed' })

    assert.equal((await w.store.handoff(handoff.uid))?.lease_until, '2026-02-21T14:35:00.000Z')
  })

  it('stands still while the sender is asked, and begins anew with the answer', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)
    await w.service.receiving.ask(one, handoff.uid, 'Which endpoints?')
    w.clock.pass(24 * HOUR_MS)
    await w.service.settle()
    const waiting = await stateOf(w, handoff)

    const answered = await w.service.receiving.answer(planner, handoff.uid, 'Only /v1')

    assert.equal(waiting, 'needs_input')
    assert.deepEqual([answered.state, answered.lease_until], ['in_progress', '2026-02-22T14:35:00.000Z'])
  })

  it('stands still while the work is verified, and begins anew when it is refused', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)
    await w.service.receiving.submit(one, handoff.uid, { note: 'Done' })
    w.clock.pass(24 * HOUR_MS)
    await w.service.settle()

    const refused = await w.service.closing.verify(planner, handoff.uid, { pass: false, note: 'no tests' })

    assert.deepEqual([refused.state, refused.lease_until], ['in_progress', '2026-02-22T14:35:00.000Z'])
    assert.equal(refused.holder, 'codex')
  })
})

describeOnEngines('a holder that comes back late', (open) => {
  it('finishes 332 seconds after a start that allowed 300, as the sample of document 001 does (A1-06)', async (t) => {
    const w = await open(t)
    const handoff = await taken(w, one, { home: 'queue' })
    w.clock.pass(332 * SECOND_MS)

    const done = await w.service.receiving.submit(one, handoff.uid, { output: { path: 'a.json' } })

    assert.deepEqual([done.state, done.attempt], ['completed', 1])
  })

  it('goes on after its lease was settled, while the next attempt is not due yet', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)
    w.clock.pass(310 * SECOND_MS)
    await w.service.settle()
    const lapsed = await stateOf(w, handoff)

    const back = await w.service.receiving.heartbeat(one, handoff.uid, { attempt: 1 })

    assert.equal(lapsed, 'retry_wait')
    assert.deepEqual(
      [back.state, back.holder, back.instance, back.attempt, back.error, back.not_before],
      ['in_progress', 'codex', 'one', 1, undefined, undefined],
    )
    assert.deepEqual(back.attempts, [{ attempt: 1, holder: 'codex', instance: 'one', started_at: START }])
  })

  it('goes on while the next attempt is offered and nobody has taken it', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)
    w.clock.pass(300 * SECOND_MS)
    await w.service.settle()
    w.clock.pass(30 * SECOND_MS)
    await w.service.settle()
    const offered = await w.store.handoff(handoff.uid)

    const submitted = await w.service.receiving.submit(one, handoff.uid, { attempt: 1, note: 'Done' })

    assert.deepEqual([offered?.state, offered?.attempt], ['offered', 2])
    assert.deepEqual([submitted.state, submitted.attempt], ['in_review', 1])
    assert.equal(submitted.accepted_by, 'codex')
    assert.equal((await w.service.closing.verify(planner, handoff.uid, { pass: true })).state, 'completed')
  })

  it('may still ask, or say that it failed', async (t) => {
    const w = await open(t)
    for (const call of [
      (uid: string) => w.service.receiving.ask(one, uid, 'Which?'),
      (uid: string) => w.service.receiving.fail(one, uid, { message: 'broken', code: 'VALIDATION_FAILED' }),
    ]) {
      const handoff = await taken(w)
      w.clock.pass(310 * SECOND_MS)
      await w.service.settle()

      assert.match((await call(handoff.uid)).state, /^(needs_input|failed)$/)
    }
  })

  it('is fenced off once another instance holds a newer attempt, and its artifacts are kept', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)
    const artifact = await w.service.artifacts.put(one, { path: 'half.ts', handoff: handoff.uid })
    w.clock.pass(300 * SECOND_MS)
    await w.service.settle()
    w.clock.pass(30 * SECOND_MS)
    await w.service.receiving.accept(two, handoff.uid)
    const held = await w.store.handoff(handoff.uid)

    const { receiving } = w.service
    for (const call of [
      () => receiving.heartbeat(one, handoff.uid, {}),
      () => receiving.submit(one, handoff.uid, {}),
      () => receiving.fail(one, handoff.uid, { message: 'broken' }),
      () => receiving.ask(one, handoff.uid, 'Which?'),
      () => receiving.reject(one, handoff.uid, { type: 'other', message: 'no' }),
    ])
      await assert.rejects(call, { code: 'not_allowed' })
    for (const call of [
      () => receiving.heartbeat(one, handoff.uid, { attempt: 1 }),
      () => receiving.submit(one, handoff.uid, { attempt: 1 }),
      () => receiving.fail(one, handoff.uid, { message: 'broken', attempt: 1 }),
    ])
      await assert.rejects(call, {
        code: 'conflict',
        message: 'attempt 1 of HO-2026-001 is over; attempt 2 is in progress',
      })

    assert.deepEqual(await w.store.handoff(handoff.uid), held)
    assert.deepEqual((await w.service.artifacts.get(artifact.uid)).artifact, artifact)
  })

  it('is not revived as somebody else: another instance takes the next attempt or none', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)
    w.clock.pass(300 * SECOND_MS)
    await w.service.settle()

    await assert.rejects(w.service.receiving.heartbeat(two, handoff.uid, {}), { code: 'wrong_state' })
    await assert.rejects(w.service.receiving.submit(by('gemini'), handoff.uid, {}), { code: 'wrong_state' })
    await assert.rejects(w.service.receiving.heartbeat(one, handoff.uid, { attempt: 7 }), {
      code: 'conflict',
    })
  })

  it('is not revived after it said itself that it failed', async (t) => {
    const w = await open(t)
    const handoff = await taken(w, one, { retry: { max: 1, delay_s: 30, multiplier: 2 } })
    await w.service.receiving.fail(one, handoff.uid, { message: 'broken' })

    await assert.rejects(w.service.receiving.submit(one, handoff.uid, {}), { code: 'wrong_state' })
  })

  it('loses the work for good when its sender gave it to another', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)
    w.clock.pass(300 * SECOND_MS)
    await w.service.settle()
    await w.service.receiving.retry(planner, handoff.uid)

    const moved = await w.service.sending.reassign(planner, handoff.uid, 'gemini', 'codex is away')

    assert.deepEqual([moved.to, moved.attempt, moved.waiting_for], ['gemini', 3, 'gemini'])
    await assert.rejects(w.service.receiving.submit(one, handoff.uid, {}), { code: 'wrong_state' })
    await w.service.receiving.accept(by('gemini'), handoff.uid)
    await assert.rejects(w.service.receiving.submit(one, handoff.uid, {}), { code: 'not_allowed' })
    await assert.rejects(w.service.receiving.heartbeat(one, handoff.uid, {}), { code: 'not_allowed' })
  })
})

describeOnEngines('what is held', (open) => {
  it('is held by agent and instance: the same agent elsewhere may not touch it', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)

    assert.deepEqual([handoff.holder, handoff.instance], ['codex', 'one'])
    await assert.rejects(w.service.receiving.submit(two, handoff.uid, {}), {
      code: 'not_allowed',
      message:
        'HO-2026-001 is held by another session of codex; if that one has ended, take the work over: baton accept HO-2026-001 --take-over',
    })
  })

  it('is taken over by another session as the same attempt, which the log says, and is lost to the first', async (t) => {
    const w = await open(t)
    const { uid } = await taken(w)
    const over = await w.service.receiving.accept(two, uid, { take_over: true })
    const again = await w.service.receiving.accept(two, uid, { take_over: true })

    assert.deepEqual(
      [over.holder, over.instance, over.attempt, over.state],
      ['codex', 'two', 1, 'in_progress'],
    )
    assert.deepEqual(
      again.attempts.map(({ attempt, instance }) => [attempt, instance]),
      [[1, 'two']],
    )
    await assert.rejects(w.service.receiving.submit(one, uid, { note: 'Done' }), { code: 'not_allowed' })
    const unnamed = await w.service.receiving.accept(by('codex'), uid, { take_over: true })
    assert.equal(unnamed.instance, undefined)
    const { entries } = await w.store.changes('0', 1_000)
    assert.equal(entries.filter(({ act }) => act === 'handoff.take_over').length, 3)
  })

  it('is taken by exactly one of twenty instances in two processes', async (t) => {
    const w = await open(t)
    const { uid } = await send(w)
    const services = [w.service, await w.beside()]

    const race = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        (services[i % 2] ?? w.service).receiving.accept(by('codex', { instance: `number-${i}` }), uid),
      ),
    )

    const won = race.filter((result) => result.status === 'fulfilled')
    assert.equal(won.length, 1)
    const handoff = await w.store.handoff(uid)
    assert.equal(won[0]?.value.instance, handoff?.instance)
    assert.equal(handoff?.attempts.length, 1)
  })

  it('is claimed by priority and then age, each by one of many who claim at once', async (t) => {
    const w = await open(t)
    for (const priority of ['low', 'normal', 'critical', 'normal', 'high']) await send(w, { priority })
    const beside = await w.beside()

    const first = await w.service.receiving.claim(codex)
    const rest = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        (i % 2 ? beside : w.service).receiving.claim(by('codex', { instance: `number-${i}` })),
      ),
    )

    assert.equal(first?.priority, 'critical')
    const got = rest.flatMap((handoff) => (handoff ? [handoff.uid] : []))
    assert.deepEqual([got.length, new Set(got).size], [4, 4])
    assert.equal(await w.service.receiving.claim(codex), undefined)
  })

  it('that names a handoff takes that one, once, and nothing that is offered to somebody else', async (t) => {
    const w = await open(t)
    const [first, second] = [await send(w), await send(w)]
    const claim = (call: typeof one, { uid }: Handoff) =>
      w.service.receiving.claim(call, { id: uid, lease_s: 30 })

    const raced = await Promise.all([one, two].map((call) => claim(call, second)))

    assert.deepEqual(raced.map((each) => each?.uid).sort(), [second.uid, undefined])
    assert.equal(raced.find((each) => each !== undefined)?.lease_s, 30)
    assert.equal(await claim(by('gemini'), first), undefined)
    assert.equal(await stateOf(w, first), 'offered')
  })

  it('is told to the old holder when its sender gives it to another', async (t) => {
    const w = await open(t)
    const handoff = await taken(w)

    const moved = await w.service.sending.reassign(planner, handoff.uid, 'gemini')

    assert.deepEqual(
      [moved.state, moved.holder, moved.accepted_by, moved.attempts[0]?.outcome],
      ['offered', undefined, undefined, 'offered'],
    )
    const { notices } = await w.service.looking.inbox('codex', { limit: 5 })
    assert.deepEqual(
      notices.map(({ kind, text }) => `${kind}: ${text}`),
      ['reassigned: Handoff HO-2026-001 was given to gemini'],
    )
    await assert.rejects(w.service.sending.reassign(codex, handoff.uid, 'codex'), { code: 'not_allowed' })
  })

  it('is never lost to silence by a person whom nobody knew as one', async (t) => {
    const w = await open(t)
    const { uid } = await send(w, { to: 'paul' })
    const before = (await w.store.agents()).find(({ name }) => name === 'paul')?.kind

    const accepted = await w.service.receiving.accept(person('paul'), uid)
    await w.service.receiving.submit(person('paul'), uid, { note: 'Done' })
    const refused = await w.service.closing.verify(planner, uid, { pass: false, note: 'no tests' })

    assert.deepEqual([before, accepted.lease_until, refused.lease_until], ['agent', undefined, undefined])
    assert.equal((await w.store.agents()).find(({ name }) => name === 'paul')?.kind, 'human')
  })

  it('is never lost to silence by a person', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('omar'), { name: 'maria', kind: 'human' })
    const { uid } = await send(w, { to: 'maria' })
    w.clock.pass(365 * 24 * HOUR_MS)
    const accepted = await w.service.receiving.accept(person('maria'), uid)
    w.clock.pass(365 * 24 * HOUR_MS)
    await w.service.settle()

    assert.equal(await stateOf(w, accepted), 'in_progress')
  })
})
