import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { aContent } from '../../../test/support/store/builders.ts'
import { newSqlitePlace } from '../../../test/support/store/store-places.ts'
import { offer } from '../../../test/support/store/store-units.ts'
import { openDatabase } from './open.ts'
import { openSqliteStore } from './sqlite-store.ts'

describe('opening a store file', () => {
  it('makes the file and its folders when they are not there, and leaves nothing else behind', async (t) => {
    const { folder } = newPlace(t)
    const path = join(folder, 'a', 'b', 'baton.db')

    const store = await openSqliteStore({ path })
    await offer(store)
    await store.close()

    assert.deepEqual(readdirSync(dirname(path)).sort(), ['baton.db', 'notify'])
  })

  it('tells the time without a touch of a file that is not its own', async (t) => {
    const { folder } = newPlace(t)
    const own = join(folder, 'clock')
    writeFileSync(own, 'tick')
    const { mtimeMs } = statSync(own)
    const store = await openSqliteStore({ path: join(folder, 'baton.db') })

    assert.ok(store.now().getTime() > 0)
    await store.close()

    assert.equal(statSync(own).mtimeMs, mtimeMs)
  })

  it('writes durably: ahead into a log that is synced with every commit', (t) => {
    const { path } = newPlace(t)
    const { db } = openDatabase(path)
    t.after(() => db.close())
    const setting = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]

    assert.equal(setting('journal_mode'), 'wal')
    assert.equal(setting('synchronous'), 2)
    assert.equal(setting('busy_timeout'), 0, 'the store waits by itself, in turn with others')
  })

  it('keeps a store in memory apart from every other', async () => {
    const [one, two] = [
      await openSqliteStore({ path: ':memory:' }),
      await openSqliteStore({ path: ':memory:' }),
    ]
    await offer(one)

    assert.deepEqual((await two.counts()).handoffs, {})
    assert.notEqual(one.info.origin, two.info.origin)
    await Promise.all([one.close(), two.close()])
  })

  const NOT_OURS: Readonly<Record<string, (path: string) => void>> = {
    'a text file': (path) =>
      writeFileSync(path, 'This is not a database, and long enough to look like none.\n'.repeat(40)),
    'an empty file': (path) => writeFileSync(path, ''),
    'random bytes behind a good header': (path) =>
      writeFileSync(path, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5_000, 0xa5)])),
    'the database of another program': (path) => {
      const db = new DatabaseSync(path)
      db.exec('CREATE TABLE note (text TEXT); INSERT INTO note VALUES (1); PRAGMA user_version = 1')
      db.close()
    },
    'the database of another program with a high version': (path) => {
      const db = new DatabaseSync(path)
      db.exec('CREATE TABLE meta (key TEXT, value TEXT); PRAGMA user_version = 77')
      db.close()
    },
  }
  for (const [what, make] of Object.entries(NOT_OURS))
    it(`refuses ${what} and does not touch it`, async (t) => {
      const { path } = newPlace(t)
      make(path)
      const before = readFileSync(path)

      for (const readOnly of [false, true])
        await assert.rejects(openSqliteStore({ path, readOnly }), {
          name: 'BatonError',
          code: 'store_refused',
          message: /not a Baton store; .*restore/,
        })

      assert.deepEqual(readFileSync(path), before)
      assert.deepEqual(
        readdirSync(dirname(path)).filter((name) => name.endsWith('.new')),
        [],
      )
    })

  it('refuses a folder where the file should be', async (t) => {
    const { path } = newPlace(t)
    mkdirSync(path)

    await assert.rejects(openSqliteStore({ path }), { code: 'store_refused', message: /cannot be opened/ })
  })

  it('refuses a file where the folder should be', async (t) => {
    const { path } = newPlace(t)
    writeFileSync(path, '')

    await assert.rejects(openSqliteStore({ path: join(path, 'baton.db') }), {
      code: 'store_refused',
      message: /check that its folder is one and that you may write in it/,
    })
  })

  it('says that there is none when somebody wants to read it, and makes none', async (t) => {
    const { path, folder } = newPlace(t)

    await assert.rejects(openSqliteStore({ path, readOnly: true }), { code: 'not_found' })
    assert.deepEqual(readdirSync(folder), [])
  })

  for (const [name, number] of [
    ['NFS', 0x6969],
    ['CIFS', 0xff534d42],
    ['SMB2', 0xfe534d42],
    ['FUSE', 0x65735546],
  ] as const)
    it(`refuses a folder on a network file system (${name}) and writes nothing there`, async (t) => {
      const { path, folder } = newPlace(t)

      await assert.rejects(openSqliteStore({ path, filesystemOf: () => number }), {
        code: 'store_refused',
        message: new RegExp(`network file system \\(${name}\\).*use a local folder or PostgreSQL`),
      })
      assert.deepEqual(readdirSync(folder), [])
    })
})

describe('a damaged store file', () => {
  it('is refused with the way out when its end is missing', async (t) => {
    const { path } = await filled(t)
    truncateSync(path, 20_000)

    await assert.rejects(useAll(path), DAMAGED)
  })

  it('is refused with the way out when pages were overwritten', async (t) => {
    const { path } = await filled(t)
    const bytes = readFileSync(path)
    bytes.fill(0xff, 4_096 * 2)
    writeFileSync(path, bytes)

    await assert.rejects(useAll(path), DAMAGED)
  })

  it('refuses a write to it without a half of it, and does not try for ever', async (t) => {
    const { path } = await filled(t)
    const bytes = readFileSync(path)
    bytes.fill(0xff, 4_096 * 2)
    writeFileSync(path, bytes)

    const outcome = await openSqliteStore({ path })
      .then(
        (store) =>
          offer(store)
            .finally(() => store.close())
            .then(() => 'written'),
        (error: unknown) => Promise.reject(error),
      )
      .catch((error: { code: string }) => error.code)

    assert.equal(outcome, 'store_refused')
  })
})

const DAMAGED = {
  name: 'BatonError',
  code: 'store_refused',
  message: /is damaged or not a Baton store; keep the file, and restore a backup with: baton store restore/,
}

function newPlace(t: TestContext) {
  const place = newSqlitePlace()
  t.after(place.remove)
  return place
}

async function filled(t: TestContext) {
  const place = newPlace(t)
  const store = await openSqliteStore({ path: place.path })
  for (let i = 0; i < 20; i++)
    await offer(store, {}, aContent({ package: { context: `${i}`.repeat(3_000) } }))
  await store.close()
  return place
}

async function useAll(path: string): Promise<void> {
  const store = await openSqliteStore({ path })
  try {
    await store.counts()
    for (const { uid } of (await store.handoffs({}, { limit: 99 })).items) await store.content(uid)
  } finally {
    await store.close()
  }
}
