import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { bundledExample, greetingOf, startGreeter } from '../support/servers/greeter.ts'
import { launch } from './browser.ts'

/** Answers a request with what the example saw. */
const WORKER = `
import { greet } from './client.js'
export default {
  async fetch(request) {
    const { address, token } = await request.json()
    return Response.json(await greet(address, token, 'worker'))
  },
}`

/** workerd lets a worker reach this machine only when it is told to. */
const CONFIG = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [
        (name = "worker.js", esModule = embed "worker.js"),
        (name = "client.js", esModule = embed "client.js"),
      ],
      compatibilityDate = "2026-10-01",
    )),
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);`

it('a browser page and a worker under workerd send, listen and wait through the client', async (t) => {
  const { url, tokens } = await startGreeter(t, ['page', 'worker'])
  const code = await bundledExample()
  const folder = folders(t).folder('worker')

  const seen = await Promise.all([
    inPage(t, code, url, tokens.get('page')!),
    inWorkerd(t, folder, code, { address: url, token: tokens.get('worker') }),
  ])

  assert.deepEqual(seen, ['page', 'worker'].map(greetingOf))
})

/** A server refuses other origins, so a proxy puts a team's page and the server under one. Here the browser does. */
async function inPage(t: TestContext, code: string, url: string, token: string): Promise<unknown> {
  const browser = await launch()
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.route(`${url}/team/*`, (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ contentType: 'text/javascript', body: code })
      : route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A page of the team</title>' }),
  )
  await page.goto(`${url}/team/page`)
  return page.evaluate(
    `import('/team/client.js').then(({ greet }) => greet(location.origin, '${token}', 'page'))`,
  )
}

async function inWorkerd(t: TestContext, folder: string, code: string, body: object): Promise<unknown> {
  const files = { 'client.js': code, 'worker.js': WORKER, 'config.capnp': CONFIG }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  // The package has no types: its only export is the path of its program.
  const program: string = createRequire(import.meta.url)('workerd').default
  const child = spawn(program, ['serve', 'config.capnp', '--control-fd=1'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  for await (const line of createInterface(child.stdout)) {
    const { event, port } = JSON.parse(line)
    if (event !== 'listen') continue
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify(body) })
    return answer.json()
  }
  throw new Error('workerd ended before it listened')
}
