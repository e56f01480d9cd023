// What do 200 agents at two servers notice of large history and of one token's searches? PostgreSQL, servers in processes
// of their own, one generator. Calls beside twelve searches against calls without, in turn; each call of a handoff's life
// and each list and count at 400,000 handoffs, warm and with empty caches. `--short` asks the same of a smaller world,
// `--lists` only for the calls, lists and counts.
// Not measured: TLS, a network between the parts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore, toStoreTarget } from '../src/compose/main.ts'
import { ask, Crew, hangUp, type Member, quantile } from '../test/support/servers/crew.ts'
import { type OwnPostgres, startOwnPostgres } from '../test/support/servers/postgres.ts'
import { newDatabase } from '../test/support/store/store-places.ts'
import { type LoadSize, lifeOf, OF_ALL, type World } from './support/load-life.ts'
import { listsOf } from './support/load-lists.ts'
import type { Finding } from './support/measure.ts'
import { fillHistory } from './support/seeded-history.ts'

const FULL = { agents: 200, seconds: 60, handoffs: 400_000, rounds: 200 }
const SHORT = { agents: 100, seconds: 20, handoffs: 20_000, rounds: 60 }
/** The dearest that the operations allow: the beginning of every word, common, rare and absent words, a part of an id, all filters. */
const SEARCHES = [
  'text=w',
  'text=w&kind=handoff&since=90d',
  'text=w1',
  'text=w1x',
  'text=w1x%20w2x%20w3x',
  'text=w5x%20w2000x',
  'text=w15000x',
  'text=nowhere',
  'text=9999',
  'text=2026',
  `text=w1&${OF_ALL}`,
  'since=90d&with=sender-1&state=completed&state=offered&limit=200',
]
const WAITS = 1_000
const WORKERS = 8
/** A pause of 0.4 s between the calls of an agent, on average. */
const THINK_MS = 400
/** With and without searches in turn, so that a slow minute of the machine meets both. */
const TURNS = 8

export async function load(): Promise<readonly Finding[]> {
  const size = process.argv.includes('--short') ? SHORT : FULL
  const postgres = await startOwnPostgres()
  const worlds: World[] = []
  try {
    for (const handoffs of [size.handoffs, 0]) worlds.push(await opened({ ...size, handoffs }, postgres))
    const [full, empty] = worlds as [World, World]
    const findings: Finding[] = []
    // The short parts first: the others take minutes.
    const parts = [
      () => listsOf(full),
      () => lifeOf(full, empty),
      () => besideSearches(full),
      () => besideWaits(empty),
    ]
    for (const part of process.argv.includes('--lists') ? parts.slice(0, 2) : parts) {
      const found = await part()
      findings.push(...found)
      for (const { question, ratio, detail } of found)
        process.stderr.write(`  ${question}: ${ratio.toFixed(2)}  ${detail}\n`)
    }
    return findings
  } finally {
    for (const world of worlds) world.close()
    hangUp()
    await postgres.stop()
  }
}

/** A database with that many handoffs, of which a tenth is open, and two servers over it. */
async function opened(size: LoadSize, postgres: OwnPostgres): Promise<World> {
  const address = await newDatabase(postgres.url)
  const begun = performance.now()
  await fillHistory(address, size.handoffs, size.agents)
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
  process.stderr.write(`  filled ${size.handoffs.toLocaleString('en')} in ${seconds} s\n`)
  const store = await openStore(toStoreTarget(address))
  const tokens = await createService(store).tokens()
  const ops = { actor: { name: 'ops', kind: 'human', auth: 'os-user' } } as const
  const member = async (name: string): Promise<Member> => ({
    name,
    token: (await tokens.create(ops, { agent: name, scopes: ['*'] })).secret,
  })
  const members: Member[] = []
  for (let i = 0; i < size.agents; i += 1) members.push(await member(`receiver-${i}`))
  const searcher = await member('searcher')
  await store.close()
  const servers = [await started(address), await started(address)]
  const ports = servers.map(({ port }) => port)
  const close = () => {
    for (const { child } of servers) child.kill('SIGKILL')
  }
  return { size, postgres, address, members, searcher, ports, close }
}

async function started(address: string) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'support/http-server.ts'), 'baton', address],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, port: Number(line) }
}

/** Calls at the 99th percentile with the searches, against those without. */
async function besideSearches({ size, members, searcher, ports }: World): Promise<readonly Finding[]> {
  const crew = new Crew(members, () => ports)
  const slice = (size.seconds * 1_000) / TURNS
  const calls = { alone: [] as number[], beside: [] as number[] }
  const late = { searches: 0, refused: 0, unready: 0 }
  await crew.work(slice / 2, THINK_MS)
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const times of (await crew.work(slice, THINK_MS)).values()) calls.alone.push(...times)
    const over = new AbortController()
    const search = async (n: number) => {
      while (!over.signal.aborted) {
        const { status } = await ask(ports[n % ports.length]!, searcher.token, `/v1/handoffs?${SEARCHES[n]}`)
        if (status === 200) late.searches += 1
        else late.refused += 1
        if (status !== 200) await pause(100)
      }
    }
    const probe = async (port: number) => {
      while (!over.signal.aborted) {
        if ((await ask(port, '', '/readyz')).status !== 200) late.unready += 1
        await pause(250)
      }
    }
    const beside = [...SEARCHES.map((_, n) => search(n)), ...ports.map(probe)]
    for (const times of (await crew.work(slice, THINK_MS)).values()) calls.beside.push(...times)
    over.abort()
    await Promise.all(beside)
  }
  const of = (side: keyof typeof calls, share: number) => quantile(calls[side], share)
  const told = (side: keyof typeof calls) =>
    `p50 ${of(side, 0.5).toFixed(1)}, p99 ${of(side, 0.99).toFixed(1)} ms of ${calls[side].length} calls`
  const world = `${size.agents} agents, ${size.handoffs.toLocaleString('en')} handoffs`
  return [
    {
      question: `${world}: calls at p99 beside ${SEARCHES.length} searches of one token, against those without`,
      ratio: of('beside', 0.99) / of('alone', 0.99),
      detail: `${told('beside')}; without: ${told('alone')}; ${late.searches} searches, ${late.refused} refused`,
      bound: { sign: '<=', value: 2 },
    },
    {
      question: `${world}: answers of /readyz other than 200 beside the searches`,
      ratio: late.unready,
      detail: `two servers, each asked four times a second for ${size.seconds} s`,
      bound: { sign: '<=', value: 0 },
    },
  ]
}

/** How many calls eight workers make a second while others wait for handoffs that nobody ends, against those without. */
async function besideWaits({ size, members, ports }: World): Promise<readonly Finding[]> {
  const crew = new Crew(members.slice(0, WORKERS), () => ports)
  const slice = size.seconds / TURNS
  const at = (n: number) => [ports[n % ports.length]!, members[n % members.length]!.token] as const
  const waited: string[] = []
  for (let n = 0; n < WAITS; n += 1) {
    const sent = { to: `sleeper-${n}`, title: 'Nobody takes it', summary: 'It stays where it is.' }
    waited.push(JSON.parse((await ask(...at(n), '/v1/handoffs', sent)).body).handoff.uid)
  }
  const calls = { alone: 0, beside: 0 }
  const rate = (side: keyof typeof calls) => calls[side] / size.seconds
  const work = async (side: keyof typeof calls) => {
    for (const times of (await crew.work(slice * 1_000, 0)).values()) calls[side] += times.length
  }
  const held = async () => {
    const all = ports.map(async (port) => (await ask(port, members[0]!.token, '/metrics')).body)
    const open = (await Promise.all(all)).map((text) => /^baton_open\{what="calls"\} (\d+)$/m.exec(text)?.[1])
    return open.reduce((sum, count) => sum + Number(count), 0)
  }
  await crew.work(slice * 1_000, 0)
  for (let turn = 0; turn < TURNS; turn += 1) {
    await work('alone')
    const over = new AbortController()
    const waits = waited.map((uid, n) =>
      ask(...at(n), `/v1/handoffs/${uid}/wait`, undefined, undefined, over.signal).catch(
        (error: Error) => error,
      ),
    )
    while ((await held()) < WAITS) await pause(100)
    await work('beside')
    over.abort()
    const ended = (await Promise.all(waits)).filter((answer) => !(answer instanceof Error))
    if (ended.length > 0) throw new Error(`${ended.length} waits ended early: ${JSON.stringify(ended[0])}`)
    while ((await held()) > 2 * ports.length) await pause(100)
  }
  return [
    {
      question: `calls/s of ${WORKERS} workers beside ${WAITS.toLocaleString('en')} waits, against those without`,
      ratio: rate('beside') / rate('alone'),
      detail: `${rate('beside').toFixed(0)} against ${rate('alone').toFixed(0)} calls/s`,
      bound: { sign: '>=', value: 0.8 },
    },
  ]
}
