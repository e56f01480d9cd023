import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { newKeys } from '../../../../test/support/log/audit.ts'
import { bearer, newToken, openHttp, post } from '../../../../test/support/servers/http-workspace.ts'
import { newPostgresPlace } from '../../../../test/support/store/store-places.ts'
import { until } from '../../../../test/support/store/store-units.ts'
import { createService, openStore } from '../../../compose/main.ts'
import { loadOperations } from '../../../operations/index.ts'
import type { Store } from '../../../storage/store.ts'
import { createHttpApp } from './app.ts'
import { Directory, type DirectoryOptions } from './directory.ts'
import { allowedHosts } from './guards.ts'

const NAMES = ['shop', 'bank']

/** A server with a workspace of its own and two others by name, of which none is open yet. */
async function openDirectory(t: TestContext, changed: Partial<DirectoryOptions> = {}) {
  const own = await openHttp(t)
  const places = new Map(NAMES.map((name) => [name, newPostgresPlace()]))
  const tokens = new Map([['', await own.token('ana')]])
  for (const [name, { target }] of places) {
    const store = await openStore(target)
    tokens.set(name, await newToken(createService(store), 'ana'))
    await store.close()
  }
  const { keys } = newKeys(t)
  /** Stores in the order in which they were opened, and those that were closed. */
  const stores: { readonly name: string; readonly store: Store; isClosed: boolean }[] = []
  const shared = {
    operations: await loadOperations(),
    hosts: allowedHosts('127.0.0.1', 4180),
    log: own.log,
  }
  const directory = new Directory(createHttpApp({ ...shared, service: own.service }), {
    ...shared,
    workspaces: {
      has: (name) => places.has(name),
      open: async (name) => {
        const store = await openStore(places.get(name)!.target)
        const opened = { name, store, isClosed: false }
        stores.push(opened)
        const close = store.close.bind(store)
        Object.assign(store, {
          close: async () => {
            await close()
            opened.isClosed = true
          },
        })
        return createService(store, { keys })
      },
    },
    ...changed,
  })
  t.after(() => directory.close())
  const ask = async (path: string, token: string, init: RequestInit = {}, outgoing = new EventEmitter()) => {
    const headers = { host: 'localhost:4180', ...bearer(token), ...init.headers }
    const request = new Request(`http://localhost:4180${path}`, { ...init, headers })
    const answer = await directory.fetch(request, outgoing as never)
    return { status: answer.status, text: await answer.text(), end: () => outgoing.emit('close') }
  }
  /** A call that is over when it is answered. */
  const call = async (...args: Parameters<typeof ask>) => {
    const answer = await ask(...args)
    answer.end()
    return answer
  }
  return { ask, call, tokens, stores, directory }
}

describe('a server with a directory of workspaces', () => {
  it('lets a token into the workspace that made it and into no other', async (t) => {
    const { call, tokens, stores } = await openDirectory(t)
    assert.deepEqual(stores, [], 'nothing is open before somebody asks')
    const sent = { to: 'codex', title: 'of the shop', summary: 'The plan stands here' }
    const made = await call('/w/shop/v1/handoffs', tokens.get('shop')!, post(tokens.get('shop')!, sent))
    assert.equal(made.status, 200, made.text)

    const places = ['', 'shop', 'bank']
    for (const at of places)
      for (const of of places) {
        const path = `${at && `/w/${at}`}/v1/handoffs`
        const { status, text } = await call(path, tokens.get(of)!)
        assert.equal(status, at === of ? 200 : 401, `the token of ${of || 'its own'} at ${path}`)
        assert.equal(text.includes('of the shop'), at === 'shop' && of === 'shop')
      }
    const unknown = await call('/w/nowhere/v1/handoffs', tokens.get('shop')!)
    const foreign = await call('/w/bank/v1/handoffs', tokens.get('shop')!)
    assert.deepEqual([unknown.status, unknown.text], [foreign.status, foreign.text])
    for (const name of ['shop', 'nowhere']) {
      const headers = { host: 'evil.example' }
      const visitor = await call(`/w/${name}/v1/handoffs`, tokens.get('shop')!, { headers })
      assert.equal(visitor.status, 403, `a page of another site asks for ${name}`)
    }
    for (const path of ['/w/shop/v1/session', '/w/shop/v1/%73ession', '/w/shop/'])
      assert.equal((await call(path, tokens.get('shop')!, post(tokens.get('shop')!, {}))).status, 404, path)
  })

  it('keeps few open: the one that is used least is signed and closed, and opened again', async (t) => {
    const { ask, call, tokens, stores } = await openDirectory(t, { most: 1 })
    const [shop, bank] = [tokens.get('shop')!, tokens.get('bank')!]
    const held = await ask('/w/shop/v1/inbox', shop)

    const refused = await call('/w/bank/v1/inbox', bank)
    assert.deepEqual([refused.status, JSON.parse(refused.text).retry], [503, true])
    held.end()
    assert.equal((await call('/w/bank/v1/inbox', bank)).status, 200)
    await until('the shop is closed', () => stores[0]!.isClosed)
    assert.equal((await call('/w/shop/v1/inbox', shop)).status, 200)

    assert.deepEqual(
      stores.map(({ name }) => name),
      ['shop', 'bank', 'shop'],
    )
    assert.equal((await stores[2]!.store.checkpoints({ limit: 1 })).length, 1)
  })

  it('closes a workspace that nobody asks for, and not one with a request under way', async (t) => {
    const { ask, call, tokens, stores } = await openDirectory(t, { idleMs: 20 })
    const held = await ask('/w/shop/v1/inbox', tokens.get('shop')!)
    await call('/w/bank/v1/inbox', tokens.get('bank')!)

    await until('the bank is closed', () => stores[1]!.isClosed)
    assert.equal(stores[0]!.isClosed, false)
    held.end()
    await until('the shop is closed', () => stores[0]!.isClosed)
  })

  it('tries a workspace again whose store was away', async (t) => {
    let isAway = true
    const { target } = newPostgresPlace()
    const { call } = await openDirectory(t, {
      workspaces: {
        has: () => true,
        open: async () => {
          if (isAway) throw new Error('away')
          return createService(await openStore(target))
        },
      },
    })
    assert.equal((await call('/w/shop/v1/inbox', 'x')).status, 500)
    isAway = false

    assert.equal((await call('/w/shop/v1/inbox', 'x')).status, 401)
  })
})
