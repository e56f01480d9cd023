import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { anAgent } from '../../../test/builders.ts'
import { newDatabase, query } from '../../../test/store-places.ts'
import { entryOf, offer, run } from '../../../test/store-units.ts'
import type { Handoff } from '../../domain/handoff.ts'
import type { Store } from '../store.ts'
import { openPostgresStore } from './postgres-store.ts'

/** A process asks by name for what belongs to a handoff that it has seen before. */
describe('what belongs to a handoff', () => {
  it('is read as it is after another process gave the handoff to somebody else', async (t) => {
    const url = await newDatabase()
    const [store, beside] = [await open(t, url), await open(t, url)]
    for (const name of ['planner', 'codex', 'gemini'])
      await run(store, { agents: [name] }, (view) => view.putAgent(anAgent(name)))
    const { uid } = await offer(store, { from: 'planner', to: 'codex' })
    await change(beside, uid, { to: 'gemini' })

    const seen = await run(store, { handoffs: [uid] }, (view) => [
      view.handoff(uid)?.to,
      view.agent('planner')?.name,
      view.agent('gemini')?.name,
    ])

    assert.deepEqual(seen, ['gemini', 'planner', 'gemini'])
  })

  it('is the stream of its chain as it is now, also when the chain was changed in between', async (t) => {
    const url = await newDatabase()
    const [store, beside] = [await open(t, url), await open(t, url)]
    const { uid } = await offer(store)

    for (const each of [beside, store, beside, store])
      await run(each, { handoffs: [uid] }, (view) => view.append(entryOf(uid)))

    const entries = await store.entries(uid, 0, 9)
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      [0, 1, 2, 3, 4],
    )
  })

  it('is looked up anew when the workspace was replaced under the process', async (t) => {
    const url = await newDatabase()
    const store = await open(t, url)
    const [first, second] = [await offer(store), await offer(store)]
    const moved = JSON.stringify({ ...first, root: second.uid })
    await query(
      url,
      `UPDATE baton.handoff SET root = '${second.uid}', doc = '${moved}' WHERE uid = '${first.uid}'`,
    )

    const streams = await run(store, { handoffs: [first.uid] }, (view) =>
      [first.uid, second.uid].map((uid) => view.stream(uid)?.seq),
    )

    assert.deepEqual(streams, [undefined, 0])
  })
})

const change = (store: Store, uid: string, set: Partial<Handoff>): Promise<unknown> =>
  run(store, { handoffs: [uid] }, (view) => {
    const handoff = view.handoff(uid)
    if (handoff) view.putHandoff({ ...handoff, ...set, rev: handoff.rev + 1 })
  })

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openPostgresStore({ url, workspace: 'ours' })
  t.after(() => store.close())
  return store
}
