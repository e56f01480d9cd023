import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { selfSigned } from '../../test/support/servers/certificate.ts'
import type { Message } from '../service/deps.ts'
import { createNotifying } from './index.ts'
import { postWebhook, type Webhook } from './webhook.ts'

const tls = selfSigned('hooks.example')
const POSTED = { id: 'd-1', at: 1_771_684_200, body: '{"event":"gate"}' }

interface Got {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

async function listening(t: TestContext, answer: RequestListener, secure = false) {
  const got: Got[] = []
  const listener: RequestListener = (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      got.push({ method: request.method, url: request.url, headers: request.headers, body })
      answer(request, response)
    })
  }
  const server = secure ? createTlsServer(tls, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, got }
}

const ok: RequestListener = (_, response) => void response.end('thanks')
const hook = (url: string, more: Partial<Webhook> = {}): Webhook => ({
  url,
  secret: 'shh',
  allowPrivate: true,
  ...more,
})
const here: NonNullable<Webhook['resolve']> = async () => [{ address: '127.0.0.1', family: 4 }]

describe('a webhook', () => {
  it('is posted with an id, the time and a signature over both and the body', async (t) => {
    const { port, got } = await listening(t, ok)

    await postWebhook(hook(`http://127.0.0.1:${port}/in?team=a`), POSTED)

    const { method, url, headers, body } = got[0]!
    const expected = createHmac('sha256', 'shh').update(`d-1.1771684200.${POSTED.body}`).digest('hex')
    assert.deepEqual([method, url, body], ['POST', '/in?team=a', POSTED.body])
    assert.deepEqual(
      [headers['baton-delivery'], headers['idempotency-key'], headers['baton-timestamp']],
      ['d-1', 'd-1', '1771684200'],
    )
    assert.equal(headers['baton-signature'], `v1=${expected}`)
    assert.equal(headers['content-type'], 'application/json')
  })

  it('goes to the address that was looked up, under the name and the certificate of its host', async (t) => {
    const { port, got } = await listening(t, ok, true)
    const url = `https://hooks.example:${port}/`

    await postWebhook(hook(url, { resolve: here, ca: tls.cert }), POSTED)
    await assert.rejects(
      postWebhook(hook(`https://other.example:${port}/`, { resolve: here, ca: tls.cert }), POSTED),
      { code: 'unavailable' },
    )
    await assert.rejects(postWebhook(hook(url, { resolve: here }), POSTED), { code: 'unavailable' })

    assert.deepEqual(
      got.map(({ headers }) => headers.host),
      [`hooks.example:${port}`],
    )
  })

  it('[T18] follows no redirect, wherever it leads', async (t) => {
    const target = await listening(t, ok)
    for (const status of [301, 302, 303, 307, 308]) {
      const { port } = await listening(t, (_, response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${target.port}/` }).end()
      })
      await assert.rejects(postWebhook(hook(`http://127.0.0.1:${port}/`), POSTED), {
        code: 'unavailable',
        message: `127.0.0.1 answered ${status}`,
      })
    }

    assert.deepEqual(target.got, [])
  })

  it('is delivered by any 2xx and by nothing else', async (t) => {
    for (const [status, delivered] of [
      [200, true],
      [204, true],
      [299, true],
      [300, false],
      [400, false],
      [410, false],
      [500, false],
    ] as const) {
      const { port } = await listening(t, (_, response) => void response.writeHead(status).end())
      const sent = postWebhook(hook(`http://127.0.0.1:${port}/`), POSTED)
      if (delivered) await sent
      else await assert.rejects(sent, { code: 'unavailable' })
    }
  })

  it('ends when nobody answers, and reads no answer however long it is', async (t) => {
    const silent = await listening(t, () => undefined)
    const endless = await listening(t, (_, response) => {
      response.writeHead(200)
      const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more))
      more()
    })

    await assert.rejects(postWebhook(hook(`http://127.0.0.1:${silent.port}/`, { timeoutMs: 100 }), POSTED), {
      code: 'timed_out',
    })
    await postWebhook(hook(`http://127.0.0.1:${endless.port}/`), POSTED)
  })

  it('ends when its name cannot be looked up in time', async () => {
    const never = () => new Promise<never>(() => undefined)

    await assert.rejects(postWebhook(hook('https://x.example/', { resolve: never, timeoutMs: 50 }), POSTED), {
      code: 'timed_out',
    })
  })

  it('needs https outside this machine, and an address without a password', async () => {
    const outside: NonNullable<Webhook['resolve']> = async () => [{ address: '10.0.0.1', family: 4 }]

    await assert.rejects(postWebhook(hook('http://intranet.example/', { resolve: outside }), POSTED), {
      code: 'not_allowed',
      message: 'a webhook outside this machine needs https',
    })
    for (const url of ['ftp://x.example/', 'https://u:p@x.example/', 'x', 'file:///etc/passwd'])
      await assert.rejects(postWebhook(hook(url), POSTED), { code: 'invalid_input' })
  })

  it('tells ids, names, the command and the link, and what agents wrote only cleaned and on one line', async (t) => {
    const { port, got } = await listening(t, ok)
    const { channels, send } = createNotifying(
      [
        {
          name: 'ops',
          webhook: `http://127.0.0.1:${port}/`,
          secret_env: 'HOOK',
          allow_private: true,
          link: 'https://baton.example.com/',
        },
      ],
      (variable) => (variable === 'HOOK' ? 'shh' : undefined),
    )

    await send('ops', MESSAGE)

    assert.deepEqual(channels, [{ name: 'ops', kind: 'webhook', events: undefined, for: undefined }])
    const body = JSON.parse(got[0]!.body)
    assert.deepEqual(body, {
      id: 'd-1',
      event: 'gate',
      at: MESSAGE.at,
      to: 'maria',
      workspace: 'shop',
      text: 'A gate waits for your decision: HO-2026-001',
      handoff: { ...MESSAGE.handoff, title: 'Ship Bcc: eve it' },
      command: 'baton decide HO-2026-001',
      link: 'https://baton.example.com/handoffs/h-1',
    })
    await assert.rejects(send('gone', MESSAGE), { code: 'not_found' })
  })

  it('is not sent without its secret', async (t) => {
    const { port, got } = await listening(t, ok)
    const { send } = createNotifying(
      [{ name: 'ops', webhook: `http://127.0.0.1:${port}/`, secret_env: 'HOOK', allow_private: true }],
      () => undefined,
    )

    await assert.rejects(send('ops', MESSAGE), {
      code: 'unavailable',
      message: 'the environment variable HOOK is not set where messages are sent',
    })

    assert.deepEqual(got, [])
  })
})

const MESSAGE: Message = {
  uid: 'd-1',
  event: 'gate',
  at: '2026-02-21T14:30:00.000Z',
  to: 'maria',
  workspace: 'shop',
  handoff: {
    uid: 'h-1',
    id: 'HO-2026-001',
    type: 'gate',
    state: 'needs_input',
    from: 'planner',
    to: 'maria',
    title: 'Ship\u001b]0;x\u0007\r\nBcc: eve\u202e it',
  },
  command: 'baton decide HO-2026-001',
}
