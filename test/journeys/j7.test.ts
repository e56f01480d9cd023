import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { createClient } from '../../src/client.ts'
import { createService, openStore, toStoreTarget } from '../../src/compose/main.ts'
import { BatonError } from '../../src/domain/errors.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, baton, quick, refusal, type Where } from '../support/program/command.ts'
import { newToken } from '../support/servers/http-workspace.ts'
import { startBalancer, startServer } from '../support/servers/servers.ts'
import { newDatabase } from '../support/store/store-places.ts'

const AGENTS = 200

describe('twenty machines', () => {
  it('share one workspace through two servers, and go on when one of them is killed', async (t) => {
    const store = await newDatabase()
    const made = folders(t)
    const host = (name: string): Where => ({ cwd: made.folder(name, 'work'), env: { BATON_STORE: store } })
    const balancer = await startBalancer(t)
    const behind = ['--allow-host', balancer.host]
    const first = await startServer(t, host('one'), '--store', store, ...behind)
    const { origin } = await ask<{ origin: string }>(host('one'), 'store', 'info')
    // The second host did not make the store: whoever deploys it names the log that it may believe.
    const two = { ...host('two'), env: { BATON_STORE: store, BATON_TRUST: origin } }
    const servers = [first, await startServer(t, two, '--store', store, ...behind)]
    balancer.ports.push(...servers.map(({ port }) => port))
    const admin = host('admin')
    const newest = async (agent: string, ...scopes: string[]) =>
      ask<{ secret: string; token: { scopes: string[]; expires_at: string } }>(
        admin,
        ...['token', 'create', '--agent', agent, ...scopes.flatMap((each) => ['--scope', each])],
        ...['--expires', '90d'],
      )
    const { secret, token } = await newest('ci', 'handoff:write')
    assert.deepEqual(token.scopes, ['handoff:write'])
    const there = (name: string, given: string): Where => ({
      cwd: made.folder(name, 'work'),
      env: { BATON_URL: balancer.url, BATON_TOKEN: given },
    })
    const ci = there('ci', secret)

    const empty = await baton(ci, 'inbox')
    assert.equal(empty.code, 0, empty.stderr)
    const planner = there('planner', (await newest('planner', 'handoff:write')).secret)
    const { handoff } = await ask<{ handoff: Handoff }>(
      planner,
      ...['send', '--to', 'ci', '--title', 'Run the load test', '--summary', 'Before the launch of the API'],
    )
    assert.match((await quick(ci, 'inbox')).stdout, new RegExp(handoff.id))
    assert.equal((await refusal(ci, 'task', 'list')).code, 'not_found')

    servers[0]!.child.kill('SIGKILL')
    await once(servers[0]!.child, 'exit')
    balancer.ports.shift()

    assert.match((await quick(ci, 'inbox')).stdout, new RegExp(handoff.id))
    await ask(ci, 'accept', '@')
    assert.equal((await ask<{ handoff: Handoff }>(planner, 'show', handoff.id)).handoff.holder, 'ci')
  })

  it(`${AGENTS} agents call at once through both, and each is held to its own limit`, async (t) => {
    const database = await newDatabase()
    const store = await openStore(toStoreTarget(database))
    t.after(() => store.close())
    const service = createService(store)
    const made = folders(t)
    const balancer = await startBalancer(t)
    for (const name of ['one', 'two']) {
      const env = { CI: 'true', BATON_TRUST: store.info.origin }
      const where: Where = { cwd: made.folder(name, 'work'), env }
      const args = ['--store', database, '--allow-host', balancer.host, '--as', 'ops']
      balancer.ports.push((await startServer(t, where, ...args)).port)
    }
    const names = Array.from({ length: AGENTS }, (_, n) => `agent-${n}`)
    const clients = []
    for (const name of names) {
      const token = await newToken(service, name, ['handoff:write'])
      await service.agents.add(
        { actor: { name: 'ops', kind: 'human', auth: 'os-user' } },
        { name, max_outgoing: 1 },
      )
      clients.push(createClient({ url: balancer.url, token }))
    }

    const outcomes = await Promise.all(
      clients.map(async (client, n) => {
        const to = names[(n + 1) % AGENTS]!
        const send = (title: string) =>
          client.handoff_send({ to, title }).then(
            () => 'sent',
            (error: unknown) => (error instanceof BatonError ? error.code : String(error)),
          )
        return (await Promise.all([send('first'), send('second')])).toSorted()
      }),
    )

    for (const outcome of outcomes) assert.deepEqual(outcome, ['limit_exceeded', 'sent'])
    const { outgoing } = Object.values((await service.looking.counts()).agents).reduce(
      (sum, each) => ({ outgoing: sum.outgoing + each.outgoing }),
      { outgoing: 0 },
    )
    assert.equal(outgoing, AGENTS)
  })
})
