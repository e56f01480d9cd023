import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { overStdio } from '../mcp/agents.ts'
import { BATON, cleanEnv, quick } from '../support/program/command.ts'
import type { Live } from './way.ts'
import { AGENT_ENV, type World } from './world.ts'

/** The world with a server that a person started and an MCP process that an agent started. */
export async function goLive(t: TestContext, world: World): Promise<Live> {
  const env = { ...world.person.env, ...AGENT_ENV }
  const server = spawn(process.execPath, [BATON, 'serve', '--port', '0', '--json'], {
    cwd: world.root,
    env: cleanEnv(world.person),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(async () => {
    server.kill('SIGTERM')
    await once(server, 'close')
  })
  const listening = once(createInterface(server.stdout), 'line')
  const mcp = await overStdio(t, { cwd: world.root, env }, ['--agent', 'codex', '--tools', 'all'])
  const { url } = JSON.parse(String((await listening)[0])) as { url: string }
  const live: Live = {
    ...world,
    mcp,
    url,
    async http(path, body, { token = world.tokens.codex, headers = {} } = {}) {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return `${response.status} ${await response.text()}`
    },
    async hook(event, input, ...args) {
      const where = { cwd: world.root, env, input: JSON.stringify(input) }
      const { code, stdout, stderr } = await quick(where, 'hook', event, '--for', 'claude-code', ...args)
      return `exit ${code}\n${stdout}${stderr}`
    },
    async session(token, path, body) {
      const begun = await fetch(`${url}/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: token }),
      })
      const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
      const [, secret = 'none'] = cookie.split('=')
      return live.http(path, body, { token: secret })
    },
  }
  return live
}
