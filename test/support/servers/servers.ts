import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { BATON, cleanEnv, type Where } from '../program/command.ts'

export interface ServerProcess {
  readonly child: ChildProcess
  readonly url: string
  readonly port: number
  /** The lines of its log so far. */
  readonly told: () => readonly string[]
}

/** `baton serve` as a process of its own, on a free port unless the arguments name one. */
export async function startServer(
  t: TestContext,
  where: Where,
  ...args: readonly string[]
): Promise<ServerProcess> {
  const port = args.includes('--port') ? [] : ['--port', '0']
  const child = spawn(process.execPath, [BATON, 'serve', ...port, '--json', ...args], {
    cwd: where.cwd,
    env: cleanEnv(where),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text
  })
  const failed = once(child, 'exit').then(() => {
    throw new Error(`baton serve ended: ${told}`)
  })
  failed.catch(() => undefined)
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), failed])
  return { child, ...JSON.parse(line), told: () => told.trimEnd().split('\n') }
}

export interface Balancer {
  readonly url: string
  /** As `Host` has it: the name under which the servers must know it. */
  readonly host: string
  /** The servers behind it. */
  readonly ports: number[]
  /** How many requests each of them was given. */
  readonly given: Map<number, number>
}

/** A load balancer that knows nothing: every request goes to the next server, and one that is away is a 502. */
export async function startBalancer(t: TestContext): Promise<Balancer> {
  const ports: number[] = []
  const given = new Map<number, number>()
  let turn = 0
  const server = createServer((request, response) => {
    turn += 1
    const port = ports[turn % ports.length] ?? 0
    given.set(port, (given.get(port) ?? 0) + 1)
    forward(port, request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: `http://${host}`, host, ports, given }
}

function forward(port: number, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request
  const onward = httpRequest({ host: '127.0.0.1', port, method, path: url, headers, agent: false })
  const broken = () =>
    response.headersSent ? response.destroy() : response.writeHead(502).end('bad gateway')
  onward.on('error', broken)
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.on('error', broken)
    answer.pipe(response)
  })
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}
