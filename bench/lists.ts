// What does each list and count cost over 100 thousand handoffs, against reading one of them by its uid? Nine tenths of
// them are over, almost all between two agents, as history is; warm, one caller. Not measured: cold caches, and searches
// for words (see search and load).
import { join } from 'node:path'
import { createService, openStore, type StoreTarget } from '../src/compose/main.ts'
import { flowReport } from '../src/service/flow.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { history } from '../test/support/store/plans.ts'
import { type Finding, inFolder, median } from './support/measure.ts'

const SIZE = 100_000
const CALLS = 15
/** A page is fifty rows, and a look for a part of an id goes through five thousand; SQLite reads a single row without a round trip. */
const BOUNDS = {
  SQLite: { list: 400, search: 6_000 },
  PostgreSQL: { list: 40, search: 250 },
}

export async function lists(): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  await inFolder(async (folder) => {
    findings.push(...(await compare('SQLite', { engine: 'sqlite', path: join(folder, 'lists.db') })))
  })
  const server = await startPostgres()
  try {
    const target: StoreTarget = { engine: 'postgres', url: server.url, workspace: 'lists' }
    findings.push(...(await compare('PostgreSQL', target)))
  } finally {
    await server.stop()
  }
  return findings
}

async function compare(engine: keyof typeof BOUNDS, target: StoreTarget): Promise<readonly Finding[]> {
  const store = await openStore(target)
  process.stderr.write(`  ${engine}: filling ${SIZE.toLocaleString('en')}\n`)
  await store.restore(history(SIZE))
  const service = createService(store)
  const newest = (await store.handoffs({}, { limit: 1 })).items[0]!.uid
  const page = { limit: 50 }
  const ended = ['completed', 'failed', 'rejected', 'expired', 'cancelled'] as const
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    'one handoff by its uid': () => store.handoff(newest),
    'all ended states': () => store.handoffs({ state: ended }, page),
    'open and ended states': () => store.handoffs({ state: ['offered', 'failed', 'expired'] }, page),
    'a rare type': () => store.handoffs({ type: 'gate' }, page),
    'a type that is not there': () => store.handoffs({ type: 'escalation' }, page),
    'a type and a state': () => store.handoffs({ type: 'sequential', state: ['completed'] }, page),
    'a sender without history': () => store.handoffs({ from: 'nobody' }, page),
    'a receiver': () => store.handoffs({ to: 'gemini' }, page),
    'a sender and a receiver': () => store.handoffs({ from: 'planner', to: 'nobody' }, page),
    'a sender and a state': () => store.handoffs({ from: 'planner', state: ['cancelled'] }, page),
    'counts (status, metrics)': () => store.counts(),
    'flow report': () => flowReport(service, '1d'),
    'look for an id that is not there': () => store.handoffs({ ref: 'zebra' }, page),
    'look for a part of an id': () => store.handoffs({ ref: '-9999' }, page),
    'look for an id within a sender': () => store.handoffs({ ref: 'zebra', from: 'planner' }, page),
    'look within a task for a state': () => store.handoffs({ task: 'T1', state: ['expired'] }, page),
  }
  const times = new Map(Object.keys(calls).map((name) => [name, [] as number[]]))
  for (let i = 0; i < CALLS; i++)
    for (const [name, call] of Object.entries(calls)) {
      const started = performance.now()
      await call()
      times.get(name)!.push(performance.now() - started)
    }
  await store.close()
  const of = (name: string) => median(times.get(name)!)
  const [one = '', ...others] = Object.keys(calls)
  return others.map((name) => ({
    question: `${engine}, ${name}, against ${one}, of 100,000`,
    ratio: of(name) / of(one),
    detail: `${of(name).toFixed(2)} ms, ${of(one).toFixed(2)} ms`,
    bound: { sign: '<=', value: BOUNDS[engine][/^look|flow/.test(name) ? 'search' : 'list'] },
  }))
}
