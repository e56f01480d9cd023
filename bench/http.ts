// What does HTTP cost? One caller's handoff from send to verified over HTTP against the same cycle in process, and the
// calls of eight callers against a bare Hono server that reads and answers as many bytes and does nothing. Servers are
// processes of their own, the client is the same, SQLite is durable on commit on both sides of the first question.
// Not measured: TLS, proxies, PostgreSQL, a client on another machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createService, openStore } from '../src/compose/main.ts'
import { loadOperations, type OperationName } from '../src/operations/index.ts'
import { invoke, type Operation } from '../src/operations/operation.ts'
import type { Service } from '../src/service/service.ts'
import { type Finding, inFolder, interleaved, perSecond, throughput } from './support/measure.ts'

const ROUNDS = 7
const ALONE = 100
const TOGETHER = 400
const CALLERS = 8
/** Long enough for both servers to be compiled: a server runs for days. */
const WARM = 600

type Name = 'sender' | 'receiver'
type Operations = ReadonlyMap<string, Operation>
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
    const tokenOf = await makeTokens(there)
    const [baton, echo] = [await started('baton', there), await started('echo')]
    const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
    try {
      const operations: Operations = new Map((await loadOperations()).map((op) => [op.name, op]))
      const inProcess = callsOf(operations, createService(here))
      const overHttp = callsTo(operations, agent, baton.port, tokenOf)
      const bodies = await bodiesOf(overHttp)
      const bare = async (index: number) => {
        const { who, sent, length } = bodies[index % bodies.length]!
        return ask(agent, echo.port, `/${length}`, sent, tokenOf(who))
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

/** A token for each caller of either name, in turn: one alone may not ask as often as this. */
async function makeTokens(path: string): Promise<(who: Name) => string> {
  const store = await openStore({ engine: 'sqlite', path })
  const tokens = await createService(store).tokens()
  const ops = { actor: { name: 'ops', kind: 'human', auth: 'os-user' } } as const
  const make = async (agent: Name) => (await tokens.create(ops, { agent, scopes: ['*'] })).secret
  const made: Record<Name, string[]> = { sender: [], receiver: [] }
  for (let i = 0; i < CALLERS; i++) {
    made.sender.push(await make('sender'))
    made.receiver.push(await make('receiver'))
  }
  await store.close()
  let next = 0
  return (who) => made[who][next++ % CALLERS]!
}

function callsOf(operations: Operations, service: Service): Call {
  return (who, name, input) =>
    invoke(operations.get(name)!, service, { actor: { name: who, kind: 'agent', auth: 'os-user' } }, input)
}

function callsTo(operations: Operations, agent: Agent, port: number, tokenOf: (who: Name) => string): Call {
  return (who, name, { id, ...input }) =>
    ask(agent, port, operations.get(name)!.http.path.replace('{id}', String(id)), input, tokenOf(who))
}

interface Body {
  readonly who: Name
  readonly sent: object
  readonly length: number
}

/** What one cycle sends, and how long each answer is. */
async function bodiesOf(call: Call): Promise<readonly Body[]> {
  const bodies: Body[] = []
  await cycle(async (who, name, input) => {
    const answer = await call(who, name, input)
    const { id: _, ...sent } = input
    bodies.push({ who, sent, length: JSON.stringify(answer).length })
    return answer
  }, 0)
  return bodies
}

/** The client, the same for both servers: JSON goes out with a token, and JSON is read. */
async function ask(agent: Agent, port: number, path: string, input: object, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  return JSON.parse(await post(agent, port, path, JSON.stringify(input), headers))
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
  const child = spawn(process.execPath, [join(import.meta.dirname, 'support/http-server.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, port: Number(line) }
}
