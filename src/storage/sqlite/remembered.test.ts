import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { anAgent } from '../../../test/support/store/builders.ts'
import { entryOf, freshHandoff, offer, put, run } from '../../../test/support/store/store-units.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Store, View } from '../store.ts'
import { openSqliteStore } from './sqlite-store.ts'

/** A connection does not read again what it wrote, as long as it is the only one that writes. */
describe('what a connection remembers', () => {
  it('is read again when another connection has written', async (t) => {
    const [store, beside] = await opened(t)
    for (const name of ['planner', 'codex'])
      await run(store, { agents: [name] }, (view) => view.putAgent(anAgent(name)))
    const { uid } = await offer(store)
    await rename(store, uid, 'One')

    await rename(beside, uid, 'Two')
    await run(beside, { handoffs: [uid], contents: [uid], agents: ['codex'] }, (view) => {
      view.putContent(uid, { ...view.content(uid)!, result: { note: 'done' } })
      view.putAgent({ ...anAgent('codex'), capabilities: ['testing'] })
    })

    const seen = await run(store, { handoffs: [uid], contents: [uid] }, (view) => [
      view.handoff(uid)?.title,
      view.content(uid)?.result?.note,
      view.agent('codex')?.capabilities,
      view.stream(uid)?.seq,
    ])
    assert.deepEqual(seen, ['Two', 'done', ['testing'], 2])
  })

  it('is what it wrote itself', async (t) => {
    const [store] = await opened(t)
    const { uid } = await offer(store)
    const finish = (note: string) =>
      run(store, { handoffs: [uid], contents: [uid] }, (view) => {
        const before = view.content(uid)!
        view.putContent(uid, { ...before, result: { note } })
        return before.result?.note
      })

    const long = 'long '.repeat(10_000)
    const seen = [await finish('one'), await finish(long), await finish('three'), await finish('four')]
    assert.deepEqual(seen, [undefined, 'one', long, 'three'])
  })

  it('is nothing of a transaction that failed', async (t) => {
    const [store] = await opened(t)
    const taken = await offer(store)
    const { uid } = await offer(store, { title: 'One' })

    await assert.rejects(
      run(store, { handoffs: [uid], contents: [uid] }, (view) => {
        change(view, uid, { title: 'Two' })
        view.putContent(uid, { ...view.content(uid)!, result: { note: 'done' } })
        put(view, freshHandoff({ id: taken.id }))
      }),
    )

    const seen = await run(store, { handoffs: [uid], contents: [uid] }, (view) => [
      view.handoff(uid)?.title,
      view.content(uid)?.result?.note,
      view.stream(uid)?.seq,
    ])
    assert.deepEqual(seen, ['One', undefined, 0])
  })

  it('is not what whoever was given a handoff or an agent makes of it', async (t) => {
    const [store] = await opened(t)
    await run(store, { agents: ['codex'] }, (view) => view.putAgent(anAgent('codex')))
    Object.assign((await store.agent('codex'))!, { capabilities: ['mine'] })
    const agent = await run(store, { agents: ['codex'] }, (view) => view.agent('codex'))
    assert.notDeepEqual(agent?.capabilities, ['mine'])
    const { uid } = await offer(store, { title: 'One' })
    const given = await run(store, { handoffs: [uid] }, (view) => change(view, uid, { title: 'Two' }))

    Object.assign(given, { title: 'Mine' })

    assert.equal(await run(store, { handoffs: [uid] }, (view) => view.handoff(uid)?.title), 'Two')
  })

  it('is right also for what was remembered too long ago', async (t) => {
    const [store] = await opened(t)
    const first = await offer(store, { title: 'First' })
    await Promise.all(Array.from({ length: 1_500 }, () => offer(store)))

    assert.equal(
      await run(store, { handoffs: [first.uid] }, (view) => view.handoff(first.uid)?.title),
      'First',
    )
  })
})

const rename = (store: Store, uid: string, title: string): Promise<Handoff> =>
  run(store, { handoffs: [uid] }, (view) => change(view, uid, { title }))

function change(view: View, uid: string, set: Partial<Handoff>): Handoff {
  const handoff = view.handoff(uid)!
  const next = { ...handoff, ...set, rev: handoff.rev + 1 }
  view.putHandoff(next)
  view.append(entryOf(uid, { rev: next.rev }))
  return next
}

async function opened(t: TestContext): Promise<readonly [Store, Store]> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-remembered-'))
  const path = join(folder, 'baton.db')
  const stores = [await openSqliteStore({ path }), await openSqliteStore({ path })] as const
  t.after(async () => {
    for (const store of stores) await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return stores
}
