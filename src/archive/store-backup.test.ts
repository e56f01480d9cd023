import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { folders } from '../../test/support/documents/folders.ts'
import { newPostgresPlace } from '../../test/support/store/store-places.ts'
import { createService, openStore } from '../compose/main.ts'
import type { BatonError } from '../domain/errors.ts'
import type { DumpRow, Store } from '../storage/store.ts'
import { encodeRow } from './row-digest.ts'
import { backup, copyStore, restore } from './store-backup.ts'
import { verifyChains } from './store-verify.ts'

const MARIA = { actor: { name: 'maria', kind: 'human', auth: 'os-user' } } as const
const CODEX = { actor: { name: 'codex', kind: 'agent', auth: 'os-user' } } as const

/** A store with something in every table. */
async function filledStore(path: string): Promise<Store> {
  const store = await openStore({ engine: 'sqlite', path })
  const service = createService(store)
  const { handoff } = await service.sending.send(
    { ...MARIA, key: 'k1' },
    { to: 'codex', title: 'Zażółć 日本 🚀', summary: 'a\u0000b\u2028c', deliverables: ['Docs'] },
  )
  await service.receiving.accept(CODEX, handoff.uid, {})
  await service.receiving.submit(CODEX, handoff.uid, { evidence: [{ deliverable: 'Docs', evidence: 'x' }] })
  await service.closing.verify(MARIA, handoff.uid, { pass: true })
  await service.sending
    .send(MARIA, { to: 'codex', title: 'Open', type: 'delegation' })
    .then(({ handoff: open }) => service.receiving.reject(CODEX, open.uid, { type: 'other', message: 'no' }))
  await service.tasks.create(MARIA, { id: 'T1', title: 'First' })
  await service.tasks.create(MARIA, { id: 'T2', title: 'Second', depends_on: ['T1'] })
  await service.tasks.start(CODEX, 'T1')
  await service.tasks.record(CODEX, 'T1', { summary: 'The parser reads every field now', tests_run: ['a'] })
  await service.artifacts.put(CODEX, {
    path: 'a.bin',
    bytes: Buffer.from([0, 255, 10, 13]),
    handoff: handoff.uid,
  })
  await (await service.tokens()).create(MARIA, { agent: 'ci', scopes: ['*'] })
  return store
}

/** Every row but what a store says of itself, in an order that does not depend on the engine. */
async function rowsOf(store: Store): Promise<string[]> {
  const rows: DumpRow[] = []
  for await (const row of store.dump()) rows.push(row)
  return rows
    .filter(({ table, row }) => !(table === 'meta' && String(row.key).startsWith('least_')))
    .map(encodeRow)
    .sort()
}

async function opened(
  t: TestContext,
): Promise<{ store: Store; path: (name: string) => string; open: (name: string) => Promise<Store> }> {
  const { path } = folders(t)
  const store = await filledStore(path('source.db'))
  t.after(() => store.close())
  const open = async (name: string) => {
    const other = await openStore({ engine: 'sqlite', path: path(name) })
    t.after(() => other.close())
    return other
  }
  return { store, path, open }
}

describe('a backup', () => {
  it('holds every row of every table and comes back without a loss', async (t) => {
    const { store, path, open } = await opened(t)
    const tables = new Set((await rowsOf(store)).map((row) => JSON.parse(row)[0]))
    assert.equal(tables.size, 15)

    const { rows } = await backup(store, path('b.gz'))
    const target = await open('target.db')
    const report = await restore(path('b.gz'), async () => target)

    assert.deepEqual(await rowsOf(target), await rowsOf(store))
    assert.equal(report.rows, rows)
    assert.deepEqual(report.chains.broken, [])
    assert.ok(report.chains.entries > 8)
    assert.equal(target.info.origin, store.info.origin)
  })

  it('goes from PostgreSQL to SQLite, which counts its schemas for itself', async (t) => {
    const { store, path, open } = await opened(t)
    const postgres = await openStore(newPostgresPlace().target)
    t.after(() => postgres.close())
    await postgres.restore(store.dump())

    await backup(postgres, path('b.gz'))
    const target = await open('target.db')
    await restore(path('b.gz'), async () => target)

    assert.notEqual(postgres.info.schema, target.info.schema)
    assert.deepEqual(await rowsOf(target), await rowsOf(store))
  })

  it('is never written over another file and leaves none behind when it fails', async (t) => {
    const { store, path } = await opened(t)
    writeFileSync(path('b.gz'), 'mine')

    await assert.rejects(backup(store, path('b.gz')), { code: 'conflict' })
    await assert.rejects(backup(store, path('no/such/folder/b.gz')), { code: 'unavailable' })
    const stop = AbortSignal.abort()
    await assert.rejects(backup(store, path('c.gz'), { signal: stop }))

    assert.equal(readFileSync(path('b.gz'), 'utf8'), 'mine')
    assert.deepEqual(
      readdirSync(path('.')).filter((name) => name.includes('gz')),
      ['b.gz'],
    )
  })

  it('that was cut off, changed or is none of ours is refused before a row is taken', async (t) => {
    const { store, path, open } = await opened(t)
    await backup(store, path('b.gz'))
    const packed = readFileSync(path('b.gz'))
    const text = gunzipSync(packed).toString('utf8')
    const files: Readonly<Record<string, Uint8Array>> = {
      'cut.gz': packed.subarray(0, packed.length - 20),
      'shorter.gz': gzipSync(text.split('\n').toSpliced(5, 1).join('\n')),
      'changed.gz': gzipSync(text.replace('"maria"', '"mario"')),
      'headless.gz': gzipSync(text.split('\n').slice(1).join('\n')),
      'endless.gz': gzipSync(text.split('\n').slice(0, -2).join('\n')),
      'foreign.gz': gzipSync('hello\nworld\n'),
      'plain.gz': Buffer.from('not packed at all'),
      'empty.gz': Buffer.alloc(0),
    }
    const target = await open('target.db')
    const before = await rowsOf(target)

    for (const [name, bytes] of Object.entries(files)) {
      writeFileSync(path(name), bytes)
      await assert.rejects(
        restore(path(name), async () => target),
        { code: 'store_refused', message: /cannot be restored/ },
        name,
      )
    }
    await assert.rejects(
      restore(path('nothing.gz'), async () => target),
      { code: 'not_found' },
    )

    assert.deepEqual(await rowsOf(target), before)
  })

  it('of a newer Baton says so', async (t) => {
    const { store, path, open } = await opened(t)
    await backup(store, path('b.gz'))
    const text = gunzipSync(readFileSync(path('b.gz'))).toString('utf8')
    writeFileSync(path('newer.gz'), gzipSync(text.replace(/"schema":\d+/, '"schema":99')))

    await assert.rejects(
      restore(path('newer.gz'), () => open('target.db')),
      {
        code: 'store_refused',
        message: /was made by a newer Baton \(schema 99/,
      },
    )
  })

  it('is not restored into a store that was used', async (t) => {
    const { store, path } = await opened(t)
    await backup(store, path('b.gz'))
    const before = await rowsOf(store)

    await assert.rejects(
      restore(path('b.gz'), async () => store),
      { code: 'conflict' },
    )

    assert.deepEqual(await rowsOf(store), before)
  })
})

describe('a copy', () => {
  it('from SQLite to PostgreSQL and back loses nothing, field by field, and its chains verify', async (t) => {
    const { store, open } = await opened(t)
    const { target } = newPostgresPlace()
    const postgres = await openStore(target)
    t.after(() => postgres.close())
    const back = await open('back.db')
    const told: string[] = []

    const there = await copyStore(store, postgres, {
      tell: (what, done, of) => told.push(`${what} ${done} ${of}`),
    })
    const home = await copyStore(postgres, back)

    const place = `${postgres.info.location}, workspace ${postgres.info.workspace}`
    assert.deepEqual([store.info.moved, postgres.info.moved], [place, back.info.location])
    assert.deepEqual(await rowsOf(postgres), await rowsOf(store))
    assert.deepEqual(await rowsOf(back), await rowsOf(store))
    assert.deepEqual([there.rows, there.chains], [home.rows, home.chains])
    assert.ok(
      told.some((line) => line.startsWith('copying 1 ')) &&
        told.some((line) => line.startsWith('verifying the log 1 ')),
    )
    for (const left of [store, postgres])
      await assert.rejects(createService(left).sending.send(MARIA, { to: 'codex', title: 'Too late' }), {
        code: 'store_refused',
        message: /was copied to .* and takes no more writes/,
      })
    const next = await createService(back).sending.send(MARIA, { to: 'codex', title: 'Goes on' })
    assert.match(next.handoff.id, /-003$/)
  })

  it('that does not hold what was sent is refused, with the table where it differs', async (t) => {
    const { store, open } = await opened(t)
    const target = await open('target.db')
    const losing = restoringWith(target, (rows) => target.restore(withoutOne(rows)))

    await assert.rejects(copyStore(store, losing), {
      code: 'store_refused',
      message: /of 2 rows in content, 1 were read back/,
    })
    await createService(store).sending.send(MARIA, { to: 'codex', title: 'Its source goes on' })
  })

  it('leaves its source ended when another copy of it to the same place ended well and it fails', async (t) => {
    const { store, open } = await opened(t)
    const [early, target] = [await open('source.db'), await open('target.db')]
    const failing = restoringWith(target, async () => {
      await assert.rejects(createService(early).sending.send(MARIA, { to: 'codex', title: 'Too late' }), {
        code: 'store_refused',
        message:
          /target\.db \(copy \w+ not finished\) and takes no more writes\. Wait for the end of the copy;/,
      })
      await copyStore(await open('source.db'), await open('target.db'))
      throw new Error('the line broke')
    })

    await assert.rejects(copyStore(store, failing), /the line broke/)

    assert.equal((await open('source.db')).info.moved, target.info.location)
    await assert.rejects(createService(store).sending.send(MARIA, { to: 'codex', title: 'Too late' }), {
      code: 'store_refused',
    })
  })

  it('does not end well when another copy of its source failed meanwhile and gave that back', async (t) => {
    const { store, open } = await opened(t)
    const [early, target] = [await open('source.db'), await open('target.db')]
    let isBroken = false
    const later = async () => {
      const failed = Promise.withResolvers<void>()
      const slow = restoringWith(target, async (rows) => {
        const count = await target.restore(rows)
        isBroken = true
        await failed.promise
        return count
      })
      return { done: copyStore(await open('source.db'), slow).catch((error: unknown) => error), failed }
    }
    let second: Awaited<ReturnType<typeof later>> | undefined
    const failing = restoringWith(await open('target.db'), async () => {
      second = await later()
      await assert.rejects(copyStore(early, await open('third.db')), { code: 'conflict', message: /began/ })
      while (!isBroken) await pause(1)
      throw new Error('the line broke')
    })

    await assert.rejects(copyStore(store, failing), /the line broke/)
    second!.failed.resolve()

    const error = (await second!.done) as BatonError
    assert.deepEqual(
      [error.code, /another copy of .* failed meanwhile/.test(error.message)],
      ['conflict', true],
    )
    await createService(store).sending.send(MARIA, { to: 'codex', title: 'Its source goes on' })
  })

  for (const engine of ['sqlite', 'postgres'] as const)
    it(`ends well when another copy to the same place was faster, on ${engine}`, async (t) => {
      const { store, open, path } = await opened(t)
      const place =
        engine === 'postgres' ? newPostgresPlace().target : ({ engine, path: path('target.db') } as const)
      const [slow, fast] = [await openStore(place), await openStore(place)]
      t.after(() => Promise.all([slow.close(), fast.close()]))
      const ended = Promise.withResolvers<void>()
      let second: Promise<unknown> | undefined
      const overtaken = restoringWith(slow, async (rows) => {
        const filled = Promise.withResolvers<void>()
        const waiting = restoringWith(fast, async (rows) => {
          const count = await fast.restore(rows)
          filled.resolve()
          await ended.promise
          return count
        })
        second = copyStore(await open('source.db'), waiting)
        await filled.promise
        return slow.restore(rows)
      })

      const first = await copyStore(store, overtaken)
      ended.resolve()

      assert.deepEqual(await second, first)
      assert.deepEqual(await rowsOf(slow), await rowsOf(store))
      assert.equal((await open('source.db')).info.moved, store.info.moved)
      await createService(fast).sending.send(MARIA, { to: 'codex', title: 'Goes on' })
    })

  it('is told where work goes on when a faster copy has ended, and that a used store is not empty', async (t) => {
    const { store, open } = await opened(t)
    const [target, used] = [await open('target.db'), await open('used.db')]
    await createService(used).sending.send(MARIA, { to: 'codex', title: 'Of others' })
    const overtaken = restoringWith(target, async (rows) => {
      const there = await open('target.db')
      await copyStore(await open('source.db'), there)
      await createService(there).sending.send(MARIA, { to: 'codex', title: 'Goes on' })
      return target.restore(rows)
    })

    await assert.rejects(copyStore(store, used), { code: 'conflict', message: /used\.db is not empty/ })
    await createService(store).sending.send(MARIA, { to: 'codex', title: 'Its source goes on' })
    await assert.rejects(copyStore(store, overtaken), { code: 'store_refused', message: /Go on there/ })
  })

  it('goes on after a crash at any point, and ends where work has gone on', async (t) => {
    const { store, open } = await opened(t)
    const [empty, filled] = [await open('empty.db'), await open('filled.db')]
    await store.retire(empty.info.location)
    assert.ok((await copyStore(store, empty)).rows > 0)
    await store.retire()
    await store.retire(filled.info.location)
    await filled.restore(store.dump())

    assert.ok((await copyStore(store, filled)).rows > 0)
    await createService(filled).sending.send(MARIA, { to: 'codex', title: 'Goes on' })

    for (const moved of [`${filled.info.location} (copy 1 not finished)`, filled.info.location]) {
      await store.retire(moved)
      await assert.rejects(copyStore(store, filled), { code: 'store_refused', message: /Go on there/ })
    }
    await assert.rejects(copyStore(filled, filled), { code: 'conflict', message: /holds this store already/ })
    await assert.rejects(copyStore(store, await open('third.db')), { code: 'store_refused' })
    assert.equal(store.info.moved, filled.info.location)
  })
})

describe('the log', () => {
  it('verifies, and a changed, exchanged or missing entry is found with its place', async (t) => {
    const { store, path } = await opened(t)
    const good = await verifyChains(store)
    assert.deepEqual(good.broken, [])
    await store.close()

    for (const [name, statement] of [
      [
        'text',
        `UPDATE entry SET body = CAST(replace(CAST(body AS TEXT), 'codex', 'mario') AS BLOB) WHERE act = 'handoff.accept'`,
      ],
      [
        'hash',
        `UPDATE entry SET hash = (SELECT hash FROM entry WHERE act = 'handoff.send' LIMIT 1) WHERE act = 'handoff.verify_pass'`,
      ],
      ['tail', `DELETE FROM entry WHERE act = 'artifact.put'`],
      ['middle', `DELETE FROM entry WHERE act = 'handoff.accept'`],
    ] as const) {
      const copy = path(`${name}.db`)
      writeFileSync(copy, readFileSync(path('source.db')))
      const db = new DatabaseSync(copy)
      db.exec(statement)
      db.close()
      const broken = await openStore({ engine: 'sqlite', path: copy })
      const report = await verifyChains(broken)
      await broken.close()
      assert.equal(report.broken.length, 1, name)
      assert.equal(typeof report.broken[0]?.reason, 'string')
    }
    assert.ok(existsSync(path('source.db')))
  })

  // One query for each chain took minutes of a doctor's look at a large store.
  it('is verified with a few reads, however many chains it has', async (t) => {
    const { store } = await opened(t)
    const { tasks } = createService(store)
    await Promise.all(Array.from({ length: 100 }, (_, i) => tasks.create(MARIA, { id: `P${i}`, title: 'x' })))
    let asked = 0
    const counting = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          asked += 1
          return value.apply(target, given)
        }
      },
    })

    const { streams, broken } = await verifyChains(counting)

    assert.deepEqual([streams > 100, broken], [true, []])
    assert.ok(asked < 20, `${asked} reads for ${streams} chains`)
  })
})

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`a backup by an older program, restored into ${engine}`, () => {
    it('is whole without the counts of reports, which such a program copied', async (t) => {
      const { store, path, open } = await opened(t)
      const older: Store = Object.assign(Object.create(store), {
        info: store.info,
        dump: async function* () {
          yield { table: 'meta', row: { key: 'flow 1 90d', value: 'of another store' } }
          yield* store.dump()
        },
      })
      await backup(older, path('old.backup'))
      const place = newPostgresPlace()
      t.after(() => place.remove())

      const restored = await restore(path('old.backup'), async () =>
        engine === 'sqlite' ? open('restored.db') : openStore(place.target),
      )

      t.after(() => restored.store.close())
      assert.deepEqual(await rowsOf(restored.store), await rowsOf(store))
      await restored.store.flow('90d', new Date())
    })
  })

/** A store that takes a dump in another way. */
const restoringWith = (store: Store, restore: Store['restore']): Store =>
  Object.assign(Object.create(store), { info: store.info, restore, dump: () => store.dump() })

async function* withoutOne(rows: AsyncIterable<DumpRow>): AsyncIterable<DumpRow> {
  let left = 1
  for await (const row of rows) {
    if (row.table === 'content' && left > 0) left -= 1
    else yield row
  }
}
