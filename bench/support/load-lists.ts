import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, quantile } from '../../test/support/servers/crew.ts'
import { query } from '../../test/support/store/store-places.ts'
import { OF_ALL, type World } from './load-life.ts'
import { type Finding, median } from './measure.ts'

/** On a quiet machine a list may take so long. */
const MOST_MS = { warm: 50, cold: 250 }
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
  'list of a task': '/v1/handoffs?task=P0.7',
  'list of a task and a state': '/v1/handoffs?task=P0.7&state=failed',
  'list of a run': '/v1/handoffs?run=RUN',
  'list of a part of an id': '/v1/handoffs?ref=-9999',
  'list of a part of an id that is not there': '/v1/handoffs?ref=nowhere',
  'list of a part of an id of a sender': '/v1/handoffs?ref=-99&from=sender-1',
  tasks: '/v1/tasks?limit=200',
  'tasks of a status': '/v1/tasks?status=done',
  'tasks of an owner': '/v1/tasks?owner=receiver-1',
  'tasks by a part of the id': '/v1/tasks?ref=nowhere',
  'task plan': '/v1/task-plan',
  agents: '/v1/agents',
  runs: '/v1/workflows?limit=200',
  'runs of a state and a name': '/v1/workflows?name=release&state=failed',
  records: '/v1/records?limit=200',
  'records of a task': '/v1/records?task_id=P0.7',
  sessions: '/v1/audit/sessions',
  'sessions of an agent': '/v1/audit/sessions?by=receiver-1',
  history: '/v1/reports/history?limit=200',
  'history of an agent and a phase': '/v1/reports/history?agent=receiver-1&phase=Testing',
  progress: '/v1/reports/progress',
  'progress of a task': '/v1/reports/progress?by=task&task=P0.7',
  'metrics report': '/v1/reports/metrics',
}

/** Each list and count against one handoff read by its uid: warm, and after the caches of the database were emptied. */
export async function listsOf(world: World): Promise<readonly Finding[]> {
  const {
    size,
    members,
    ports: [port = 0],
  } = world
  let calls = 0
  // Each call is another agent's: between the searches of one are pauses, which no list costs.
  const caller = () => members[calls++ % members.length]!.token
  const time = async (path: string) => {
    const { status, body, ms } = await ask(port, caller(), path)
    if (status === 200) return ms
    // One that took too long is a finding, and the others are still asked.
    if (status === 408) return Number.POSITIVE_INFINITY
    throw new Error(`${path}: ${status} ${body}`)
  }
  const sent = await ask(port, caller(), '/v1/handoffs', { to: members[1]!.name, title: 'Work' })
  const one = `/v1/handoffs/${JSON.parse(sent.body).handoff.uid}`
  const [run] = await query(world.address, 'SELECT uid FROM baton.run LIMIT 1')
  const pathOf = (name: string) => LISTS[name]!.replace('RUN', String(run?.uid))
  const warm = new Map(Object.keys(LISTS).map((name) => [pathOf(name), [] as number[]]))
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
  // As it is while nothing else runs: the bounds in ms are multiples of it.
  const quiet = quantile(reads, 0.05)
  return Object.keys(LISTS).flatMap((name) =>
    (
      [
        ['warm', median(warm.get(pathOf(name))!)],
        ['cold', cold.get(pathOf(name))!],
      ] as const
    ).map(([kind, ms]) => ({
      question: `${name}, ${kind}, at ${size.handoffs.toLocaleString('en')}, against one handoff by its uid`,
      ratio: ms / read,
      detail: `${ms.toFixed(2)} ms, ${read.toFixed(2)} ms (${quiet.toFixed(2)} when quiet)`,
      bound: { sign: '<=' as const, value: Math.round(MOST_MS[kind] / quiet) },
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
