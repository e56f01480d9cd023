import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { by, openWorkspace } from '../../../../test/support/program/workspace.ts'
import { get, newToken, post } from '../../../../test/support/servers/http-workspace.ts'

const PROGRAM = `
  const { createService, openStore, toStoreTarget } = await import(${JSON.stringify(new URL('../../../compose/main.ts', import.meta.url))})
  const { serve } = await import(${JSON.stringify(new URL('./serve.ts', import.meta.url))})
  const service = createService(await openStore(toStoreTarget(process.argv[1])))
  const { closed } = await serve({ service, port: 0, onReady: ({ url }) => console.log(url) })
  await closed
  console.log('closed')
`

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly output: string[]
  readonly exit: Promise<readonly [code: number | null, signal: string | null]>
}

/** A server in a process of its own, on the store at this path. */
async function start(t: TestContext, path: string): Promise<Started> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, path], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const output: string[] = []
  const exit = once(child, 'close') as Promise<[number | null, string | null]>
  child.stderr.on('data', (chunk) => output.push(String(chunk)))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output.push(String(chunk))
      const found = /http:\/\/[\d.:]+/.exec(output.join(''))
      if (found) resolve(found[0])
    })
    exit.then(() => reject(new Error(output.join(''))), reject)
  })
  return { child, url, output, exit }
}

describe('a server process', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`ends well on ${signal}, and answers who waits before`, async (t) => {
      const { service, store } = await openWorkspace(t)
      // Work for a person does not expire, whatever the clock of the other process says.
      const secret = await newToken(service, 'maria', ['*'], 'human')
      const { handoff } = await service.sending.send(by('planner'), { to: 'maria', title: 'Review the plan' })
      const { child, url, output, exit } = await start(t, store.info.location)
      const waiting = fetch(`${url}/v1/handoffs/${handoff.uid}/wait`, get(secret))
      await fetch(`${url}/v1/inbox`, get(secret))

      child.kill(signal)

      assert.equal((await waiting).status, 503)
      assert.deepEqual(await exit, [0, null])
      assert.match(output.join(''), /closed/)
      assert.match(output.join(''), /"event":"stopped"/)
    })

  it('writes no token to its output, wherever callers put one', async (t) => {
    const { service, store } = await openWorkspace(t)
    const secret = await newToken(service, 'codex')
    const { child, url, output, exit } = await start(t, store.info.location)
    const requests: readonly [string, RequestInit][] = [
      ['/v1/inbox', get(secret)],
      [`/v1/inbox?token=${secret}`, get(secret)],
      [`/v1/handoffs/${secret}`, get(secret)],
      [`/${secret}`, {}],
      [`/v1/handoffs`, post(secret, { to: secret, title: secret })],
      [`/v1/handoffs`, post(secret, `{"${secret}`)],
      ['/v1/inbox', get(secret, { 'baton-instance': secret, 'idempotency-key': secret })],
      ['/v1/inbox', get(secret, { origin: `http://${secret}` })],
      ['/v1/inbox', get(`${secret}x`)],
    ]

    for (const [path, init] of requests) await (await fetch(`${url}${path}`, init)).text()
    child.kill('SIGTERM')
    await exit

    const told = output.join('')
    assert.equal(told.includes(secret), false)
    assert.equal(told.includes(secret.slice('baton_'.length)), false)
    assert.ok(told.split('"event":"request"').length > requests.length)
  })
})
