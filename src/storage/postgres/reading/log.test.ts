import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../../test/support/store/store-places.ts'
import { AT, freshHandoff, offer, put, run, until } from '../../../../test/support/store/store-units.ts'
import type { Store } from '../../store.ts'
import { openPostgresStore } from '../postgres-store.ts'

/** Numbers of entries are given out before the commit, and a commit can take its time. */
describe('changes, while a writer has numbers that nobody can read yet', () => {
  it('wait for it, and then show everything in order', async (t) => {
    const url = await newDatabase()
    const [store, beside] = [await open(t, url, 'ours'), await open(t, url, 'ours')]
    const { cursor } = await store.changes(undefined, 9)
    const slow = await startSlowly(t, url, store)

    const quick = await offer(beside)
    const early = await beside.changes(cursor, 9)
    await slow.goOn()

    assert.deepEqual(early.entries, [], 'what came later is held back')
    const late = await beside.changes(early.cursor, 9)
    assert.deepEqual(
      late.entries.map(({ subject }) => subject),
      [slow.uid, quick.uid],
    )
  })

  it('do not wait for the writers of another workspace', async (t) => {
    const url = await newDatabase()
    const [ours, theirs] = [await open(t, url, 'ours'), await open(t, url, 'theirs')]
    const { cursor } = await ours.changes(undefined, 9)
    const slow = await startSlowly(t, url, theirs)

    const quick = await offer(ours)
    const { entries } = await ours.changes(cursor, 9)
    await slow.goOn()

    assert.deepEqual(
      entries.map(({ subject }) => subject),
      [quick.uid],
    )
  })
})

/** A call that stands still between the numbers of its entries and its commit: the last table it writes is locked. */
async function startSlowly(t: TestContext, url: string, store: Store) {
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  t.after(() => blocker.end())
  await blocker.query('BEGIN; LOCK TABLE baton.idem IN SHARE MODE')
  const newest = async () =>
    (await blocker.query('SELECT last_value, is_called FROM baton.entry_id_seq')).rows[0]
  const before = await newest()
  const handoff = freshHandoff()
  const idem = { actor: 'planner', op: 'handoff_send', key: handoff.uid }
  const call = run(store, { idem, streams: [handoff.root] }, (view) => {
    put(view, handoff)
    view.addIdem({ ...idem, input_hash: '', subject: handoff.uid, rev: 1, at: AT })
  })
  call.catch(() => undefined)
  await until('the call has its numbers', async () => {
    const now = await newest()
    return now.last_value !== before.last_value || now.is_called !== before.is_called
  })
  const goOn = async () => {
    await blocker.query('COMMIT')
    await call
  }
  return { uid: handoff.uid, goOn }
}

async function open(t: TestContext, url: string, workspace: string): Promise<Store> {
  const store = await openPostgresStore({ url, workspace })
  t.after(() => store.close())
  return store
}
