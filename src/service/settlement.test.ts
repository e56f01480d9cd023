import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, person, type Workspace } from '../../test/support/program/workspace.ts'
import { HOUR_MS, SECOND_MS } from '../domain/handoffs/deadlines.ts'

const planner = by('planner')
const codex = by('codex')
const DAY_MS = 24 * HOUR_MS

const send = async ({ service }: Workspace, more = {}) =>
  (await service.sending.send(planner, { to: 'codex', title: 'Work', ...more })).handoff
const stateOf = async ({ store }: Workspace, uid: string) => (await store.handoff(uid))?.state

describeOnEngines('settling', (open) => {
  it('does what is due, once, and says how many it was', async (t) => {
    const w = await open(t)
    for (let i = 0; i < 3; i += 1) await send(w)
    w.clock.pass(DAY_MS)

    assert.equal(await w.service.settle(), 3)
    const { entries } = await w.store.counts()
    assert.equal(await w.service.settle(), 0)

    assert.equal((await w.store.counts()).entries, entries)
  })

  it('acts exactly once when many do it at the same moment', async (t) => {
    const w = await open(t)
    const services = [w.service, await w.beside(), await w.beside()]
    for (let i = 0; i < 20; i += 1) await send(w, { type: 'delegation' })
    const { uid } = await send(w, { timeout_s: 60 })
    await w.service.receiving.accept(codex, uid)
    w.clock.pass(DAY_MS)

    await Promise.all(services.flatMap((service) => [service.settle(), service.looking.counts()]))

    assert.deepEqual((await w.store.counts()).handoffs, { expired: 20, retry_wait: 1 })
    const { notices } = await w.service.looking.inbox('planner', { limit: 100 })
    assert.equal(notices.length, 20)
  })

  it('comes before every call, which is then judged on what it left', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('omar'), { name: 'codex', max_incoming: 1 })
    await send(w)
    w.clock.pass(DAY_MS)

    const second = await send(w)

    assert.equal(second.state, 'offered')
    assert.deepEqual((await w.store.counts()).handoffs, { expired: 1, offered: 1 })
  })

  it('is not undone by the refusal of the call that it came before', async (t) => {
    const w = await open(t)
    const { uid } = await send(w)
    w.clock.pass(DAY_MS)

    await assert.rejects(w.service.receiving.accept(codex, uid), { code: 'wrong_state' })
    await assert.rejects(w.service.sending.cancel(by('stranger'), uid), { code: 'wrong_state' })

    assert.equal(await stateOf(w, uid), 'expired')
  })

  it('comes before a look', async (t) => {
    for (const look of [
      (w: Workspace) => w.service.looking.inbox('codex', { limit: 5 }),
      (w: Workspace) => w.service.looking.list({}, { limit: 5 }),
      (w: Workspace) => w.service.looking.counts(),
      (w: Workspace, uid: string) => w.service.looking.get(uid),
    ]) {
      const w = await open(t)
      const { uid } = await send(w)
      w.clock.pass(DAY_MS)

      await look(w, uid)

      assert.equal(await stateOf(w, uid), 'expired')
    }
  })

  it('follows a chain of events that are all due', async (t) => {
    const w = await open(t)
    const { uid } = await send(w, { timeout_s: 60 })
    await w.service.receiving.accept(codex, uid)
    w.clock.pass(60 * SECOND_MS)
    await w.service.settle()
    const lapsed = await w.store.handoff(uid)
    w.clock.pass(DAY_MS)
    await w.service.settle()
    const again = await w.store.handoff(uid)
    w.clock.pass(DAY_MS)
    await w.service.settle()

    assert.deepEqual([lapsed?.state, lapsed?.not_before], ['retry_wait', '2026-02-21T14:31:30.000Z'])
    // Offered again when somebody came by, with a day from then on.
    assert.deepEqual([again?.state, again?.ack_deadline], ['offered', '2026-02-23T14:31:00.000Z'])
    assert.equal(await stateOf(w, uid), 'expired')
  })

  it('leaves a lapsed lease to its holder when it is the holder that calls', async (t) => {
    const w = await open(t)
    const mine = await send(w, { timeout_s: 60 })
    const other = await send(w, { timeout_s: 60 })
    await w.service.receiving.accept(by('codex', { instance: 'one' }), mine.uid)
    await w.service.receiving.accept(by('codex', { instance: 'two' }), other.uid)
    w.clock.pass(61 * SECOND_MS)

    await w.service.receiving.heartbeat(by('codex', { instance: 'one' }), mine.uid, {})

    assert.equal(await stateOf(w, mine.uid), 'in_progress')
    assert.equal(await stateOf(w, other.uid), 'retry_wait')
    assert.equal((await w.store.handoff(mine.uid))?.attempts[0]?.outcome, undefined)
  })

  it('waits in vain for nothing that has no deadline', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('omar'), { name: 'maria', kind: 'human' })
    const toPerson = await send(w, { to: 'maria' })
    const inQueue = await send(w, { home: 'queue' })
    const draft = await w.service.sending.create(planner, { to: 'codex', title: 'A draft' })
    w.clock.pass(365 * DAY_MS)

    assert.equal(await w.service.settle(), 0)
    assert.deepEqual(
      await Promise.all([toPerson.uid, inQueue.uid, draft.handoff.uid].map((uid) => stateOf(w, uid))),
      ['offered', 'offered', 'draft'],
    )
  })

  it('follows the deadlines that the workspace sets', async (t) => {
    const w = await open(t, {
      policy: { deadlines: { native: { offeredMs: HOUR_MS, draftMs: 60 * SECOND_MS } } },
    })
    const offered = await send(w)
    const draft = await w.service.sending.create(planner, { to: 'codex', title: 'A draft' })

    assert.equal(offered.ack_deadline, '2026-02-21T15:30:00.000Z')
    assert.equal(draft.handoff.ack_deadline, '2026-02-21T14:31:00.000Z')
  })
})

describeOnEngines('a store that may only be read', (open) => {
  it('shows what is due as if it had been settled, and writes nothing', async (t) => {
    const w = await open(t)
    const expired = await send(w)
    const lapsed = await send(w, { timeout_s: 60 })
    await w.service.receiving.accept(codex, lapsed.uid)
    const last = await send(w, { timeout_s: 60, retry: { max: 0, delay_s: 0, multiplier: 1 } })
    await w.service.receiving.accept(codex, last.uid)
    const waiting = await send(w, { retry: { max: 3, delay_s: 30, multiplier: 2 } })
    await w.service.receiving.accept(codex, waiting.uid)
    await w.service.receiving.fail(codex, waiting.uid, { message: 'broken' })
    const { entries } = await w.store.counts()
    w.clock.pass(DAY_MS)
    const reader = await w.beside({ readOnly: true })

    const shown = (await reader.looking.list({}, { limit: 10 })).items
    const { items } = await reader.looking.inbox('codex', { limit: 10 })

    assert.deepEqual(
      [expired, lapsed, last, waiting].map(({ uid }) => shown.find((h) => h.uid === uid)?.state),
      ['expired', 'retry_wait', 'failed', 'offered'],
    )
    assert.deepEqual(items, [])
    assert.equal((await reader.looking.get(expired.uid)).handoff.ended_at, '2026-02-22T14:30:00.000Z')
    assert.equal(await reader.settle(), 0)
    assert.equal((await w.store.counts()).entries, entries)
    assert.equal(await stateOf(w, expired.uid), 'offered')
  })

  it('refuses to write and says so', async (t) => {
    const w = await open(t)
    const { uid } = await send(w)
    const reader = await w.beside({ readOnly: true })

    await assert.rejects(reader.receiving.accept(codex, uid), { code: 'unavailable' })
  })
})
