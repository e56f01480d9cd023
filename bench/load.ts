// What do 200 agents at two servers notice of large history and of one token's searches? PostgreSQL, servers in processes
// of their own, one generator. Calls beside twelve searches against calls without, in turn; each call of a handoff's life
// and each list and count at 400,000 handoffs, warm and with empty caches. `--short` asks the same of a smaller world.
// Not measured: TLS, a network between the parts.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore, toStoreTarget } from '../src/compose/main.ts'
import { ask, Crew, hangUp, type Member, quantile } from '../test/support/servers/crew.ts'
import { type OwnPostgres, startOwnPostgres } from '../test/support/servers/postgres.ts'
import { newDatabase, query } from '../test/support/store/store-places.ts'
import { type Finding, median } from './support/measure.ts'
import { fillHistory } from './support/seeded-history.ts'

const FULL = { agents: 200, seconds: 60, handoffs: 400_000, rounds: 200 }
const SHORT = { agents: 100, seconds: 20, handoffs: 20_000, rounds: 60 }
const OF_ALL =
  'state=completed&from=sender-1&to=receiver-0&type=sequential&with=sender-1&since=90d&kind=handoff'
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
/** A handoff is read by its uid over HTTP in this time on a quiet machine: the bounds in ms are multiples of it. */
const QUIET_READ_MS = 1.25
const WARM = { sign: '<=', value: 50 / QUIET_READ_MS } as const
const COLD = { sign: '<=', value: 250 / QUIET_READ_MS } as const

type Size = typeof FULL

interface World {
  readonly size: Size
  readonly postgres: OwnPostgres
  readonly address: string
  readonly members: readonly Member[]
  readonly searcher: Member
  readonly ports: readonly number[]
  close(): void
}

export async function load(): Promise<readonly Finding[]> {
  const size = process.argv.includes('--short') ? SHORT : FULL
  const postgres = await startOwnPostgres()
  const worlds: World[] = []
  try {
    for (const handoffs of [size.handoffs, 0]) worlds.push(await opened({ ...size, handoffs }, postgres))
    const [full, empty] = worlds as [World, World]
    const findings: Finding[] = []
    const parts = [
      () => besideSearches(full),
      () => besideWaits(empty),
      () => lifeOf(full, empty),
      () => listsOf(full),
    ]
    for (const part of parts) {
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
async function opened(size: Size, postgres: OwnPostgres): Promise<World> {
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

/** The calls of three handoffs: one that is verified after a question and a rework, one rejected, one tried again. */
async function* lifeCalls({ members, ports: [port = 0] }: World) {
  const [sender, receiver] = [members[0]!, members[1]!]
  const call = (who: Member, id: string, operation: string, body: object) => {
    const run = () => ask(port, who.token, `/v1/handoffs${id && `/${id}/${operation}`}`, body)
    return { operation, run }
  }
  const evidence = [{ deliverable: 'a plan', evidence: 'plan.md' }]
  const sent = { to: receiver.name, title: 'Work', summary: 'Build it.', deliverables: ['a plan'] }
  const uidOf = (body: string): string => JSON.parse(body).handoff.uid
  const one = uidOf(yield call(sender, '', 'send', sent))
  yield call(receiver, one, 'accept', {})
  yield call(receiver, one, 'heartbeat', { progress: 50 })
  yield call(receiver, one, 'ask', { question: 'Which port?' })
  yield call(sender, one, 'answer', { text: '4180' })
  yield call(receiver, one, 'submit', { evidence })
  yield call(sender, one, 'verify', { pass: true })
  const two = uidOf(yield call(sender, '', 'send', sent))
  yield call(receiver, two, 'reject', { reason: 'Not mine' })
  const three = uidOf(yield call(sender, '', 'send', sent))
  yield call(receiver, three, 'accept', {})
  yield call(receiver, three, 'fail', { message: 'The port is taken' })
  yield call(sender, three, 'retry', {})
  yield call(sender, three, 'cancel', { reason: 'No longer needed' })
}

/** The median of each call of a handoff's life, one caller, in turn call by call. */
async function lifeOf(full: World, empty: World): Promise<readonly Finding[]> {
  const times = new Map<string, Map<World, number[]>>()
  for (let round = 0; round < full.size.rounds; round += 1) {
    const lives = [full, empty].map((world) => ({ world, life: lifeCalls(world), answer: '' }))
    for (let isOver = false; !isOver; )
      // The other goes first in every second round.
      for (const each of round % 2 === 0 ? lives : lives.toReversed()) {
        const { value, done } = await each.life.next(each.answer)
        isOver = done === true
        if (!value) continue
        const { status, body, ms } = await value.run()
        if (status !== 200) throw new Error(`${value.operation}: ${status} ${body}`)
        each.answer = body
        const seen = times.get(value.operation) ?? new Map([full, empty].map((world) => [world, []]))
        times.set(value.operation, seen)
        seen.get(each.world)!.push(ms)
      }
  }
  return [...times].map(([operation, seen]) => {
    const [many, none] = [median(seen.get(full)!), median(seen.get(empty)!)]
    return {
      question: `${operation} at ${full.size.handoffs.toLocaleString('en')} handoffs, against an empty store`,
      ratio: many / none,
      detail: `${many.toFixed(2)} ms, ${none.toFixed(2)} ms`,
      bound: { sign: '<=', value: 1.3 },
    }
  })
}

const ENDED = ['completed', 'failed', 'rejected', 'expired', 'cancelled']
const OPEN = ['offered', 'accepted', 'in_progress', 'needs_input', 'in_review']
const states = (all: readonly string[]) => all.map((state) => `state=${state}`).join('&')
const LISTS: Readonly<Record<string, string>> = {
  'inbox, 200': '/v1/inbox?limit=200',
  'list, newest': '/v1/handoffs',
  'list of open states, 200': `/v1/handoffs?limit=200&${states(OPEN)}`,
  'list of ended states': `/v1/handoffs?${states(ENDED)}`,
  'list of open and ended states': '/v1/handoffs?state=offered&state=failed&state=expired',
  'list of a type that is not there': '/v1/handoffs?type=gate',
  'list of a type and a state': '/v1/handoffs?type=sequential&state=completed',
  'list of a sender': '/v1/handoffs?from=sender-1',
  'list of a sender without history': '/v1/handoffs?from=nobody',
  'list of a sender and a receiver': '/v1/handoffs?from=sender-1&to=receiver-2',
  'list of a sender and a state': '/v1/handoffs?from=sender-1&state=failed',
  'search for the beginning of every word': '/v1/handoffs?text=w',
  'search for a common word': '/v1/handoffs?text=w1x',
  'search for common words': '/v1/handoffs?text=w1x%20w2x%20w3x',
  'search for a rare word': '/v1/handoffs?text=w15000x',
  'search for a word that is not there': '/v1/handoffs?text=nowhere',
  'search for a part of an id': '/v1/handoffs?text=-9999',
  'search with all filters': `/v1/handoffs?text=w1&${OF_ALL}`,
  status: '/v1/status',
  metrics: '/metrics',
  'flow report': '/v1/reports/flow',
  'flow report of all history': '/v1/reports/flow?window=90d',
  'next actions': '/v1/next-actions',
  log: '/v1/audit/log',
}

/** Each list and count against one handoff read by its uid: warm, and after the caches of the database were emptied. */
async function listsOf(world: World): Promise<readonly Finding[]> {
  const {
    size,
    members,
    ports: [port = 0],
  } = world
  const { token } = members[0]!
  const time = async (path: string) => {
    const { status, body, ms } = await ask(port, token, path)
    if (status === 200) return ms
    // One that took too long is a finding, and the others are still asked.
    if (status === 408) return Number.POSITIVE_INFINITY
    throw new Error(`${path}: ${status} ${body}`)
  }
  const sent = await ask(port, token, '/v1/handoffs', { to: members[1]!.name, title: 'Work' })
  const one = `/v1/handoffs/${JSON.parse(sent.body).handoff.uid}`
  const warm = new Map(Object.values(LISTS).map((path) => [path, [] as number[]]))
  const reads: number[] = []
  for (let round = 0; round < 15; round += 1)
    for (const [path, times] of warm) {
      reads.push(await time(one))
      times.push(await time(path))
    }
  const cold = new Map<string, number>()
  for (const path of warm.keys()) {
    await emptyCaches(world)
    // Connections are made again; a read of the same table would warm what is measured.
    await untilAnswered(() => time('/v1/whoami'))
    cold.set(path, await time(path))
  }
  const read = median(reads)
  return Object.entries(LISTS).flatMap(([name, path]) =>
    (
      [
        ['warm', median(warm.get(path)!), WARM],
        ['cold', cold.get(path)!, COLD],
      ] as const
    ).map(([kind, ms, bound]) => ({
      question: `${name}, ${kind}, at ${size.handoffs.toLocaleString('en')}, against one handoff by its uid`,
      ratio: ms / read,
      detail: `${ms.toFixed(2)} ms, ${read.toFixed(2)} ms`,
      bound,
    })),
  )
}

/** PostgreSQL begins anew, and the system forgets its files. */
async function emptyCaches({ postgres, address }: World): Promise<void> {
  await query(address, 'CHECKPOINT')
  const [row] = await query(
    address,
    "SELECT current_setting('data_directory') || '/base/' || oid AS folder FROM pg_database WHERE datname = current_database()",
  )
  const folder = String(row!.folder)
  await postgres.crash()
  for (const name of readdirSync(folder))
    spawnSync('dd', [`if=${join(folder, name)}`, 'iflag=nocache', 'count=0'])
  await postgres.start()
}

async function untilAnswered(call: () => Promise<unknown>): Promise<void> {
  for (let left = 100; ; left -= 1) {
    const isDone = await call().then(
      () => true,
      (error) => {
        if (left === 0) throw error
        return false
      },
    )
    if (isDone) return
    await pause(100)
  }
}
