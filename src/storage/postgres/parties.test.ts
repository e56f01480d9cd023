import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { newDatabase, query } from '../../../test/support/store/store-places.ts'
import { entryOf, offer, run } from '../../../test/support/store/store-units.ts'
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

  it('is kept for users who were given rights before the table was there', async (t) => {
    const { url, store } = await opened(t)
    const { uid } = await offer(store)
    await store.close()
    const guest = new URL(url)
    guest.username = `party_guest_${process.pid}`
    await query(url, `CREATE ROLE ${guest.username} LOGIN`)
    t.after(() => query(url, `DROP OWNED BY ${guest.username}; DROP ROLE ${guest.username}`))
    for (const statement of UNDONE) await query(url, statement)
    await query(
      url,
      `GRANT USAGE ON SCHEMA baton TO ${guest.username};
       GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA baton TO ${guest.username};
       GRANT ALL ON ALL SEQUENCES IN SCHEMA baton TO ${guest.username}`,
    )
    await (await openPostgresStore({ url, workspace: 'a' })).close()

    await query(guest.href, `UPDATE baton.handoff SET to_agent = 'gemini' WHERE uid = '${uid}'`)
    const theirs = await openPostgresStore({ url: guest.href, workspace: 'a' })
    t.after(() => theirs.close())
    const made = await offer(theirs)
    const ended = await offer(theirs)
    await run(theirs, { handoffs: [ended.uid] }, (view) => {
      view.putHandoff({ ...view.handoff(ended.uid)!, rev: 2, state: 'completed' })
      view.append(entryOf(ended.uid, { rev: 2 }))
    })

    assert.deepEqual((await theirs.counts()).agents, {
      planner: { outgoing: 2, incoming: 0 },
      codex: { outgoing: 0, incoming: 1 },
      gemini: { outgoing: 0, incoming: 1 },
    })
    const { items } = await theirs.handoffs({ to: 'codex', state: ['offered'] }, { limit: 9 })
    assert.deepEqual(
      items.map((handoff) => handoff.uid),
      [made.uid],
    )
  })
})

/** Back to the schema before. */
const UNDONE = [
  'DROP FUNCTION baton.keep_parties, baton.count_agents, baton.keep_lists, baton.count_done, baton.facets, baton.instant, baton.forget_words, baton.used, baton.keep_usage, baton.correct_flow, baton.flow_changed, baton.flow_made CASCADE',
  'ALTER TABLE baton.workspace DROP COLUMN agents',
  'DROP TABLE baton.party, baton.facet, baton.ended, baton.word, baton.live',
  'CREATE INDEX handoff_ended ON baton.handoff (ws, state, uid) WHERE open = 0',
  'CREATE INDEX handoff_open_from ON baton.handoff (ws, from_agent, uid) WHERE open = 1',
  'CREATE INDEX handoff_open_to ON baton.handoff (ws, to_agent, uid) WHERE open = 1',
  'DELETE FROM baton.migration WHERE number > 3',
]

async function opened(t: TestContext): Promise<{ url: string; store: Store }> {
  const url = await newDatabase()
  const store = await openPostgresStore({ url, workspace: 'a' })
  t.after(() => store.close())
  return { url, store }
}
