import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, trusted, type Where } from '../support/program/command.ts'
import { get } from '../support/servers/http-workspace.ts'
import { startServer } from '../support/servers/servers.ts'
import { newDatabase } from '../support/store/store-places.ts'
import { until } from '../support/store/store-units.ts'

const SERVER = `server:
  pools: { writes: 3, reads: 7, slow_reads: 5 }
  timeouts: { request: 2s, query: 45s, slow_read: 40s, slow_budget: 20s }
  keep_alive: 100s
  replica: REPLICA
  log_level: info
  request_log: 3
`

describe('the server section of baton.yaml', () => {
  it('sets pools, replica, keep-alive and request log of a server, after a person trusts it', async (t) => {
    const place = folders(t)
    const env = { BATON_STORE: await newDatabase() }
    const where: Where = { cwd: place.repository('shop'), env }
    // A server that follows nobody is not asked.
    place.file('shop/baton.yaml', SERVER.replace('REPLICA', env.BATON_STORE))
    const unsure = await startServer(t, where, '--as', 'maria')
    await fetch(`${unsure.url}/healthz`)
    trusted(where)
    const { secret } = await ask(
      where,
      'token',
      'create',
      '--agent',
      'maria',
      '--scope',
      '*',
      '--as',
      'maria',
    )
    const server = await startServer(t, where, '--as', 'maria')

    const metrics = async (url: string) => (await fetch(`${url}/metrics`, get(String(secret)))).text()
    const sizes = (text: string) =>
      [...text.matchAll(/^baton_pool_size\{pool="(\w+)"\} (\d+)$/gm)].map(
        ([, pool, size]) => `${pool} ${size}`,
      )
    assert.deepEqual(sizes(await metrics(unsure.url)), ['writes 3', 'reads 4', 'slow_reads 2'])
    const answer = await fetch(`${server.url}/healthz`)
    assert.equal(answer.headers.get('keep-alive'), 'timeout=100')
    assert.deepEqual(sizes(await metrics(server.url)), ['writes 4', 'reads 7', 'slow_reads 5'])
    const list = await fetch(`${server.url}/v1/handoffs?state=completed`, get(String(secret)))
    assert.equal(list.status, 200)
    assert.match(await metrics(server.url), /^baton_replica_reads_total\{replica="away"\} 1$/m)
    for (let i = 0; i < 5; i++) await metrics(server.url)
    await fetch(`${server.url}/v1/inbox`)
    const requests = () =>
      server
        .told()
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event === 'request')
        .map(({ status }) => status)
    await until('the refusal was told', () => requests().includes(401))
    // Of nine calls every third, and each that was refused.
    assert.deepEqual(requests(), [200, 200, 200, 401])
  })
})
