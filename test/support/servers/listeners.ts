import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { createClient } from '../../../src/client.ts'
import type { Service } from '../../../src/service/service.ts'
import { createLog } from '../../../src/transports/http/server/log.ts'
import { serve } from '../../../src/transports/http/server/serve.ts'
import { by, type Workspace } from '../program/workspace.ts'
import { newToken } from './http-workspace.ts'

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

export interface Servers {
  readonly url: string
  /** In process, over the same store: it is there while no server is. */
  readonly service: Service
  /** What the servers logged, line by line. */
  readonly lines: readonly string[]
  stop(): Promise<void>
  /** Another one on the same port, after the one before has ended. */
  restart(): Promise<void>
}

/** A server that can be replaced by another on the same port, over the same store. */
export async function servers(t: TestContext, open: Open, holdMs = 60_000): Promise<Servers> {
  const workspace = await open(t)
  const lines: string[] = []
  const start = async (port: number) =>
    serve({
      service: await workspace.beside(),
      port,
      signals: false,
      log: createLog({ write: (line) => lines.push(line) }),
      times: { graceMs: 100, holdMs },
    })
  let server = await start(0)
  t.after(() => server.close())
  return {
    url: server.url,
    service: workspace.service,
    lines,
    stop: () => server.close(),
    async restart() {
      const { port } = server
      await server.close()
      server = await start(port)
    },
  }
}

/** Waits until the servers have logged that many lines with this text. */
export async function logged(lines: readonly string[], text: string, times: number): Promise<void> {
  for (let tries = 0; lines.filter((line) => line.includes(text)).length < times; tries += 1) {
    assert.ok(tries < 500, `${text} was not logged ${times} times`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
