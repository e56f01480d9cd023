import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { allowedHosts, protect, refuseForeign } from '../../src/transports/http/server/guards.ts'
import { createWire } from '../../src/transports/mcp/http.ts'
import { problemResponse } from '../../src/transports/shared/problem.ts'
import { bus, createFixtureServer } from './conformance-fixtures.ts'

const SUITE = resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
const CALLER = {
  actor: { name: 'suite', kind: 'agent', auth: 'token' },
  scopes: ['*'],
  token: 'suite',
} as const

describe('official conformance suite', () => {
  for (const revision of ['2025-11-25', '2026-07-28'])
    it(`finds every scenario that ${revision} requires kept by the wiring of /mcp`, async (t) => {
      const url = await startFixtures(t)

      const { code, output } = await suite(url, revision)

      assert.equal(code, 0, output)
      // A suite that ran nothing would end with 0 as well.
      assert.match(output, /✓ tools-call-simple-text: [1-9]/)
      assert.match(output, /Total: [1-9]\d+ passed/)
    })
})

/** The wiring of the product, with its guards and without its tokens, over the fixtures. */
async function startFixtures(t: TestContext): Promise<string> {
  const wire = createWire(createFixtureServer, bus)
  const app = new Hono()
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const hosts = allowedHosts('127.0.0.1', port)
  app.use(async (c, next) => {
    refuseForeign(c.req.raw, hosts)
    await next()
    protect(c.res)
  })
  app.onError((error) => protect(problemResponse(error)))
  app.all('/mcp', (c) => wire.fetch(c.req.raw, CALLER))
  t.after(async () => {
    await wire.close()
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}/mcp`
}

async function suite(url: string, revision: string): Promise<{ code: number | null; output: string }> {
  const args = [SUITE, 'server', '--url', url, '--requirements', revision]
  const child = spawn(process.execPath, args, { cwd: join(import.meta.dirname, '../..') })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
