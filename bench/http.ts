// What does HTTP cost? One caller's handoff from send to verified over HTTP against the same cycle in process, and the
// calls of eight callers against a bare Hono server that reads and answers as many bytes and does nothing. Servers are
// processes of their own, the client is the same, SQLite is durable on commit on both sides of the first question.
// Not measured: TLS, proxies, PostgreSQL, a client on another machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createService, openStore } from '../src/main.ts'
import { loadOperation, type OperationName } from '../src/operations/index.ts'
import { invoke } from '../src/operations/operation.ts'
import type { Service } from '../src/service/service.ts'
import { type Finding, inFolder, interleaved, perSecond, throughput } from './measure.ts'

const ROUNDS = 7
const ALONE = 100
const TOGETHER = 400
const CALLERS = 8
const WARM = 100

type Name = 'sender' | 'receiver'
/** Calls one operation as one of the two; answers what came back. */
type Call = (who: Name, operation: OperationName, input: Record<string, unknown>) => Promise<unknown>

const STEPS = 5

/** One handoff from send to verified, by operations alone. */
async function cycle(call: Call, index: number): Promise<void> {
  const { handoff } = (await call('sender', 'handoff_send', {
    to: 'receiver',
    title: `Piece of work ${index}`,
    summary: 'The limiter is agreed; build the middleware and its tests.',
    deliverables: ['Middleware in src/'],
    criteria: ['npm test passes'],
  })) as { handoff: { uid: string } }
  const id = handoff.uid
  await call('receiver', 'handoff_accept', { id })
  await call('receiver', 'handoff_heartbeat', { id, progress: 50 })
  const evidence = [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }]
  await call('receiver', 'handoff_submit', { id, evidence })
  await call('sender', 'handoff_verify', { id, pass: true })
}

export const http = (): Promise<readonly Finding[]> =>
  inFolder(async (folder) => {
    const here = await openStore({ engine: 'sqlite', path: join(folder, 'here.db') })
    const there = join(folder, 'there.db')
    const tokens = await makeTokens(there)
    const [baton, echo] = [await started('baton', there), await started('echo')]
    const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
    try {
      const inProcess = await callsOf(createService(here))
      const overHttp = await callsTo(agent, baton.port, tokens)
      const bodies = await bodiesOf(overHttp)
      const bare = async (index: number) => {
        const { sent, length } = bodies[index % bodies.length]!
        await post(agent, echo.port, `/${length}`, sent, {})
      }
      await throughput(CALLERS, WARM, (i) => cycle(overHttp, i))
      await throughput(CALLERS, WARM, (i) => cycle(inProcess, i))
      await throughput(CALLERS, WARM * STEPS, bare)
      const rate = await interleaved(ROUNDS, {
        inProcess: () => throughput(1, ALONE, (i) => cycle(inProcess, i)),
        alone: () => throughput(1, ALONE, (i) => cycle(overHttp, i)),
        together: async () => (await throughput(CALLERS, TOGETHER, (i) => cycle(overHttp, i))) * STEPS,
        engine: async () => (await throughput(CALLERS, TOGETHER, (i) => cycle(inProcess, i))) * STEPS,
        bare: () => throughput(CALLERS, TOGETHER * STEPS, bare),
      })
      return [
        {
          question: 'HTTP, one caller: handoffs from send to verified, against the same in process',
          ratio: rate.alone / rate.inProcess,
          detail: `${perSecond(rate.alone)} against ${perSecond(rate.inProcess)} (${STEPS} calls each, median of ${ROUNDS})`,
          bound: { sign: '>=', value: 0.5 },
        },
        {
          question: `HTTP, ${CALLERS} callers: calls, against a bare Hono server with equal bodies`,
          ratio: rate.together / rate.bare,
          detail: `${perSecond(rate.together)} against ${perSecond(rate.bare)}; in process ${perSecond(rate.engine)} (median of ${ROUNDS})`,
          bound: { sign: '>=', value: 0.6 },
        },
      ]
    } finally {
      agent.destroy()
      for (const { child } of [baton, echo]) child.kill()
      await here.close()
    }
  })

async function makeTokens(path: string): Promise<Readonly<Record<Name, string>>> {
  const store = await openStore({ engine: 'sqlite', path })
  const { tokens } = createService(store)
  const ops = { actor: { name: 'ops', kind: 'human', auth: 'os-user' } } as const
  const make = async (agent: Name) => (await tokens.create(ops, { agent, scopes: ['*'] })).secret
  const made = { sender: await make('sender'), receiver: await make('receiver') }
  await store.close()
  return made
}

async function callsOf(service: Service): Promise<Call> {
  return async (who, name, input) =>
    invoke(
      await loadOperation(name),
      service,
      { actor: { name: who, kind: 'agent', auth: 'os-user' } },
      input,
    )
}

async function callsTo(agent: Agent, port: number, tokens: Readonly<Record<Name, string>>): Promise<Call> {
  return async (who, name, { id, ...input }) => {
    const { http: route } = await loadOperation(name)
    const path = route.path.replace('{id}', String(id))
    const headers = { authorization: `Bearer ${tokens[who]}` }
    return JSON.parse(await post(agent, port, path, JSON.stringify(input), headers))
  }
}

/** What one cycle sends, and how long each answer is. */
async function bodiesOf(call: Call): Promise<readonly { sent: string; length: number }[]> {
  const bodies: { sent: string; length: number }[] = []
  await cycle(async (who, name, input) => {
    const answer = await call(who, name, input)
    const { id: _, ...sent } = input
    bodies.push({ sent: JSON.stringify(sent), length: JSON.stringify(answer).length })
    return answer
  }, 0)
  return bodies
}

function post(
  agent: Agent,
  port: number,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        agent,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () =>
          response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}: ${text}`)),
        )
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

async function started(...args: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'http-server.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, port: Number(line) }
}
