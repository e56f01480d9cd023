// One side of bench/http.ts in a process of its own: `node http-server.ts baton STORE` or `node http-server.ts echo`.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { createService, openStore, toStoreTarget } from '../../src/compose/main.ts'
import { createLog } from '../../src/transports/http/server/log.ts'
import { serve } from '../../src/transports/http/server/serve.ts'

const [side, path = ''] = process.argv.slice(2)

if (side === 'baton') {
  const service = createService(await openStore(toStoreTarget(path)))
  const log = createLog({ write: () => true })
  await serve({ service, port: 0, log, onReady: ({ port }) => console.log(port) })
} else {
  const app = new Hono()
  // As many bytes as the caller wants, after its JSON was read.
  app.post('/:length', async (c) => {
    await c.req.json()
    return c.body(`"${'x'.repeat(Number(c.req.param('length')) - 2)}"`, 200, {
      'content-type': 'application/json',
    })
  })
  const server = createServer(getRequestListener(app.fetch))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  console.log((server.address() as AddressInfo).port)
}
