import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { createClient } from '../src/client.ts'
import type { Service } from '../src/service/service.ts'
import { createLog } from '../src/transports/http/log.ts'
import { serve } from '../src/transports/http/serve.ts'
import { newToken } from './http-workspace.ts'
import { by, type Workspace } from './workspace.ts'

type Open = (t: TestContext) => Promise<Workspace>

const EVENTS = 60

/** That many listeners hear of everything while the server is replaced under them. */
export function itListens(listeners: number, open: Open): void {
  it(`${listeners} listeners get every event once and in order while the server is replaced`, async (t) => {
    const { url, service, restart } = await servers(t, open)
    const token = await newToken(service, 'watcher', ['report:read'])
    const stop = new AbortController()
    t.after(() => stop.abort())
    const hearing = Array.from({ length: listeners }, async () => {
      const got: string[] = []
      const client = createClient({ url, token })
      for await (const { id } of client.events({ since: '0', act: 'handoff.send', signal: stop.signal })) {
        got.push(id!)
        if (got.length === EVENTS) break
      }
      return got
    })
    const sent: string[] = []
    for (let i = 0; i < EVENTS; i += 1) {
      if (i === EVENTS / 2) await restart()
      const { handoff } = await service.sending.send(by('ana'), {
        to: 'codex',
        title: `number ${i}`,
        summary: 'The API needs limits before the launch',
      })
      sent.push(handoff.id)
    }

    for (const got of await Promise.all(hearing)) assert.deepEqual(got, sent)
  })
}

/** A server that can be replaced by another on the same port, over the same store. */
export async function servers(
  t: TestContext,
  open: Open,
): Promise<{ url: string; service: Service; restart(): Promise<void> }> {
  const workspace = await open(t)
  const start = async (port: number) =>
    serve({
      service: await workspace.beside(),
      port,
      signals: false,
      log: createLog({ write: () => undefined }),
      times: { graceMs: 100 },
    })
  let server = await start(0)
  t.after(() => server.close())
  return {
    url: server.url,
    service: workspace.service,
    async restart() {
      const { port } = server
      await server.close()
      server = await start(port)
    },
  }
}
