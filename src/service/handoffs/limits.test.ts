import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import {
  by,
  describeOnEngines,
  openWorkspace,
  person,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import { newDatabase, query } from '../../../test/support/store/store-places.ts'
import { until } from '../../../test/support/store/store-units.ts'
import { HandoffLimitExceeded } from '../../domain/errors.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'
import { DEFAULT_LIMITS } from '../../domain/limits.ts'

const send = async ({ service }: Workspace, from: string, to: string, more = {}) =>
  (await service.sending.send(by(from), { to, title: 'Work', ...more })).handoff

async function fill(w: Workspace, from: string, to: (i: number) => string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await send(w, from, to(i))
}

describeOnEngines('the limits of agents', (open) => {
  for (const [name, { outgoing, incoming }] of Object.entries(DEFAULT_LIMITS)) {
    it(`[S0-48] let ${name} send ${outgoing} handoffs and no more`, async (t) => {
      const w = await open(t)

      await fill(w, name, (i) => `other-${i}`, outgoing ?? 0)

      await assert.rejects(send(w, name, 'one-more'), { code: 'limit_exceeded' })
      assert.equal((await w.store.counts()).agents[name]?.outgoing, outgoing)
    })

    it(`[S0-48] let ${name} receive ${incoming} handoffs and no more`, async (t) => {
      const w = await open(t)

      for (let i = 0; i < (incoming ?? 0); i += 1) await send(w, `other-${i}`, name)

      await assert.rejects(send(w, 'one-more', name), { code: 'limit_exceeded' })
      assert.equal((await w.store.counts()).agents[name]?.incoming, incoming)
    })
  }

  it('[S0-50] [S0-51] refuse in the words of document 000, with its error', async (t) => {
    const w = await open(t)
    await fill(w, 'grok', (i) => `other-${i}`, 10)
    for (let i = 0; i < 10; i += 1) await send(w, `other-${i}`, 'claude')

    await assert.rejects(send(w, 'grok', 'other-0'), (error) => {
      assert.ok(error instanceof HandoffLimitExceeded)
      assert.equal(error.name, 'HandoffLimitExceeded')
      assert.equal(error.message, 'grok has 10 active outgoing handoffs (max: 10)')
      return true
    })
    await assert.rejects(send(w, 'other-0', 'claude'), {
      name: 'HandoffLimitExceeded',
      message: 'claude has 10 active incoming handoffs (max: 10)',
    })
  })

  it('[S0-49] tell of the sender when both are full', async (t) => {
    const w = await open(t)
    await fill(w, 'grok', (i) => `other-${i}`, 10)
    for (let i = 0; i < 10; i += 1) await send(w, `other-${i}`, 'claude')

    await assert.rejects(send(w, 'grok', 'claude'), {
      message: 'grok has 10 active outgoing handoffs (max: 10)',
    })
  })

  for (const way of ['retry', 'reassign'] as const)
    it(`[S0-48] hold for ${way} as for sending`, async (t) => {
      const w = await open(t)
      const { receiving, sending } = w.service
      const again = (uid: string) =>
        way === 'retry'
          ? receiving.retry(by('perplexity'), uid)
          : sending.reassign(by('perplexity'), uid, 'next')
      const failed = await send(w, 'perplexity', 'zero')
      await receiving.accept(by('zero'), failed.uid, {})
      await receiving.fail(by('zero'), failed.uid, { code: 'FATAL', message: 'No' })
      await fill(w, 'perplexity', (i) => `other-${i}`, 3)

      await assert.rejects(again(failed.uid), {
        message: 'perplexity has 3 active outgoing handoffs (max: 3)',
      })
      assert.equal((await w.store.handoff(failed.uid))?.state, 'failed')
      const [open1] = (await w.store.handoffs({ from: 'perplexity', state: ['offered'] }, { limit: 1 })).items
      await sending.cancel(by('perplexity'), open1!.uid)
      assert.equal((await again(failed.uid)).state, 'offered')
    })

  it('[S0-48] hold for the receiver that open work is given to, not for its sender', async (t) => {
    const w = await open(t)
    await fill(w, 'perplexity', (i) => `other-${i}`, 3)
    for (let i = 0; i < 5; i += 1) await send(w, `other-${i}`, 'grok')
    const [given] = (await w.store.handoffs({ from: 'perplexity' }, { limit: 1 })).items
    const reassign = (to: string) => w.service.sending.reassign(by('perplexity'), given!.uid, to)

    await assert.rejects(reassign('grok'), { message: 'grok has 5 active incoming handoffs (max: 5)' })
    assert.equal((await reassign('claude')).to, 'claude')
  })

  it('[S0-48] are kept by work that waits for its next attempt, which Baton begins by itself', async (t) => {
    const w = await open(t)
    const work = await send(w, 'perplexity', 'zero', { retry: { max: 3, delay_s: 60, multiplier: 1 } })
    await w.service.receiving.accept(by('zero'), work.uid, {})
    await w.service.receiving.fail(by('zero'), work.uid, { code: 'PROCESSING_ERROR', message: 'No' })
    await fill(w, 'perplexity', (i) => `other-${i}`, 2)

    await assert.rejects(send(w, 'perplexity', 'one-more'), { code: 'limit_exceeded' })
    w.clock.pass(HOUR_MS)
    await w.service.settle()

    assert.equal((await w.store.handoff(work.uid))?.state, 'offered')
    assert.equal((await w.store.counts()).agents.perplexity?.outgoing, 3)
  })

  it('[S0-48] are checked before anything is written', async (t) => {
    const w = await open(t)
    await fill(w, 'perplexity', (i) => `other-${i}`, 3)
    const { entries, handoffs, tasks } = await w.store.counts()

    await assert.rejects(send(w, 'perplexity', 'other-0', { task: 'P1' }), { code: 'limit_exceeded' })

    assert.deepEqual(await w.store.counts().then((now) => [now.entries, now.handoffs, now.tasks]), [
      entries,
      handoffs,
      tasks,
    ])
  })

  it('[S0-52] count drafts, offers and what is worked on', async (t) => {
    const w = await open(t)
    await w.service.sending.create(by('perplexity'), { to: 'one', title: 'A draft' })
    await send(w, 'perplexity', 'two')
    const taken = await send(w, 'perplexity', 'three')
    await w.service.receiving.accept(by('three'), taken.uid)

    await assert.rejects(send(w, 'perplexity', 'four'), { code: 'limit_exceeded' })
  })

  it('[S0-53] free a place at once when a handoff is completed, rejected, expired or cancelled', async (t) => {
    const w = await open(t, { policy: { defaultLimits: { outgoing: 1 } } })
    const { service, clock } = w
    const ends: Readonly<Record<string, (uid: string) => Promise<unknown>>> = {
      completed: async (uid) => {
        await service.receiving.accept(by('codex'), uid)
        await service.receiving.submit(by('codex'), uid, { note: 'Done' })
        await service.closing.verify(by('planner'), uid, { pass: true })
      },
      rejected: (uid) => service.receiving.reject(by('codex'), uid, { type: 'other', message: 'no' }),
      expired: async () => clock.pass(24 * HOUR_MS),
      cancelled: (uid) => service.sending.cancel(by('planner'), uid),
    }

    for (const end of Object.values(ends)) {
      const { uid } = await send(w, 'planner', 'codex')
      await assert.rejects(send(w, 'planner', 'codex'), { code: 'limit_exceeded' })
      await end(uid)
    }

    assert.deepEqual(
      (await service.looking.list({}, { limit: 10 })).items.map(({ state }) => state).reverse(),
      Object.keys(ends),
    )
  })

  it('[S0-54] let exactly one of two simultaneous creations take the last place', async (t) => {
    const w = await open(t)
    await fill(w, 'grok', (i) => `other-${i}`, 9)
    const beside = await w.beside()

    const race = await Promise.allSettled([
      send(w, 'grok', 'codex'),
      send({ ...w, service: beside }, 'grok', 'codex'),
    ])

    assert.deepEqual(race.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await w.store.counts()).agents.grok?.outgoing, 10)
  })

  it('[S0-54] hold for twenty creations at once from two processes', async (t) => {
    const w = await open(t)
    const services = [w.service, await w.beside()]

    const race = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        send({ ...w, service: services[i % 2] ?? w.service }, 'perplexity', `other-${i}`),
      ),
    )

    assert.equal(race.filter(({ status }) => status === 'fulfilled').length, 3)
    assert.equal((await w.store.counts()).agents.perplexity?.outgoing, 3)
  })

  it('[S0-55] have no end for an agent that nobody gave one', async (t) => {
    const w = await open(t)

    await Promise.all(Array.from({ length: 30 }, () => send(w, 'planner', 'codex')))

    assert.deepEqual((await w.store.counts()).agents.planner, { outgoing: 30, incoming: 0 })
  })

  it('[S0-55] are the default of the workspace for names that nobody else limits', async (t) => {
    const w = await open(t, { policy: { defaultLimits: { incoming: 1 } } })
    await send(w, 'planner', 'codex')

    await assert.rejects(send(w, 'planner', 'codex'), {
      message: 'codex has 1 active incoming handoffs (max: 1)',
    })
  })

  it('[S0-55] can be set for an agent, one side at a time', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('maria'), { name: 'grok', max_outgoing: 1 })
    await send(w, 'grok', 'codex')

    await assert.rejects(send(w, 'grok', 'codex'), {
      message: 'grok has 1 active outgoing handoffs (max: 1)',
    })
    await fill(w, 'planner', () => 'grok', 5)
    await assert.rejects(send(w, 'planner', 'grok'), {
      message: 'grok has 5 active incoming handoffs (max: 5)',
    })
  })

  it('[S0-55] take effect at once in another process that has seen the agent without them', async (t) => {
    const w = await open(t)
    const beside = await w.beside()
    await send({ ...w, service: beside }, 'planner', 'codex')
    await w.service.agents.add(person('maria'), { name: 'codex', max_incoming: 1 })

    await assert.rejects(send({ ...w, service: beside }, 'planner', 'codex'), { code: 'limit_exceeded' })
  })

  it('do not count gates and escalations, which a full agent may still send', async (t) => {
    const w = await open(t)
    await fill(w, 'perplexity', (i) => `other-${i}`, 3)

    const gate = await send(w, 'perplexity', 'human', { type: 'gate' })
    const escalation = await send(w, 'perplexity', 'human', { type: 'escalation' })

    assert.deepEqual([gate.state, escalation.state], ['needs_input', 'needs_input'])
  })

  it('do not keep a return from a full agent to a full agent', async (t) => {
    const w = await open(t, { policy: { defaultLimits: { outgoing: 1, incoming: 1 } } })
    const { service } = w
    const { uid, id } = await send(w, 'planner', 'codex', { type: 'delegation' })
    await send(w, 'codex', 'third')
    await send(w, 'fourth', 'planner')
    await service.receiving.accept(by('codex'), uid)
    await service.receiving.submit(by('codex'), uid, { note: 'Done' })

    await service.closing.verify(person('maria'), uid, { pass: true })

    assert.equal((await w.store.handoff(`${id}-R`))?.state, 'offered')
  })

  it('cannot be got round by calling work a return', async (t) => {
    const w = await open(t)
    await fill(w, 'perplexity', (i) => `other-${i}`, 3)

    await assert.rejects(send(w, 'perplexity', 'codex', { type: 'return' }), { code: 'invalid_input' })
  })
})

/** Sessions that wait for a lock. */
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

it('[S0-54] the limits of agents hold where another process makes the agent between its lock and its count', async (t) => {
  const url = await newDatabase()
  const w = await openWorkspace(t, { engine: 'postgres', target: { url } })
  const beside = await w.beside()
  await w.service.tasks.create(person('maria'), { id: 'P1', title: 'Held' })
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  t.after(() => blocker.end())
  await blocker.query(`BEGIN; SELECT FROM baton.task FOR UPDATE`)

  // It has looked for the agent and counted, and waits for the task.
  const late = send({ ...w, service: beside }, 'perplexity', 'codex', { task: 'P1' })
  await until('it waits for the task', async () => (await query(url, WAITING)).length > 0)
  await fill(w, 'perplexity', (i) => `other-${i}`, 3)
  await blocker.query('ROLLBACK')

  await assert.rejects(late, { code: 'limit_exceeded' })
  assert.equal((await w.store.counts()).agents.perplexity?.outgoing, 3)
})
