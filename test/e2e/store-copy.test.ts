import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createService, openStore } from '../../src/compose/main.ts'
import type { Call } from '../../src/service/deps.ts'
import type { Store } from '../../src/storage/store.ts'
import { checkInvariants } from '../faults/check-invariants.ts'
import { liveOn } from '../faults/life.ts'
import { newPostgresPlace, newSqlitePlace } from '../support/store/store-places.ts'
import { comparable, dumpOf } from '../support/store/store-units.ts'

const OPS: Call = { actor: { name: 'ops', kind: 'human', auth: 'os-user' } }
const PLANNER: Call = { actor: { name: 'planner', kind: 'agent', auth: 'os-user' } }

describe('a store that is copied from one engine to the other and back', () => {
  const places = [newSqlitePlace(), newPostgresPlace(), newSqlitePlace()] as const
  let [sqlite, postgres, back] = [] as Store[]
  before(async () => {
    ;[sqlite, postgres, back] = await Promise.all(places.map(({ target }) => openStore(target)))
    await live(sqlite!)
    await postgres!.restore(sqlite!.dump())
    await back!.restore(postgres!.dump())
  })
  after(async () => {
    for (const store of [sqlite, postgres, back]) await store?.close()
    for (const place of places) await place.remove()
  })

  it('has every row of every table, field by field', async () => {
    const rows = comparable(await dumpOf(sqlite!))

    assert.deepEqual(comparable(await dumpOf(postgres!)), rows)
    assert.deepEqual(comparable(await dumpOf(back!)), rows)
    const tables = new Set((await dumpOf(sqlite!)).map(({ table }) => table))
    for (const table of ['handoff', 'content', 'task', 'entry', 'notice', 'idem', 'blob', 'agent', 'record'])
      assert.ok(tables.has(table), `the copy holds a ${table}`)
  })

  it('has the same chains, and they verify', async () => {
    for (const store of [postgres!, back!]) await checkInvariants(store)
  })

  it('answers every question alike', async () => {
    for (const ask of [
      (store: Store) => store.counts(),
      (store: Store) => store.handoffs({}, { limit: 1_000 }),
      (store: Store) => store.inbox('planner', { limit: 1_000 }),
      (store: Store) => store.tasks({}, { limit: 1_000 }),
      (store: Store) => store.nextTasks(100),
      (store: Store) => store.notices('planner', { limit: 1_000 }),
      (store: Store) => store.agents(),
      (store: Store) => store.streams({ limit: 1_000 }),
      (store: Store) => store.latest('T1'),
    ]) {
      const answer = await ask(sqlite!)
      assert.deepEqual(await ask(postgres!), answer)
      assert.deepEqual(await ask(back!), answer)
    }
  })

  it('goes on being used where it is now', async () => {
    for (const store of [postgres!, back!]) {
      const before = (await store.handoffs({}, { limit: 1_000 })).items.map(({ id }) => id)
      const service = createService(store)
      await liveOn(service, `on-${store.info.engine}`, () => undefined, 100)
      const { handoff } = await service.sending.send(PLANNER, { to: 'codex', title: 'after the copy' })
      assert.ok(!before.includes(handoff.id), 'no number is given twice')
      await checkInvariants(store)
    }
  })
})

/** A day in the life of a workspace, with something in every table. */
async function live(store: Store): Promise<void> {
  const service = createService(store)
  await service.agents.add(OPS, { name: 'planner', max_outgoing: 1_000 })
  await service.tasks.create(PLANNER, { id: 'T1', title: 'first' })
  await service.tasks.create(PLANNER, { id: 'T2', title: 'second', depends_on: ['T1'] })
  await service.tasks.record(PLANNER, 'T1', { summary: 'done ☃', commit_sha: 'abcdef1', branch: 'main' })
  const { handoff } = await service.sending.send(PLANNER, { to: 'claude', title: 'with a file', task: 'T1' })
  await service.artifacts.put(PLANNER, {
    path: 'out.bin',
    handoff: handoff.id,
    bytes: Uint8Array.from({ length: 256 }, (_, i) => i),
  })
  const refused = await service.sending.send(PLANNER, { to: 'claude', title: 'not wanted' })
  const claude: Call = { actor: { ...PLANNER.actor, name: 'claude' }, key: 'k1' }
  await service.receiving.reject(claude, refused.handoff.uid, { type: 'other', message: 'no ☃' })
  await liveOn(service, 'copied', () => undefined, 300)
}
