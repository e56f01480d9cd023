// The other side of bench/dashboard.ts in a process of its own: `node empty-server.ts FOLDER` serves what was built
// there as the dashboard is served, and answers a question with the words that it was asked.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { addWeb } from '../../src/transports/http/pages/web.ts'

const app = new Hono()
addWeb(app, process.argv[2] ?? '')
app.get('/v1/answer', (c) => c.json({ text: `answer ${c.req.query('text') ?? ''}` }))
const server = createServer(getRequestListener(app.fetch))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
console.log((server.address() as AddressInfo).port)
