import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { anAgent } from '../../../test/support/store/builders.ts'
import { newDatabase, query } from '../../../test/support/store/store-places.ts'
import { AT, dumpOf, entryOf, offer, run } from '../../../test/support/store/store-units.ts'
import type { DueItem, Store, View } from '../store.ts'
import { openPostgresStore } from './postgres-store.ts'

const SOON = '2026-02-21T14:31:00.000Z'
const LATER = '2026-02-21T14:35:00.000Z'

/** Every sign of life of a holder; all else that changes a handoff writes when it is due. */
describe('a lease that is prolonged', () => {
  it('leaves its handoff where it is in the indexes', async (t) => {
    const { url, store, uid } = await held(t)
    const before = await dueAt(url, uid)

    await prolong(store, uid, LATER)

    assert.deepEqual([before, await dueAt(url, uid)], [SOON, SOON])
    assert.equal((await store.handoff(uid))?.lease_until, LATER)
  })

  it('does not lapse when it would have without it, and does when it has', async (t) => {
    const { url, store, uid } = await held(t)
    const due: DueItem[] = []
    store.onDue((items) => {
      due.push(...items)
      return []
    })
    await prolong(store, uid, LATER)

    assert.equal(await store.settle(SOON), 0)
    assert.deepEqual(due, [])
    assert.equal(await dueAt(url, uid), LATER, 'the row says it once somebody has looked')
    assert.equal(await store.settle(LATER), 1)
    assert.deepEqual(due, [{ uid, kind: 'lease', holder: 'codex' }])
  })

  it('holds up nobody who works on something else', async (t) => {
    const { url, store, uid } = await held(t)
    store.onDue(() => assert.fail('nothing is due'))
    await prolong(store, uid, LATER)
    const other = await offer(store, { ack_deadline: '2027-01-01T00:00:00.000Z' })

    await run(store, { handoffs: [other.uid] }, (view) => view.append(entryOf(other.uid, { rev: 2 })), SOON)

    assert.equal((await store.entries(other.uid, 0, 9)).length, 2)
    assert.deepEqual([await store.settle(SOON), await dueAt(url, uid)], [0, LATER])
  })

  it('holds up nobody while somebody has its handoff locked, and takes no number twice', async (t) => {
    const { url, store, uid } = await held(t)
    await prolong(store, uid, LATER)
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    t.after(() => holder.end())
    await holder.query(`BEGIN; SELECT FROM baton.handoff WHERE uid = '${uid}' FOR UPDATE`)
    const number = () => run(store, { numbers: 1, agents: ['new'] }, numbered, SOON)

    const first = await number()
    assert.deepEqual([await store.settle(SOON), await dueAt(url, uid)], [0, SOON])
    await holder.query('COMMIT')

    assert.deepEqual([first, await number()], [1, 2])
    assert.deepEqual([await store.settle(SOON), await dueAt(url, uid)], [0, LATER])
  })

  it('is written as it is when it gets shorter, and when somebody else holds the handoff', async (t) => {
    const { url, store, uid } = await held(t)
    await prolong(store, uid, LATER)

    await prolong(store, uid, '2026-02-21T14:30:30.000Z')
    assert.equal(await dueAt(url, uid), '2026-02-21T14:30:30.000Z')
    await prolong(store, uid, LATER, 'gemini')
    assert.equal(await dueAt(url, uid), LATER)
  })

  it('is copied as it is', async (t) => {
    const { store, uid } = await held(t)
    await prolong(store, uid, LATER)

    const row = (await dumpOf(store)).find(({ table }) => table === 'handoff')?.row

    assert.deepEqual([row?.uid, row?.due_at], [uid, LATER])
  })
})

/** A handoff that its holder has until soon. */
async function held(t: TestContext): Promise<{ url: string; store: Store; uid: string }> {
  const url = await newDatabase()
  const store = await openPostgresStore({ url, workspace: 'a' })
  t.after(() => store.close())
  const { uid } = await offer(store, { state: 'in_progress', holder: 'codex', lease_until: SOON })
  return { url, store, uid }
}

/** Takes a number and leaves something. */
function numbered(view: View): number {
  view.putAgent(anAgent('new'))
  return view.number()
}

const prolong = (store: Store, uid: string, until: string, holder = 'codex'): Promise<void> =>
  run(
    store,
    { handoffs: [uid] },
    (view) => {
      const handoff = view.handoff(uid)!
      view.putHandoff({ ...handoff, rev: handoff.rev + 1, lease_until: until, holder })
      view.append(entryOf(uid, { rev: handoff.rev + 1 }))
    },
    AT,
  )

async function dueAt(url: string, uid: string): Promise<unknown> {
  const [row] = await query(url, `SELECT due_at FROM baton.handoff WHERE uid = '${uid}'`)
  return row?.due_at
}
