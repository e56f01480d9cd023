import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Page, Response } from 'playwright-core'
import { ask } from '../support/program/command.ts'
import { type Dashboard, openDashboard, type Seat, until } from './dashboard.ts'

const SECRET = 'Rotate the signing keys'
const DECISION = JSON.stringify({ choice: 'approve', comment: 'owned' })

let dashboard: Dashboard
let seat: Seat
let foreign: Server
let gate: string
let decide: string

/** A page of somebody else: on another port of the same name, which a browser takes for the same site, and elsewhere. */
const places = (): readonly (readonly [name: string, origin: string])[] => {
  const { port } = foreign.address() as AddressInfo
  return [
    ['another port of the same address', `http://127.0.0.1:${port}`],
    ['another name of this machine', `http://localhost:${port}`],
    ['another name with a point', `http://evil.localhost:${port}`],
  ]
}

before(async () => {
  foreign = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>elsewhere</title><p>Nothing to see here.')
  }).listen(0, '127.0.0.1')
  await once(foreign, 'listening')
  dashboard = await openDashboard()
  const planner = await dashboard.as('planner')
  await planner.handoff_send({ to: 'codex', title: SECRET })
  gate = (await planner.handoff_send({ to: 'human', type: 'gate', title: 'Go?', gate: { name: 'go' } }))
    .handoff.id
  decide = `/v1/gates/${gate}/decide`
  // After a minute the server signs the log, and the first signature names its key in an entry.
  await ask(dashboard.where, 'audit', 'checkpoint')
  seat = await dashboard.open('/')
  await seat.page.getByText(SECRET).waitFor()
})
after(async () => {
  foreign.close()
  await dashboard?.close()
})

/** A page of somebody else in the browser of the person who is logged in, and what the server answered it. */
async function visit(origin: string): Promise<{ page: Page; answers: readonly Response[] }> {
  const page = await seat.context.newPage()
  const answers: Response[] = []
  page.on('response', (response) => {
    if (new URL(response.url()).origin === dashboard.url) answers.push(response)
  })
  await page.goto(origin)
  return { page, answers }
}

/** All that can be seen of the workspace from outside, and who the browser is. */
async function state() {
  const { entries } = await ask<{ entries: number }>(dashboard.where, 'status')
  const { handoff } = await ask<{ handoff: { state: string } }>(dashboard.where, 'show', gate)
  const cookies = (await seat.context.cookies()).map(({ name, value }) => `${name}=${value}`)
  return { entries, gate: handoff.state, cookies }
}

/** Runs the attack from every place: nothing may have changed, and no answer may be anything but a refusal. */
async function attack(from: (page: Page) => Promise<unknown>): Promise<readonly unknown[]> {
  const before = await state()
  const results: unknown[] = []
  for (const [name, origin] of places()) {
    const { page, answers } = await visit(origin)
    results.push(await from(page))
    assert.deepEqual(
      answers.map((answer) => `${answer.status()} ${new URL(answer.url()).pathname}`).filter(isLetIn),
      [],
      name,
    )
    await page.close()
  }
  assert.deepEqual(await state(), before)
  return results
}

/** Runs in the page: sends a form whose text is JSON. */
function submitForm([action, within, body]: readonly string[]): void {
  const frame = document.createElement('iframe')
  frame.name = `frame-${document.forms.length}`
  const target = within === 'a frame' ? frame.name : '_self'
  const form = document.createElement('form')
  const field = document.createElement('input')
  field.name = body!.replace(/\}$/, ',"x":"')
  field.value = '"}'
  Object.assign(form, { method: 'post', enctype: 'text/plain', action, target })
  form.append(field)
  document.body.append(frame, form)
  form.submit()
}

const isLetIn = (line: string): boolean => !line.startsWith('403 ')

describe('a page of somebody else, in a browser in which the dashboard is logged in', () => {
  it('would be served, were it not somebody else’s: the same calls from the dashboard itself are', async () => {
    const own = await seat.page.evaluate(async (path) => {
      const [inbox, check] = [await fetch('/v1/inbox'), await fetch(path, { method: 'POST', body: '{}' })]
      return [inbox.status, check.status]
    }, '/v1/documents/check')

    assert.equal(own[0], 200)
    assert.notEqual(own[1], 403)
  })

  it('reads nothing with fetch, with and without credentials, in any mode', async () => {
    const results = await attack((page) =>
      page.evaluate(async (url) => {
        const seen: string[] = []
        for (const path of [
          '/v1/inbox',
          '/v1/handoffs',
          '/v1/whoami',
          '/v1/events',
          '/metrics',
          '/healthz',
          '/',
        ])
          for (const credentials of ['include', 'omit'] as const)
            for (const mode of ['cors', 'no-cors'] as const) {
              const read = await fetch(url + path, { credentials, mode }).then(
                async (response) => `${response.type} ${response.status} ${await response.text()}`,
                () => 'failed',
              )
              if (read !== 'failed' && read !== 'opaque 0 ') seen.push(`${path}: ${read}`)
            }
        return seen
      }, dashboard.url),
    )

    assert.deepEqual(results, [[], [], []])
  })

  it('changes nothing with fetch, beacons and calls that outlive it', async () => {
    await attack((page) =>
      page.evaluate(
        async ([url, path, body]) => {
          const types = ['text/plain', 'application/json', 'application/x-www-form-urlencoded']
          for (const type of types)
            for (const mode of ['cors', 'no-cors'] as const) {
              const init: RequestInit = { method: 'POST', mode, credentials: 'include', body: body! }
              const headers = { 'content-type': type, ...(mode === 'cors' && { 'idempotency-key': 'k' }) }
              await fetch(url! + path, { ...init, headers }).catch(() => undefined)
              await fetch(`${url}/v1/session/end`, { ...init, headers }).catch(() => undefined)
            }
          navigator.sendBeacon(url! + path, body)
          await fetch(url! + path, {
            method: 'POST',
            mode: 'no-cors',
            credentials: 'include',
            keepalive: true,
            body: body!,
          }).catch(() => undefined)
        },
        [dashboard.url, decide, DECISION],
      ),
    )
  })

  it('changes nothing with a form, in a frame and in its own window, and logs nobody in or out', async () => {
    const submits = [
      { path: decide, target: 'a frame' },
      { path: '/v1/session', target: 'a frame' },
      { path: '/v1/session/end', target: 'a frame' },
      { path: decide, target: 'its window' },
    ]
    await attack(async (page) => {
      for (const { path, target } of submits) {
        const answered = page.waitForResponse((response) => response.url() === dashboard.url + path)
        await page.evaluate(submitForm, [dashboard.url + path, target, DECISION])
        assert.equal((await answered).status(), 403, `${path} ${target}`)
      }
    })
  })

  it('may send somebody here by a link, who goes on by a click of their own', async () => {
    for (const [name, origin] of places()) {
      const { page, answers } = await visit(origin)
      await page.evaluate((url) => {
        const link = Object.assign(document.createElement('a'), {
          href: `${url}/inbox#code`,
          textContent: 'Go',
        })
        document.body.append(link)
      }, dashboard.url)
      await page.getByText('Go').click()

      const way = page.getByRole('link', { name: 'Open this page' })
      await way.waitFor()
      assert.deepEqual(
        answers.map((answer) => answer.status()),
        [403],
        name,
      )
      await way.click()
      await page.getByRole('heading', { name: 'Inbox' }).waitFor()
      assert.equal(page.url(), `${dashboard.url}/inbox`, name)
      await page.close()
    }
  })

  it('hears no event, by an event source or by a socket', async () => {
    const results = await attack((page) =>
      page.evaluate(async (url) => {
        const heard: string[] = []
        for (const withCredentials of [true, false])
          await new Promise<void>((resolve) => {
            const source = new EventSource(`${url}/v1/events?since=0`, { withCredentials })
            source.onopen = () => heard.push('open')
            source.onmessage = ({ data }) => heard.push(data)
            source.onerror = () => {
              source.close()
              resolve()
            }
          })
        for (const path of ['/v1/events', '/mcp', '/'])
          await new Promise<void>((resolve) => {
            const socket = new WebSocket(url.replace('http', 'ws') + path)
            socket.onopen = () => heard.push('socket')
            socket.onmessage = ({ data }) => heard.push(String(data))
            socket.onclose = () => resolve()
          })
        return heard
      }, dashboard.url),
    )

    assert.deepEqual(results, [[], [], []])
  })

  it('includes nothing of it as a picture, a script, a style or an object', async () => {
    const asset = await seat.page.evaluate(() => document.querySelector('script[src]')?.getAttribute('src'))
    assert.ok(asset)
    const results = await attack((page) =>
      page.evaluate(
        async ([url, script]) => {
          const load = (tag: string, fields: object) =>
            new Promise<string>((resolve) => {
              const element = document.createElement(tag)
              element.onload = () => resolve('loaded')
              element.onerror = () => resolve('refused')
              Object.assign(element, fields)
              document.body.append(element)
            })
          return Promise.all([
            load('img', { src: `${url}/icon.svg` }),
            load('script', { src: url! + script }),
            load('script', { src: `${url}/v1/whoami` }),
            load('script', { src: `${url}/v1/inbox`, type: 'module', crossOrigin: 'use-credentials' }),
            load('link', { rel: 'stylesheet', href: `${url}/v1/handoffs` }),
            load('object', { data: `${url}/inbox`, type: 'text/html' }),
          ])
        },
        [dashboard.url, asset],
      ),
    )

    assert.deepEqual(
      results,
      places().map(() => Array(6).fill('refused')),
    )
  })

  it('can neither frame it nor look into a window with it', async () => {
    const results = await attack(async (page) => {
      await page.evaluate((url) => {
        for (const path of ['/', '/inbox', '/login']) {
          const frame = document.createElement('iframe')
          frame.src = url + path
          document.body.append(frame)
        }
      }, dashboard.url)
      await until('the frames have ended somewhere', async () => {
        const inner = page.frames().filter((frame) => frame !== page.mainFrame())
        return inner.length === 3 && inner.every((frame) => frame.url().startsWith('chrome-error:'))
      })
      const opened = page.waitForEvent('popup')
      const other = await page.evaluateHandle((url) => window.open(`${url}/inbox`), dashboard.url)
      const popup = await opened
      await popup.waitForURL(`${dashboard.url}/**`)
      const shown = (await popup.locator('body').textContent()) ?? ''
      const reach = await other.evaluate((its) => {
        try {
          return its?.document.body.textContent ?? 'nothing'
        } catch {
          return 'nothing'
        }
      })
      await popup.close()
      return [reach, shown.includes(SECRET) || shown.includes('Go?')]
    })

    assert.deepEqual(
      results,
      places().map(() => ['nothing', false]),
    )
  })
})

describe('a name that only leads to this machine', () => {
  it('[T10] is refused by the server, whatever the browser believes of it', async () => {
    const { port } = new URL(dashboard.url)
    const page = await seat.context.newPage()

    for (const name of ['evil.localhost', 'baton.localhost']) {
      const answer = await page.goto(`http://${name}:${port}/`)
      assert.equal(answer?.status(), 403, name)
      const read = await page.goto(`http://${name}:${port}/v1/inbox`)
      assert.equal(read?.status(), 403, name)
      assert.equal((await page.content()).includes(SECRET), false)
    }
    await page.close()
  })
})
