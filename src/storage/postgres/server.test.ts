import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { type OwnPostgres, startOwnPostgres } from '../../../test/support/servers/postgres.ts'
import { newDatabase, query } from '../../../test/support/store/store-places.ts'
import { freshHandoff, offer, put, run, until } from '../../../test/support/store/store-units.ts'
import { BatonError } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Store } from '../store.ts'
import { openPostgresStore } from './postgres-store.ts'

describe('a server of one’s own', () => {
  let server: OwnPostgres
  before(async () => {
    server = await startOwnPostgres()
  })
  after(() => server.stop())

  const everywhere = async (change: string): Promise<void> => {
    await query(server.url, `ALTER SYSTEM ${change}`)
    await query(server.url, 'SELECT pg_reload_conf()')
  }
  for (const [setting, fix] of [
    ['fsync', /has fsync off .*set fsync = on in postgresql\.conf and reload/],
    ['full_page_writes', /has full_page_writes off .*set full_page_writes = on and reload/],
    ['synchronous_commit', /acknowledges commits before they are on disk; set synchronous_commit = on/],
  ] as const)
    it(`is refused with the fix while it has ${setting} off`, async (t) => {
      const url = await newDatabase(server.url)
      await everywhere(`SET ${setting} = off`)
      const current = async () => (await query(url, `SHOW ${setting}`))[0]?.[setting]
      await until('the setting is off', async () => (await current()) === 'off')

      await assert.rejects(openPostgresStore({ url, workspace: 'a' }), {
        name: 'BatonError',
        code: 'store_refused',
        message: fix,
      })
      await everywhere(`RESET ${setting}`)
      await until('the setting is on', async () => (await current()) === 'on')

      await offer(await open(t, url))
    })

  for (const whose of ['DATABASE', 'ROLE'] as const)
    it(`is refused where only this ${whose.toLowerCase()} has synchronous_commit off`, async (t) => {
      const url = await newDatabase(server.url)
      const name = whose === 'ROLE' ? 'postgres' : new URL(url).pathname.slice(1)
      await query(url, `ALTER ${whose} ${name} SET synchronous_commit = off`)

      await assert.rejects(openPostgresStore({ url, workspace: 'a' }), { code: 'store_refused' })
      await query(url, `ALTER ${whose} ${name} RESET synchronous_commit`)

      await offer(await open(t, url))
    })

  it('may crash in the middle of calls: what was answered is there, and the store goes on by itself', async (t) => {
    const url = await newDatabase(server.url)
    const store = await open(t, url)
    const [kept, refused]: [Handoff[], Handoff[]] = [[], []]

    for (let round = 0; round < 2; round++) {
      let isOver = false
      const callers = Array.from({ length: 4 }, async () => {
        for (let isRefused = false; !isOver && !isRefused; ) {
          const handoff = freshHandoff()
          await run(store, { streams: [handoff.root] }, (view) => put(view, handoff)).then(
            () => kept.push(handoff),
            (error: unknown) => {
              assert.ok(error instanceof BatonError && error.retry, String(error))
              refused.push(handoff)
              isRefused = true
            },
          )
        }
      })
      const before = kept.length
      await until('calls are under way', () => kept.length > before + 5)
      await server.crash()
      await server.start()
      isOver = true
      await Promise.all(callers)
      kept.push(await offer(store))
    }

    const entries = new Set(await allSubjects(store))
    for (const handoff of kept) {
      assert.deepEqual(await store.handoff(handoff.uid), handoff)
      assert.ok(entries.has(handoff.uid))
    }
    for (const { uid } of refused) assert.equal((await store.handoff(uid)) !== undefined, entries.has(uid))
  })

  it('may be down when somebody opens or calls: told at once with the fix, and used when it is back', async (t) => {
    const url = new URL(await newDatabase(server.url))
    url.password = 'sesame'
    const store = await open(t, url.href)
    await server.crash()

    for (const call of [
      () => openPostgresStore({ url: url.href, workspace: 'a' }),
      () => offer(store),
      () => store.counts(),
    ]) {
      const began = performance.now()
      const error: unknown = await call().then(
        () => undefined,
        (failure: unknown) => failure,
      )
      assert.ok(error instanceof BatonError)
      assert.equal(error.code, 'unavailable')
      assert.match(error.message, /cannot be reached .*check that it runs, check the address, then try again/)
      assert.doesNotMatch(error.message, /sesame/)
      assert.ok(performance.now() - began < 5_000, 'nobody waits long for a server that is not there')
    }
    await server.start()

    const handoff = await offer(store)
    assert.deepEqual(await store.handoff(handoff.uid), handoff)
  })
})

async function allSubjects(store: Store): Promise<readonly string[]> {
  const subjects: string[] = []
  let cursor = '0'
  for (;;) {
    const { entries, cursor: next } = await store.changes(cursor, 1_000)
    if (entries.length === 0) return subjects
    subjects.push(...entries.map(({ subject }) => subject))
    cursor = next
  }
}

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openPostgresStore({ url, workspace: 'a' })
  t.after(() => store.close())
  return store
}
