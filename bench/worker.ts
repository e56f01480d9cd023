// How many handoffs a second does one worker finish, on the path that a program takes: `work`, `send`, `wait`? 10 ms
// handlers, 50 at a time, everything sent before the worker begins; the worker checks input and output by schemas. On PostgreSQL against graphile-worker's jobs on the
// same server, which keep no result and no log; on SQLite against bare durable commits. `--items=` says how many, and
// `--engine=` which one.
// Not measured: several workers, a network in between, handlers that need the processor, checks that the sender declares
// (`review: 'none'`, as `request` sends defined work).
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { openStore, toStoreTarget } from '../src/compose/main.ts'
import { openBaton } from '../src/index.ts'
import { lateWaits } from '../src/service/wait.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { bareStore } from './sqlite.ts'
import { type Finding, inFolder, median, perSecond } from './support/measure.ts'
import { graphileJobs } from './support/peers.ts'

const ROUNDS = 12
const CONCURRENCY = 50
const HANDLER_MS = 10
const FEW = 20
const BARE_COMMITS = 2_000

const option = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1]
const ITEMS = Number(option('items') ?? 2_000)
const ENGINE = option('engine')

interface Place {
  readonly store: string
  readonly workspace?: string
}

export async function worker(): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  if (ENGINE !== 'postgres')
    await inFolder(async (folder) => {
      const bare = bareStore(join(folder, 'bare.db'))
      const place = (round: number) => ({ store: join(folder, `baton-${round}.db`) })
      const sqlite = await measure('SQLite', place, async () => bare(BARE_COMMITS))
      findings.push(against(sqlite, 'bare durable commits', 0.15), ...sqlite.findings)
    })
  if (ENGINE === 'sqlite') return findings
  const server = await startPostgres()
  try {
    const place = (round: number) => ({ store: server.url, workspace: `worker-${round}` })
    const postgres = await measure('PostgreSQL', place, () =>
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
  ratio: median(all) / median(peer),
  detail: `${perSecond(median(all))} handoffs with a checked result against ${perSecond(median(peer))}`,
  bound: { sign: '>=', value },
})

/** Each round has a store of its own, because a store that grows becomes slower. */
async function measure(name: string, placeOf: (round: number) => Place, other: () => Promise<number>) {
  const seen = { none: [] as number[], few: [] as number[], all: [] as number[], peer: [] as number[] }
  const late = lateWaits()
  await finish(placeOf(ROUNDS), FEW * 5, FEW)
  const sides = {
    none: (place: Place) => finish(place, ITEMS, 0),
    few: (place: Place) => finish(place, ITEMS, FEW),
    peer: other,
    all: (place: Place) => finish(place, ITEMS, ITEMS),
  }
  // There and back: a store that grows, or a disk that is still busy, is no side's disadvantage.
  for (let round = 0; round < ROUNDS; round++) {
    const pair = round % 2 === 0 ? (['few', 'all'] as const) : (['all', 'few'] as const)
    for (const side of ['peer', 'none', ...pair, ...pair.toReversed()] as const)
      seen[side].push(await sides[side](placeOf(round)))
  }
  // Of logarithms: in a mean of ratios a slow moment of one side would count for more than one of the other.
  const pairs = seen.few.map((rate, i) => Math.log(rate / seen.all[i]!))
  const error = Number((2 * standardError(pairs)).toFixed(3))
  const findings: Finding[] = [
    {
      question: `${name}, one worker: time of a handoff with a waiter each, against nobody who waits`,
      ratio: median(seen.none) / median(seen.all),
      detail: `${perSecond(median(seen.all))} against ${perSecond(median(seen.none))}`,
      bound: { sign: '<=', value: 1.2 },
    },
    // All are waited for on both sides, so only the number of those who wait at once differs.
    {
      question: `${name}, one worker: time of a handoff with ${ITEMS} waiters, against ${FEW} who wait for one after the other`,
      ratio: Math.exp(mean(pairs)),
      detail: `± ${error}; ${perSecond(median(seen.all))} against ${perSecond(median(seen.few))}`,
      bound: { sign: '<=', value: 1 },
    },
    {
      question: `${name}: waits that no signal ended, of ${seen.all.length * 2 * ITEMS}`,
      ratio: lateWaits() - late,
      detail: 'found by looking again after a second',
      bound: { sign: '<=', value: 0 },
    },
  ]
  return { name, ...seen, findings }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function standardError(values: readonly number[]): number {
  const middle = mean(values)
  const squares = values.map((value) => (value - middle) ** 2)
  return Math.sqrt(mean(squares) / (values.length - 1))
}

/** Handoffs a second, from the start of the worker to the end of the last one. */
async function finish(place: Place, items: number, waiters: number): Promise<number> {
  const baton = await openBaton(place)
  const beside = await openStore(toStoreTarget(place.store, place.workspace))
  try {
    const planner = baton.as('planner')
    const done = async () => (await beside.counts()).handoffs.completed ?? 0
    const before = await done()
    const given = { to: 'worker', title: 'Piece of work', home: 'queue', input: { n: 1 } } as const
    const sent = await Promise.all(Array.from({ length: items }, () => planner.send(given)))
    const waiting = Array.from({ length: waiters }, async (_, waiter) => {
      for (let i = waiter; i < items; i += waiters) {
        const { output } = await sent[i]!.wait({ timeout_s: 600 })
        if (!(output as { done?: boolean }).done) throw new Error('a result is missing')
      }
    })
    const all = Promise.withResolvers<void>()
    let begun = items
    const started = performance.now()
    const checked = { input: z.object({ n: z.number() }), output: z.object({ done: z.boolean() }) }
    const specialist = await baton.work('worker', { ...checked, concurrency: CONCURRENCY }, async () => {
      await pause(HANDLER_MS)
      if (--begun === 0) all.resolve()
      return { output: { done: true } }
    })
    await Promise.all(waiting)
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
