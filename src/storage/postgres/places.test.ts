import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { messages, Wire } from '../../../test/faults/wire.ts'
import { anAgent } from '../../../test/support/store/builders.ts'
import { newDatabase, query } from '../../../test/support/store/store-places.ts'
import { AT, entryOf, offer, run, take, until } from '../../../test/support/store/store-units.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Store, View } from '../store.ts'
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

describe('a change of what this process has just seen', () => {
  it('takes two messages there and two back', async (t) => {
    const { wire, url } = await Wire.before(await newDatabase())
    t.after(() => wire.close())
    const { store, uid } = await seen(t, url)
    assert.equal(await messages(wire, () => progress(store, uid, 10)), 4)
  })

  it('is decided anew when another process was faster, on what that one left', async (t) => {
    const url = await newDatabase()
    const { store, uid } = await seen(t, url)
    const beside = await open(t, url)

    for (const [i, each] of [beside, store, beside, store, store, beside].entries())
      await progress(each, uid, i + 1)

    assert.deepEqual(await store.handoff(uid), await beside.handoff(uid))
    assert.equal((await store.handoff(uid))?.rev, 8)
    const entries = await store.entries(uid, 0, 99)
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      [0, 1, 2, 3, 4, 5, 6, 7],
    )
  })

  it('is decided anew when an agent is not what it was', async (t) => {
    const url = await newDatabase()
    const { store, uid } = await seen(t, url)
    await run(await open(t, url), { agents: ['codex'] }, (view) =>
      view.putAgent({ ...anAgent('codex'), capabilities: ['testing'] }),
    )

    const capabilities = await note(store, uid, (view) => view.agent('codex')?.capabilities)

    assert.deepEqual(capabilities, ['testing'])
  })

  it('is decided anew when nothing says whether an agent has changed', async (t) => {
    const url = await newDatabase()
    const { store, uid } = await seen(t, url)
    await query(url, 'DELETE FROM baton.workspace')

    for (const capability of ['testing', 'writing']) {
      const doc = JSON.stringify({ ...anAgent('codex'), capabilities: [capability] })
      await query(url, `UPDATE baton.agent SET doc = $1 WHERE name = 'codex'`, [doc])
      const capabilities = await note(store, uid, (view) => view.agent('codex')?.capabilities)
      assert.deepEqual(capabilities, [capability])
    }
  })

  it('is decided anew when a content is not what it was', async (t) => {
    const url = await newDatabase()
    const { store, uid } = await seen(t, url)
    await run(await open(t, url), { handoffs: [uid], contents: [uid] }, (view) =>
      view.putContent(uid, { ...view.content(uid)!, result: { note: 'done' } }),
    )

    assert.equal(await note(store, uid, (view) => view.content(uid)?.result?.note), 'done')
  })

  it('is decided on what this process wrote itself, however long it is', async (t) => {
    const { store, uid } = await seen(t, await newDatabase())
    const long = 'long '.repeat(10_000)
    const finish = (text: string) =>
      note(store, uid, (view) => {
        const before = view.content(uid)!
        view.putContent(uid, { ...before, result: { note: text } })
        return before.result?.note
      })

    const found = [await finish('one'), await finish(long), await finish('three'), await finish('four')]

    assert.deepEqual(found, [undefined, 'one', long, 'three'])
  })

  it('is not decided on what whoever was given a handoff or an agent makes of it', async (t) => {
    const { store, uid } = await seen(t, await newDatabase())
    const given = await note(store, uid, (view) => [
      view.handoff(uid),
      view.agent('codex'),
      view.content(uid),
    ])

    for (const each of given)
      Object.assign(each!, { title: 'Mine', capabilities: ['mine'], result: { note: 'mine' } })

    const found = await note(store, uid, (view) => [
      view.handoff(uid)?.title,
      view.agent('codex')?.capabilities,
      view.content(uid)?.result,
    ])
    assert.ok(!JSON.stringify(found).toLowerCase().includes('mine'), JSON.stringify(found))
  })

  it('waits until what is due has been settled', async (t) => {
    const url = await newDatabase()
    const { store, uid } = await seen(t, url)
    const due: string[] = []
    store.onDue((items) => {
      due.push(...items.map((item) => item.uid))
      return []
    })
    const other = await offer(await open(t, url), { ack_deadline: AT })

    await note(store, uid, () => undefined)

    assert.deepEqual(due, [other.uid])
  })

  it('is decided anew when a handoff that it only looks at is not what it was', async (t) => {
    const url = await newDatabase()
    const { store, uid } = await seen(t, url)
    await change(await open(t, url), uid, { title: 'Renamed' })

    assert.equal(await note(store, uid, (view) => view.handoff(uid)?.title), 'Renamed')
  })

  it('is refused only on what is there now', async (t) => {
    const url = await newDatabase()
    const { store, uid } = await seen(t, url)
    const beside = await open(t, url)
    await change(beside, uid, { title: 'Renamed' })

    await assert.rejects(
      run(store, { handoffs: [uid] }, (view) => {
        throw new Error(view.handoff(uid)?.title)
      }),
      /Renamed/,
    )
  })

  it('has one effect when it is repeated with its key', async (t) => {
    const { store, uid } = await seen(t, await newDatabase())
    const idem = { actor: 'codex', op: 'handoff_heartbeat', key: 'k' }
    const once = () =>
      run(store, { handoffs: [uid], idem }, (view) => {
        if (view.idem()) return 'before'
        view.append(entryOf(uid, { rev: 9 }))
        view.addIdem({ ...idem, input_hash: '', subject: uid, rev: 9, at: AT })
        return 'made'
      })

    assert.deepEqual([await once(), await once(), await once()], ['made', 'before', 'before'])
    assert.equal((await store.entries(uid, 0, 9)).length, 3)
  })

  it('has one effect when it is repeated with its key, also where it would be refused and beside others', async (t) => {
    const { wire, url } = await Wire.before(await newDatabase())
    t.after(() => wire.close())
    const { store, uid } = await seen(t, url)
    const other = await offer(store, { from: 'planner', to: 'codex' })
    await progress(store, other.uid, 1)
    const idem = { actor: 'codex', op: 'handoff_accept', key: 'k' }
    const accept = () =>
      run(store, { handoffs: [uid], idem }, (view) => {
        if (view.idem()) return 'before'
        if (view.handoff(uid)?.state !== 'offered') throw new Error('it is accepted already')
        take(view, uid, 'codex')
        view.addIdem({ ...idem, input_hash: '', subject: uid, rev: 9, at: AT })
        return 'accepted'
      })
    assert.equal(await accept(), 'accepted')

    const least = await messages(wire, async () => {
      const [said] = await Promise.all([accept(), progress(store, other.uid, 2)])
      assert.equal(said, 'before')
    })

    assert.equal(least, 4, 'both go into one transaction')
  })

  it('takes its turn with others: none is lost and none counted twice', async (t) => {
    const url = await newDatabase()
    const { store, uid } = await seen(t, url)
    const stores = [store, await open(t, url), await open(t, url)]

    await Promise.all(
      stores.map(async (each, i) => {
        for (let turn = 0; turn < 40; turn++) await progress(each, uid, i * 100 + turn)
      }),
    )

    const handoff = await store.handoff(uid)
    assert.equal(handoff?.rev, 122)
    assert.equal((await store.entries(uid, 0, 999)).length, 122)
  })

  it('leaves all of itself or nothing when the connection breaks at any message', async (t) => {
    const { wire, url } = await Wire.before(await newDatabase())
    t.after(() => wire.close())
    for (const when of ['before', 'after'] as const)
      for (let at = 1; ; at++) {
        const { store, uid } = await seen(t, url)
        await until('nothing is under way any more', () => wire.isQuietFor(30))
        wire.arm({ at, when })
        const said = await progress(store, uid, 50).then(
          () => 'done',
          (error: unknown) => (error as { retry?: boolean }).retry,
        )
        const isOver = !wire.isDone
        wire.disarm()
        const entries = (await store.entries(uid, 0, 9)).length
        assert.equal((await store.handoff(uid))?.rev, entries, `${when} ${at}: a half`)
        assert.equal(said === 'done' ? entries : 3, 3, `${when} ${at}: said to be done ${entries}`)
        assert.ok(said === 'done' || said === true, `${when} ${at}: ${said}`)
        await store.close()
        if (isOver) break
      }
  })
})

/** A store on which a handoff was made and changed by this process a moment ago. */
async function seen(t: TestContext, url: string): Promise<{ store: Store; uid: string }> {
  const store = await open(t, url)
  await run(store, { agents: ['planner', 'codex'] }, (view) => {
    for (const name of ['planner', 'codex']) if (!view.agent(name)) view.putAgent(anAgent(name))
  })
  const { uid } = await offer(store, { from: 'planner', to: 'codex' })
  await progress(store, uid, 1)
  return { store, uid }
}

/** Writes an entry about a handoff and answers what the decision looked at. */
const note = <T>(store: Store, uid: string, look: (view: View) => T): Promise<T> =>
  run(store, { handoffs: [uid], contents: [uid] }, (view) => {
    view.append(entryOf(uid, { rev: 9 }))
    return look(view)
  })

const progress = (store: Store, uid: string, value: number): Promise<void> =>
  run(store, { handoffs: [uid] }, (view) => {
    const handoff = view.handoff(uid)!
    view.putHandoff({ ...handoff, progress: value, rev: handoff.rev + 1 })
    view.append(entryOf(uid, { rev: handoff.rev + 1 }))
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
