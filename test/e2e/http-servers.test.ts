import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { createClient } from '../../src/client.ts'
import { createService, openStore, toStoreTarget } from '../../src/compose/main.ts'
import { BatonError } from '../../src/domain/errors.ts'
import { type Acknowledged, checkInvariants } from '../faults/check-invariants.ts'
import { folders } from '../support/documents/folders.ts'
import type { Where } from '../support/program/command.ts'
import { newToken } from '../support/servers/http-workspace.ts'
import { startBalancer, startServer } from '../support/servers/servers.ts'
import { newDatabase } from '../support/store/store-places.ts'

const WORKERS = 6
const EACH = 8
const EVIDENCE = { evidence: [{ deliverable: 'a plan', evidence: 'plan.md' }] }

/** Two servers on one empty database, behind a balancer that sends every request to the next of them. */
async function twoServers(t: TestContext) {
  const database = await newDatabase()
  const store = await openStore(toStoreTarget(database))
  t.after(() => store.close())
  const balancer = await startBalancer(t)
  const made = folders(t)
  const start = (name: string) => {
    const where: Where = {
      cwd: made.folder(name, 'work'),
      env: { CI: 'true', BATON_TRUST: store.info.origin },
    }
    return startServer(t, where, '--store', database, '--allow-host', balancer.host, '--as', 'ops')
  }
  const servers = [await start('one'), await start('two')] as const
  balancer.ports.push(...servers.map(({ port }) => port))
  return { store, service: createService(store), balancer, servers }
}

/** Asks again, with the same key, for as long as it is worth it. */
async function insist<T>(call: () => Promise<T>): Promise<T> {
  for (let left = 200; ; left -= 1) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof BatonError && error.retry) || left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}

describe('two servers on one PostgreSQL', () => {
  it('lose and double nothing when one of them is killed under load', async (t) => {
    const { store, service, balancer, servers } = await twoServers(t)
    const client = async (agent: string) =>
      createClient({ url: balancer.url, token: await newToken(service, agent) })
    const acknowledged: Acknowledged[] = []
    const stop = new AbortController()
    t.after(() => stop.abort())
    const watcher = await client('watcher')
    const heard: string[] = []
    const listening = (async () => {
      for await (const event of watcher.events({ since: '0', act: 'handoff.send', signal: stop.signal })) {
        heard.push(event.id!)
        if (heard.length === WORKERS * EACH) return
      }
    })()
    let finished = 0
    const passed = Promise.withResolvers<void>()
    const work = async (n: number) => {
      const [asking, doing] = [await client(`asker-${n}`), await client(`doer-${n}`)]
      for (let i = 0; i < EACH; i += 1) {
        const input = { to: `doer-${n}`, title: `work ${n}.${i}`, deliverables: ['a plan'] }
        const { handoff } = await insist(() => asking.handoff_send(input, { key: `send-${i}` }))
        const { id } = handoff
        const accepted = await insist(() => doing.handoff_accept({ id }, { key: `accept-${i}` }))
        const submitted = await insist(() =>
          doing.handoff_submit({ id, ...EVIDENCE }, { key: `submit-${i}` }),
        )
        const done = await insist(() => asking.handoff_verify({ id, pass: true }, { key: `verify-${i}` }))
        acknowledged.push(handoff, accepted.handoff, submitted.handoff, done.handoff)
        finished += 1
        if (finished === WORKERS * 2) passed.resolve()
      }
    }
    const working = Promise.all(Array.from({ length: WORKERS }, (_, n) => work(n)))

    await Promise.race([passed.promise, working])
    assert.ok(finished < WORKERS * EACH, 'the load was over before the kill')
    servers[0].child.kill('SIGKILL')
    await once(servers[0].child, 'exit')
    await working
    await listening

    const { items } = await service.looking.list({}, { limit: 200 })
    assert.equal(items.length, WORKERS * EACH)
    assert.equal(new Set(items.map(({ title }) => title)).size, items.length)
    assert.ok(items.every(({ state, attempt }) => state === 'completed' && attempt === 1))
    assert.deepEqual(heard.toSorted(), items.map(({ id }) => id).toSorted())
    for (const { port } of servers) assert.ok((balancer.given.get(port) ?? 0) > 0)
    await checkInvariants(store, { acknowledged })
  })

  it('know at once of a token that was revoked through the other', async (t) => {
    const { service, servers } = await twoServers(t)
    const token = await newToken(service, 'codex')
    const ask = async (url: string) =>
      (await fetch(`${url}/v1/inbox`, { headers: { authorization: `Bearer ${token}` } })).status
    assert.deepEqual([await ask(servers[0].url), await ask(servers[1].url)], [200, 200])
    const { uid } = (await (await service.tokens()).list()).find(({ agent }) => agent === 'codex')!
    await (await service.tokens()).revoke({ actor: { name: 'ops', kind: 'human', auth: 'os-user' } }, uid)

    assert.deepEqual([await ask(servers[0].url), await ask(servers[1].url)], [401, 401])
  })
})
