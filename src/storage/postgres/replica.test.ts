import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { type OwnPostgres, startOwnPostgres } from '../../../test/support/servers/postgres.ts'
import { newDatabase, query } from '../../../test/support/store/store-places.ts'
import { offer, until } from '../../../test/support/store/store-units.ts'
import type { Store } from '../store.ts'
import { openPostgresStore } from './postgres-store.ts'

const ENDED = { state: ['completed', 'failed'] } as const
const PAGE = { limit: 10 } as const

describe('a replica', () => {
  let primary: OwnPostgres
  let replica: OwnPostgres
  before(async () => {
    primary = await startOwnPostgres()
    replica = await primary.follower()
  })
  after(async () => {
    await replica.stop()
    await primary.stop()
  })

  /** A store of a role that may use it, and the address of the same database at the replica. */
  async function open(t: TestContext): Promise<{ readonly store: Store; readonly standby: string }> {
    const url = new URL(await newDatabase(primary.url))
    const standby = new URL(url)
    standby.port = new URL(replica.url).port
    const store = await openPostgresStore({ url: url.href, workspace: 'default', replica: standby.href })
    t.after(() => store.close())
    await until('the replica has the database', async () => {
      const found = await query(standby.href, 'SELECT FROM baton.workspace').catch(() => [])
      return found.length === 1
    })
    return { store, standby: standby.href }
  }
  const rest = (standby: string, call: string) => query(standby, `SELECT pg_wal_replay_${call}()`)
  const find = async (store: Store, word: string) =>
    (await store.search({ words: [word], facets: {} }, PAGE)).items.map(({ id }) => id)
  const reads = (store: Store) => ({ ...store.replicaReads?.() })

  it('answers searches and lists of ended handoffs, each with what was written before', async (t) => {
    const { store } = await open(t)
    for (let i = 0; i < 20; i += 1) {
      const { id } = await offer(store, { title: `Lantern${i}` })
      assert.deepEqual(await find(store, `lantern${i}`), [id])
    }
    await store.handoffs(ENDED, PAGE)
    await store.handoffs({ ref: 'HO-' }, PAGE)
    const { replica: answered = 0, away, behind = 0 } = reads(store)
    assert.deepEqual([answered + behind, away], [22, 0])
    assert.ok(answered > behind, `${answered} answered, ${behind} times behind`)
    // Quick ones stay where the writes are.
    await store.handoffs({ state: ['offered'] }, PAGE)
    assert.equal(reads(store).replica, answered)
  })

  it('is passed over while it is behind, and answers again when it has caught up', async (t) => {
    const { store, standby } = await open(t)
    await rest(standby, 'pause')
    const { id } = await offer(store, { title: 'Lantern' })

    assert.deepEqual(await find(store, 'lantern'), [id])
    assert.deepEqual(reads(store), { replica: 0, away: 0, behind: 1 })
    await rest(standby, 'resume')
    await until('the replica answers', async () => {
      assert.deepEqual(await find(store, 'lantern'), [id])
      return reads(store).replica === 1
    })
  })

  it('is passed over while it is away, is another server, or is the primary', async (t) => {
    const { store } = await open(t)
    const { id } = await offer(store, { title: 'Lantern' })
    await until('the replica answers', async () => {
      await find(store, 'lantern')
      return reads(store).replica === 1
    })
    const { away = 0 } = reads(store)
    await replica.crash()
    assert.deepEqual(await find(store, 'lantern'), [id])
    assert.deepEqual([reads(store).replica, reads(store).away], [1, away + 1])
    await replica.start()
    assert.deepEqual(await find(store, 'lantern'), [id])
    const other = await startOwnPostgres()
    t.after(() => other.stop())
    for (const server of [primary, other]) {
      const url = await newDatabase(primary.url)
      const address = new URL(url)
      address.port = new URL(server.url).port
      const wrong = await openPostgresStore({ url, workspace: 'default', replica: address.href })
      t.after(() => wrong.close())
      const sent = await offer(wrong, { title: 'Lantern' })
      assert.deepEqual(await find(wrong, 'lantern'), [sent.id])
      assert.deepEqual(reads(wrong), { replica: 0, away: 1, behind: 0 })
    }
  })

  it('is passed over where the primary does not say how far it is', async (t) => {
    const url = new URL(await newDatabase(primary.url))
    await query(url.href, 'CREATE ROLE app LOGIN')
    await query(url.href, `GRANT ALL ON DATABASE ${url.pathname.slice(1)} TO app`)
    await query(url.href, 'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC')
    url.username = 'app'
    const standby = new URL(url)
    standby.port = new URL(replica.url).port
    const store = await openPostgresStore({ url: url.href, workspace: 'default', replica: standby.href })
    t.after(() => store.close())
    const { id } = await offer(store, { title: 'Lantern' })

    assert.deepEqual(await find(store, 'lantern'), [id])
    assert.deepEqual(reads(store), { replica: 0, away: 1, behind: 0 })
  })
})
