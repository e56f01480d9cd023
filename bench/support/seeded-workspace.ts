import { DatabaseSync } from 'node:sqlite'
import { appendToChain, EMPTY_CHAIN } from '../../src/audit/chain.ts'
import type { AuditRecord } from '../../src/audit/entry.ts'
import { createService, openStore } from '../../src/compose/main.ts'
import { ANYONE, newAgent } from '../../src/domain/actor.ts'
import type { Block } from '../../src/domain/blocks/block.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import type { Content } from '../../src/domain/handoffs/package.ts'
import type { State } from '../../src/domain/lifecycle.ts'
import type { Task } from '../../src/domain/tasks/task.ts'
import { RUN_STATES, type Run } from '../../src/domain/workflow/run.ts'
import { agedUid, uuid7 } from '../../src/service/uuid7.ts'
import { TABLES, tableRow } from '../../src/storage/rows.ts'
import { leafHash } from '../../src/storage/working-set.ts'
import { seededHandoff, seededTask } from './seeded.ts'

const DAYS_MS = 60 * 86_400_000
const AGENTS = 100
/** A run for as many handoffs. */
const HANDOFFS_A_RUN = 200
/** Of a thousand handoffs as many are in each state; the rest are completed. */
const OPEN: readonly (readonly [state: State, count: number])[] = [
  ['offered', 50],
  ['in_progress', 25],
  ['blocked', 4],
  ['needs_input', 2],
  ['in_review', 19],
]
/** Tasks that wait for each other. */
const [LONG_CHAIN, SHORT_CHAIN] = [240, 20]
const ENDED_BADLY: readonly State[] = ['failed', 'rejected', 'expired']
/** The life of a handoff until it has the state, as most of them have it. */
const LIFE: readonly (readonly [act: string, from: State, to: State])[] = [
  ['handoff.send', 'draft', 'offered'],
  ['handoff.accept', 'offered', 'in_progress'],
  ['handoff.submit', 'in_progress', 'in_review'],
  ['handoff.verify_pass', 'in_review', 'completed'],
]

/**
 * Fills the store of a workspace as two months of work leave it: handoffs in every state with package and log, tasks
 * that need each other, blocks with metrics. Rows are written past the engine, because history is not the question
 * here; the log is whole, and the tree over it and the search index are built as a server would.
 */
export async function fillWorkspace(path: string, size: number): Promise<void> {
  const store = await openStore({ engine: 'sqlite', path })
  const db = new DatabaseSync(path)
  const put = writerOf(db)
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN')
  const start = Date.now() - DAYS_MS
  const at = new Date(start).toISOString()
  for (let n = 0; n < AGENTS; n++)
    for (const name of [`sender-${n}`, `receiver-${n}`])
      put('agent', { name, doc: JSON.stringify(newAgent(name, 'agent', at)) })
  for (let i = 0; i < size; i++)
    putHandoff(put, store.info.origin, i, start + Math.floor((DAYS_MS * i) / size))
  putTasks(put, size / 20, at)
  for (let i = 0; i < size / HANDOFFS_A_RUN; i++) put('run', { ...tableRow('run')(aRun(i, start, size)) })
  for (let i = 0; i < size / 10; i++) put('block', { ...tableRow('block')(aBlock(i, start, size / 10)) })
  put('counter', { name: 'handoff', value: size })
  // A copy of a store leaves none of these either.
  db.exec(`DELETE FROM facet WHERE key > '+' AND key < ','; COMMIT`)
  db.close()
  await (await createService(store).audit()).sequence()
  await store.search({ words: ['piece'], facets: {} }, { limit: 1 })
  await store.close()
}

type Put = (table: string, row: Readonly<Record<string, unknown>>) => void

function writerOf(db: DatabaseSync): Put {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return (table, row) => {
    const columns = (TABLES[table] ?? []).filter((column) => column in row)
    const statement =
      statements.get(table) ??
      db.prepare(
        `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
    statements.set(table, statement)
    statement.run(...columns.map((column) => row[column] as string | number | null))
  }
}

function putHandoff(put: Put, origin: string, index: number, atMs: number): void {
  const uid = agedUid(uuid7(), atMs)
  const at = new Date(atMs).toISOString()
  const handoff = inState(seededHandoff(uid, index, at, AGENTS), stateOf(index), atMs)
  put('handoff', { ...tableRow('handoff')(handoff) })
  put('content', { uid, doc: JSON.stringify(contentOf(handoff)) })
  let head = EMPTY_CHAIN
  for (const [act, from, to] of lifeUntil(handoff.state)) {
    const record: AuditRecord = {
      act,
      actor: { id: act === 'handoff.send' ? handoff.from : handoff.to },
      auth: 'token',
      from,
      sub: { id: uid, k: 'handoff', rev: head.seq + 2 },
      to,
      ts: at,
      v: 1,
    }
    const next = appendToChain(head, { origin, stream: uid, record }, leafHash)
    head = next.head
    const { seq, hash } = head
    const body = Buffer.from(next.entry)
    put('entry', { stream: uid, seq, subject: uid, act, at, hash, body, disclosures: null })
  }
  put('stream', { uid, seq: head.seq, head: head.hash, progress_seq: head.seq })
}

function stateOf(index: number): State {
  // Spread, so that no agent has only what is over.
  let place = Math.floor(((index * 0.618_033_988_7) % 1) * 1_000)
  for (const [state, count] of OPEN) {
    if (place < count) return state
    place -= count
  }
  return place % 15 === 0 ? ENDED_BADLY[Math.floor(place / 15) % 3]! : 'completed'
}

function inState(seeded: Handoff, state: State, atMs: number): Handoff {
  const { waiting_for: _, ended_at: __, ...rest } = seeded
  const isGate = state === 'needs_input'
  const ended_at = new Date(atMs + (seeded.title.length % 9) * 600_000 + 60_000).toISOString()
  const whoseMove = isGate ? ANYONE : state === 'in_review' ? rest.from : rest.to
  const isOver = state === 'completed' || ENDED_BADLY.includes(state)
  return {
    ...rest,
    state,
    rev: lifeUntil(state).length,
    ...(isGate && { type: 'gate', to: ANYONE, need: 'gate', gate: { type: 'blocking', name: rest.title } }),
    ...(isOver ? { ended_at, updated_at: ended_at } : { waiting_for: whoseMove }),
    ...(state === 'in_progress' && { holder: rest.to }),
    ...(state === 'blocked' && { holder: rest.to, blocked_on: 'no access to the templates' }),
  }
}

const lifeUntil = (state: State) => {
  const at = LIFE.findIndex(([, , to]) => to === state)
  return LIFE.slice(0, at === -1 ? 2 : at + 1)
}

const contentOf = ({ title, state }: Handoff): Content => ({
  package: {
    summary: `${title}: the plan was agreed, the numbers stand in the table.\n\n| what | how much |\n|---|---|\n| search | 600/min |`,
    deliverables: ['Middleware in src/'],
    criteria: ['npm test passes'],
    ...(state === 'needs_input' && { validation_request: { items: ['The limits', 'The wording'] } }),
  },
  thread: [],
  verifications: [],
})

/** One chain that is longer than any answer holds, then short ones of which the first tasks are done. */
function putTasks(put: Put, count: number, at: string): void {
  let before: Task | undefined
  for (let i = 0; i < count; i++) {
    const isLong = i < LONG_CHAIN
    const length = isLong ? LONG_CHAIN : SHORT_CHAIN
    const place = isLong ? i : (i - LONG_CHAIN) % SHORT_CHAIN
    const done = isLong ? 0 : Math.floor((i - LONG_CHAIN) / SHORT_CHAIN) % (SHORT_CHAIN + 1)
    const status = place < done ? 'done' : place === done && i % 7 === 0 ? 'in_progress' : 'todo'
    const needs = place === 0 ? undefined : before
    const task: Task = {
      ...seededTask(uuid7(), i, at),
      ...{ status, level: place, critical: false, depends_on: needs ? [needs.id] : [] },
    }
    const open_deps = needs && needs.status !== 'done' ? 1 : 0
    put('task', { ...tableRow('task')(task), open_deps, height: length - place })
    if (needs) put('task_dep', { task: task.uid, depends_on: needs.uid })
    before = task
  }
}

/** Runs end in turn in each of their states. */
export function aRun(index: number, start: number, size: number): Run {
  const at = new Date(start + Math.floor((DAYS_MS * HANDOFFS_A_RUN * index) / size)).toISOString()
  const state = RUN_STATES[index % RUN_STATES.length]!
  const step = { failures: 0, gates: 0, escalations: 0, agent: `receiver-${index % AGENTS}`, tries: 1 }
  const [done, next] =
    state === 'completed' ? (['completed', 'completed'] as const) : (['completed', 'failed'] as const)
  return {
    uid: agedUid(uuid7(), Date.parse(at)),
    id: `release-${index}`,
    rev: 1,
    name: 'release',
    state,
    by: 'sender-0',
    auth: 'token',
    delegator: 'sender-0',
    workflow: {
      name: 'release',
      description: `Release ${index}`,
      steps: [aStep('notes'), aStep('deploy', 'notes')],
    } as never,
    steps: [
      { ...step, id: 'notes', state: done },
      { ...step, id: 'deploy', state: next, ...(next === 'failed' && { error: 'no access to the server' }) },
    ],
    kinds: {},
    numbered: 2,
    started_at: at,
    updated_at: at,
  }
}

const aStep = (id: string, ...needs: string[]) => ({ id, title: `Do the ${id}`, agent: 'receiver-1', needs })

export function aBlock(index: number, start: number, count: number): Block {
  const at = new Date(start + Math.floor((DAYS_MS * index) / count)).toISOString()
  return {
    uid: uuid7(),
    digest: `digest-${index}`,
    from: `receiver-${index % AGENTS}`,
    to: 'None',
    phase: 'Testing',
    status: index % 12 === 0 ? 'failed' : 'complete',
    at,
    stored_at: at,
    raw: 'handoff:\n  phase: "Testing"\n',
    metrics: {
      tests_passed: 100 + (index % 50),
      coverage: `${80 + (index % 20)}%`,
      duration: `${index % 90}s`,
    },
  }
}
