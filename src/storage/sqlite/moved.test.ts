import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { newSqlitePlace } from '../../../test/support/store/store-places.ts'
import { AT, comparable, dumpOf, entryOf, offer, run } from '../../../test/support/store/store-units.ts'
import { openSqliteStore } from './sqlite-store.ts'

const PAST = '2026-02-21T14:00:00.000Z'

const REFUSED = {
  name: 'BatonError',
  code: 'unavailable',
  message:
    /^the store at .*baton\.db was deleted or replaced while this process had it open\. Nothing was written; restart the process/,
}

const withoutFiles = (path: string) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** A store beside the path, complete in one file. */
async function anotherStore(path: string): Promise<string> {
  const store = await openSqliteStore({ path: `${path}.other` })
  await offer(store)
  await store.close()
  return `${path}.other`
}

const WAYS: Readonly<Record<string, (path: string, folder: string) => unknown>> = {
  'whose file was deleted': withoutFiles,
  'whose folder was deleted': (_, folder) => rmSync(folder, { recursive: true }),
  'whose folder became a file': (_, folder) => {
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
  },
  'whose file was moved away': (path) => renameSync(path, `${path}.away`),
  'that another store was renamed over': async (path) => renameSync(await anotherStore(path), path),
  'that was deleted and made again': async (path) => {
    withoutFiles(path)
    await (await openSqliteStore({ path })).close()
  },
  'that was replaced by a copy of itself': (path) => {
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
  },
}

for (const [what, change] of Object.entries(WAYS))
  describe(`an open store ${what}`, () => {
    it('refuses every unit of a batch, and goes on reading', async (t) => {
      const { path, folder, store } = await newStore(t)
      const before = await offer(store)
      await change(path, folder)
      const replaced = existsSync(path) ? await rowsAt(path) : undefined

      const calls = [offer(store), offer(store), offer(store)]

      await Promise.all(calls.map((call) => assert.rejects(call, REFUSED)))
      assert.deepEqual(await store.handoff(before.uid), before)
      assert.equal((await store.counts()).entries, 1)
      if (replaced) assert.deepEqual(await rowsAt(path), replaced)
    })

    it('refuses what is written beside the units, and says that it is not ready', async (t) => {
      const { path, folder, store } = await newStore(t)
      await store.ping()
      await change(path, folder)

      await assert.rejects(store.growTree(0, { size: 1, last: 1, edge: ['AA=='] }, []), REFUSED)
      await assert.rejects(store.addCheckpoint({ size: 1, at: AT, note: 'note' }), REFUSED)
      await assert.rejects(store.gc(AT, true), REFUSED)
      await assert.rejects(store.scrub(), REFUSED)
      await assert.rejects(store.restore((async function* () {})()), REFUSED)
      await assert.rejects(store.ping(), REFUSED)
      assert.deepEqual([(await store.tree()).size, await store.checkpoints({ limit: 9 })], [0, []])
    })
  })

describe('an open store whose file was deleted', () => {
  it('does not try for ever to settle what is due', async (t) => {
    const { path, store } = await newStore(t)
    const { uid } = await offer(store, { ack_deadline: PAST })
    let asked = 0
    store.onDue((due) => {
      asked += 1
      return due.map((item) => ({
        reads: { handoffs: [item.uid] },
        at: AT,
        decide: (view) => view.append(entryOf(item.uid)),
      }))
    })
    withoutFiles(path)

    await store.settle(AT)
    await assert.rejects(offer(store), REFUSED)

    assert.equal(asked, 2)
    assert.equal((await store.timeline(uid, uid, 9)).length, 1)
  })

  it('still answers a call that changes nothing', async (t) => {
    const { path, store } = await newStore(t)
    const { uid } = await offer(store)
    withoutFiles(path)

    assert.equal(await run(store, { handoffs: [uid] }, (view) => view.handoff(uid)?.state), 'offered')
  })

  it('takes writes again when the same file is put back', async (t) => {
    const { path, store } = await newStore(t)
    renameSync(path, `${path}.away`)
    await assert.rejects(offer(store), REFUSED)
    renameSync(`${path}.away`, path)

    const handoff = await offer(store)

    assert.deepEqual(await store.handoff(handoff.uid), handoff)
    await store.ping()
  })

  it('leaves the files of the store that was made in its place alone when it is closed', async (t) => {
    const { path, store } = await newStore(t)
    await offer(store)
    withoutFiles(path)
    const next = await openSqliteStore({ path })
    const handoff = await offer(next)

    await store.close()

    const beside = await openSqliteStore({ path })
    assert.deepEqual(await beside.handoff(handoff.uid), handoff)
    await Promise.all([next.close(), beside.close()])
  })
})

describe('a store that is deleted while it is being opened', () => {
  it('is made anew, with no empty file left in its place', async (t) => {
    const { path, store, folder } = await newStore(t)
    await store.close()
    let looks = 0
    const filesystemOf = () => {
      looks += 1
      if (looks === 1) withoutFiles(path)
      return 0
    }

    const opened = await openSqliteStore({ path, filesystemOf })
    const handoff = await offer(opened)
    await opened.close()

    const again = await openSqliteStore({ path })
    t.after(() => again.close())
    assert.deepEqual(await again.handoff(handoff.uid), handoff)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.new')),
      [],
    )
  })

  it('is not found by a reader', async (t) => {
    const { path, store } = await newStore(t)
    await store.close()
    const filesystemOf = () => {
      withoutFiles(path)
      return 0
    }

    await assert.rejects(openSqliteStore({ path, filesystemOf, readOnly: true }), { code: 'not_found' })

    assert.equal(existsSync(path), false)
  })
})

async function newStore(t: TestContext) {
  const { remove, folder: home } = newSqlitePlace()
  const folder = join(home, '.baton')
  const path = join(folder, 'baton.db')
  const store = await openSqliteStore({ path, lockWaitMs: 2_000 })
  t.after(async () => {
    await store.close()
    await remove()
  })
  return { folder, path, store }
}

async function rowsAt(path: string): Promise<readonly string[]> {
  const store = await openSqliteStore({ path, readOnly: true })
  try {
    return comparable(await dumpOf(store))
  } finally {
    await store.close()
  }
}
