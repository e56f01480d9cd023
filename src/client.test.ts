import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { newToken } from '../test/http-workspace.ts'
import { by, describeOnEngines, type Workspace } from '../test/workspace.ts'
import { createClient } from './client.ts'
import type { Service } from './service/service.ts'
import { createLog } from './transports/http/log.ts'
import { serve } from './transports/http/serve.ts'

const LISTENERS = 100

describeOnEngines('the client of a server', (open) => {
  it('calls operations by their names, with the errors that they have in process', async (t) => {
    const { url, service } = await servers(t, open)
    const ana = createClient({ url, token: await newToken(service, 'ana') })
    const codex = createClient({ url, token: await newToken(service, 'codex') })

    const { handoff } = await ana.handoff_send(
      { to: 'codex', title: 'Limits', summary: 'The API needs limits before the launch' },
      { key: 'k1' },
    )
    const again = await ana.handoff_send(
      { to: 'codex', title: 'Limits', summary: 'The API needs limits before the launch' },
      { key: 'k1' },
    )

    assert.equal(again.handoff.uid, handoff.uid)
    assert.equal((await codex.handoff_inbox({})).items[0]?.id, handoff.id)
    await assert.rejects(ana.handoff_accept({ id: handoff.id }), { code: 'not_allowed' })
    assert.equal((await codex.whoami()).name, 'codex')
  })

  it(`${LISTENERS} listeners get every event once and in order while the server is replaced`, async (t) => {
    const { url, service, restart } = await servers(t, open)
    const token = await newToken(service, 'watcher', ['report:read'])
    const stop = new AbortController()
    t.after(() => stop.abort())
    const wanted = 60
    const listeners = Array.from({ length: LISTENERS }, async () => {
      const got: string[] = []
      const client = createClient({ url, token })
      for await (const { id } of client.events({ since: '0', act: 'handoff.send', signal: stop.signal })) {
        got.push(id!)
        if (got.length === wanted) break
      }
      return got
    })
    const sent: string[] = []
    for (let i = 0; i < wanted; i += 1) {
      if (i === wanted / 2) await restart()
      const { handoff } = await service.sending.send(by('ana'), {
        to: 'codex',
        title: `number ${i}`,
        summary: 'The API needs limits before the launch',
      })
      sent.push(handoff.id)
    }

    for (const got of await Promise.all(listeners)) assert.deepEqual(got, sent)
  })

  it('tells what will not change by itself, and does not try for ever', async (t) => {
    const { url, service } = await servers(t, open)
    const client = createClient({ url, token: await newToken(service, 'narrow', ['handoff:write']) })

    await assert.rejects(client.events({ since: '0' }).next(), { code: 'not_found' })
  })
})

/** A server that can be replaced by another on the same port, over the same store. */
async function servers(
  t: TestContext,
  open: (t: TestContext) => Promise<Workspace>,
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
