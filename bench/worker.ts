// How many handoffs a second does one worker finish, on the path that a program takes: `specialist`, `send`, `wait`? 10 ms
// handlers, 50 at a time, everything sent before the worker begins. On PostgreSQL against graphile-worker's jobs on the
// same server, which keep no result and no log; on SQLite against bare durable commits. `--items=` says how many, and
// `--engine=` which one.
// Not measured: several workers, a network in between, handlers that need the processor.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore, toStoreTarget } from '../src/compose/main.ts'
import { openBaton } from '../src/index.ts'
import { lateWaits } from '../src/service/wait.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { bareStore } from './sqlite.ts'
import { type Finding, inFolder, median, perSecond } from './support/measure.ts'
import { graphileJobs } from './support/peers.ts'

const ROUNDS = 5
const CONCURRENCY = 50
const HANDLER_MS = 10
const FEW = 20
const BARE_COMMITS = 2_000

const option = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1]
const ITEMS = Number(option('items') ?? 2_000)
const ENGINE = option('engine')

interface Engine {
  readonly name: string
  readonly store: string
  readonly workspace?: string
}

export async function worker(): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  if (ENGINE !== 'postgres')
    await inFolder(async (folder) => {
      const bare = bareStore(join(folder, 'bare.db'))
      const place = { name: 'SQLite', store: join(folder, 'baton.db') }
      const sqlite = await measure(place, async () => bare(BARE_COMMITS))
      findings.push(against(sqlite, 'bare durable commits', 0.15), ...sqlite.findings)
    })
  if (ENGINE === 'sqlite') return findings
  const server = await startPostgres()
  try {
    const postgres = await measure({ name: 'PostgreSQL', store: server.url, workspace: 'worker' }, () =>
      graphileJobs(server.url, { concurrency: CONCURRENCY, jobs: ITEMS, ms: HANDLER_MS }),
    )
    return [...findings, against(postgres, "graphile-worker's jobs", 1), ...postgres.findings]
  } finally {
    await server.stop()
  }
}

type Measured = Awaited<ReturnType<typeof measure>>

const against = ({ name, all, peer }: Measured, what: string, value: number): Finding => ({
  question: `${name}, one worker, a waiter for each handoff: handoffs against ${what}`,
  ratio: median(all.map((rate, round) => rate / peer[round]!)),
  detail: `${perSecond(median(all))} handoffs with a checked result against ${perSecond(median(peer))}`,
  bound: { sign: '>=', value },
})

async function measure({ name, ...place }: Engine, other: () => Promise<number>) {
  const seen = { none: [] as number[], few: [] as number[], all: [] as number[], peer: [] as number[] }
  const late = lateWaits()
  const rateOf = (waiters: number, items = ITEMS) => finish(place, items, waiters)
  await rateOf(FEW, FEW * 5)
  const sides = {
    none: () => rateOf(0),
    few: () => rateOf(FEW),
    peer: other,
    all: () => rateOf(ITEMS),
  }
  // There and back: a store that grows, or a machine that gets busier, is no side's disadvantage.
  for (let round = 0; round < ROUNDS; round++) {
    const order = Object.keys(sides) as (keyof typeof sides)[]
    for (const side of round % 2 === 0 ? order : order.reverse()) seen[side].push(await sides[side]())
  }
  const cost = (side: 'none' | 'few') => median(seen[side].map((rate, round) => rate / seen.all[round]!))
  const findings: Finding[] = [
    {
      question: `${name}, one worker: time of a handoff with a waiter each, against nobody who waits`,
      ratio: cost('none'),
      detail: `${perSecond(median(seen.all))} against ${perSecond(median(seen.none))}`,
      bound: { sign: '<=', value: 1.2 },
    },
    {
      question: `${name}, one worker: time of a handoff with ${ITEMS} waiters, against ${FEW}`,
      ratio: cost('few'),
      detail: `${perSecond(median(seen.all))} against ${perSecond(median(seen.few))}`,
      bound: { sign: '<=', value: 1 },
    },
    {
      question: `${name}: waits that no signal ended, of ${ROUNDS * (ITEMS + FEW)}`,
      ratio: lateWaits() - late,
      detail: 'found by looking again after a second',
      bound: { sign: '<=', value: 0 },
    },
  ]
  return { name, ...seen, findings }
}

/** Handoffs a second, from the start of the worker to the end of the last one. */
async function finish(place: Omit<Engine, 'name'>, items: number, waiters: number): Promise<number> {
  const baton = await openBaton(place)
  const beside = await openStore(toStoreTarget(place.store, place.workspace))
  try {
    const planner = baton.as('planner')
    const done = async () => (await beside.counts()).handoffs.completed ?? 0
    const before = await done()
    const given = { to: 'worker', title: 'Piece of work', home: 'queue', input: { n: 1 } } as const
    const sent = await Promise.all(Array.from({ length: items }, () => planner.send(given)))
    const waiting = sent.slice(0, waiters).map((handoff) => handoff.wait({ timeout_s: 600 }))
    const all = Promise.withResolvers<void>()
    let begun = items
    const started = performance.now()
    const specialist = await baton.specialist('worker', { concurrency: CONCURRENCY }, async () => {
      await pause(HANDLER_MS)
      if (--begun === 0) all.resolve()
      return { output: { done: true } }
    })
    const results = await Promise.all(waiting)
    if (results.some(({ output }) => !(output as { done?: boolean }).done))
      throw new Error('a result is missing')
    await all.promise
    while ((await done()) < before + items) await pause(2)
    const rate = (items / (performance.now() - started)) * 1_000
    await specialist.close()
    return rate
  } finally {
    await baton.close()
    await beside.close()
  }
}
