import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { newDatabase, query } from '../../../test/store-places.ts'
import { offer } from '../../../test/store-units.ts'
import type { Store } from '../store.ts'
import { openPostgresStore } from './postgres-store.ts'

/** Sessions that do not say that they keep the table: those of a program from before it was there. */
describe('who has what open, with an older program beside', () => {
  it('follows what that one begins, hands on and ends', async (t) => {
    const { url, store } = await opened(t)
    const [begun, given, ended] = [await offer(store), await offer(store), await offer(store)]
    const columns = 'ws, root, from_agent, to_agent, state, open, rank, doc'

    await query(
      url,
      `INSERT INTO baton.handoff (uid, id, ${columns})
       SELECT 'older', 'HO-older', ${columns} FROM baton.handoff WHERE uid = '${begun.uid}'`,
    )
    await query(url, `UPDATE baton.handoff SET to_agent = 'gemini' WHERE uid = '${given.uid}'`)
    await query(url, `UPDATE baton.handoff SET state = 'completed', open = 0 WHERE uid = '${ended.uid}'`)

    assert.deepEqual((await store.counts()).agents, {
      planner: { outgoing: 3, incoming: 0 },
      codex: { outgoing: 0, incoming: 2 },
      gemini: { outgoing: 0, incoming: 1 },
    })
  })

  it('holds nothing that ends while that one writes', async (t) => {
    const { url, store } = await opened(t)
    const [ending, other] = [await offer(store), await offer(store)]
    const ours = await session(t, url)
    await ours.query(`SET baton.parties = 'kept'; BEGIN`)
    await ours.query(`UPDATE baton.handoff SET state = 'completed', open = 0 WHERE uid = $1`, [ending.uid])
    await ours.query('DELETE FROM baton.party WHERE uid = $1', [ending.uid])

    const theirs = await session(t, url)
    const written = theirs.query('UPDATE baton.handoff SET rank = 0 WHERE uid = $1', [other.uid])
    await untilItWaits(url)
    await ours.query('COMMIT')
    await written

    assert.deepEqual((await store.counts()).agents, {
      planner: { outgoing: 1, incoming: 0 },
      codex: { outgoing: 0, incoming: 1 },
    })
  })
})

async function opened(t: TestContext): Promise<{ url: string; store: Store }> {
  const url = await newDatabase()
  const store = await openPostgresStore({ url, workspace: 'a' })
  t.after(() => store.close())
  return { url, store }
}

async function session(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end())
  return client
}

async function untilItWaits(url: string): Promise<void> {
  const isWaiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  const deadline = Date.now() + 10_000
  while ((await query(url, isWaiting)).length === 0)
    assert.ok(Date.now() < deadline, 'nobody waits for a lock')
}
