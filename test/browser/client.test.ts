import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { it, type TestContext } from 'node:test'
import { rolldown } from 'rolldown'
import { greeting } from '../../examples/typescript/client.ts'
import { openBaton } from '../../src/client.ts'
import { folders } from '../support/documents/folders.ts'
import { ask } from '../support/program/command.ts'
import { startServer } from '../support/servers/servers.ts'
import { launch } from './browser.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const EXAMPLE = join(ROOT, 'examples/typescript/client.ts')

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
  const place = folders(t)
  const where = { cwd: place.repository('shop') }
  const tokenOf = async (agent: string) => {
    await ask(where, 'agent', 'add', agent)
    const made = await ask<{ secret: string }>(where, 'token', 'create', '--agent', agent, '--scope', '*')
    return made.secret
  }
  const [page, worker, greeter] = [await tokenOf('page'), await tokenOf('worker'), await tokenOf('greeter')]
  const { url } = await startServer(t, where)
  const baton = await openBaton(url, { token: greeter })
  t.after(() => baton.close())
  await baton.work(greeting, ({ input }) => ({ text: `Hello, ${input.name}` }))
  const code = await bundled()

  const seen = await Promise.all([
    inPage(t, code, url, page),
    inWorkerd(t, place.folder('worker'), code, { address: url, token: worker }),
  ])

  assert.deepEqual(
    seen,
    ['page', 'worker'].map((name) => [
      `handoff.send ${name}`,
      'handoff.accept greeter',
      'handoff.submit greeter',
      'handoff.verify_pass baton',
      `Hello, ${name} (attempt 1)`,
    ]),
  )
})

/** The example as one module, with the client as it is published. */
async function bundled(): Promise<string> {
  const build = await rolldown({
    input: EXAMPLE,
    platform: 'browser',
    resolve: { alias: { 'batonpass/client': join(ROOT, 'dist/client.js') } },
  })
  const { output } = await build.generate({ format: 'esm' })
  await build.close()
  assert.deepEqual([output.length, output[0].imports], [1, []])
  return output[0].code
}

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
