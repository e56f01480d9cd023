import assert from 'node:assert/strict'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { describe, it } from 'node:test'
import type * as z from 'zod'
import { createService, openStore } from '../../../src/compose/main.ts'
import { BatonError } from '../../../src/domain/errors.ts'
import { loadOperations } from '../../../src/operations/index.ts'
import type { Operation } from '../../../src/operations/operation.ts'
import type { Service } from '../../../src/service/service.ts'
import { uuid7 } from '../../../src/service/uuid7.ts'
import { tripOn } from '../../../src/storage/postgres/connection/ask.ts'
import { prepareConnections } from '../../../src/storage/postgres/connection/connect.ts'
import { postgresQueries } from '../../../src/storage/postgres/reading/queries.ts'
import { postgresSearch } from '../../../src/storage/postgres/search.ts'
import { TABLES, tableRow } from '../../../src/storage/rows.ts'
import { STORE_LIMITS } from '../../../src/storage/slow-reads.ts'
import { sqliteQueries } from '../../../src/storage/sqlite/queries.ts'
import type { Question } from '../../../src/storage/sqlite/read-process.ts'
import { sqliteSearch } from '../../../src/storage/sqlite/search.ts'
import { Statements } from '../../../src/storage/sqlite/statements.ts'
import type { DumpRow, Store } from '../../../src/storage/store.ts'
import { by } from '../program/workspace.ts'
import { aHandoff } from './builders.ts'
import { newDatabase, newSqlitePlace, query } from './store-places.ts'
import { freshTask } from './store-units.ts'

/** Indexes of what is open, unread or due. What they hold does not grow with history. */
const OF_OPEN =
  /handoff_(state|inbox|claim|due|open_from|open_to)|notice_unread|task_(next|chain|flagged)|delivery_due/
/** Tables that hold no history: settings, agents, and what is open. */
const SMALL = new Set(['agent', 'token', 'ended', 'tree', 'meta', 'counter', 'party', 'workspace'])

/** Answered by the index of words. */
const SEARCHED = ['text', 'with', 'since', 'kind']
/** uids, whose rows the next query reads. */
const SHELVED = /^SELECT uid FROM \(/
/** Operations without pages that count or list. `report_metrics` reads blocks as these do, and `usage`. */
const REPORTS = new Set([
  ...['report_flow', 'report_progress', 'report_status', 'agent_list', 'thought_list'],
  ...['task_plan', 'task_next_actions'],
])
/** Tasks by level are counted over all tasks: a plan is not history. */
const OVER_A_PLAN = /GROUP BY level/

/** A query that would look through history, and the step of its plan that does. */
export interface Walk {
  readonly sql: string
  readonly step: string
}

export interface Explained {
  readonly store: Store
  readonly walks: readonly Walk[]
  readonly queries: ReadonlySet<string>
  /** Queries run by default; else they are only explained. */
  dry: boolean
}

/** Lists and counts over a history of this size, on both engines. */
export function describePlans(size: number): void {
  describe(`lists and counts over ${size.toLocaleString('en')} handoffs`, () => {
    it('never look through history, whatever is filtered: SQLite', async (t) => {
      const { path, target, remove } = newSqlitePlace()
      t.after(remove)
      const store = await openStore(target)
      t.after(() => store.close())
      await store.restore(history(size))
      await demandBounded(await explainSqlite(store, path), size)
    })

    it('never look through history, whatever is filtered: PostgreSQL', async (t) => {
      const url = await newDatabase()
      const store = await openStore({ engine: 'postgres', url, workspace: 'a' })
      t.after(() => store.close())
      await store.restore(history(size))
      await query(url, 'ANALYZE')
      const explained = await explainPostgres(store, url, 1)
      t.after(explained.close)
      await demandBounded(explained, size)
    })
  })
}

async function demandBounded({ store, walks, queries }: Explained, size: number): Promise<void> {
  const runs = await runLists(store)
  const lists = queries.size
  await store.counts()
  await createService(store).looking.counts()
  await store.flow('1d', new Date())

  assert.ok(runs > 1_000 && lists > 200, `${runs} runs, ${lists} queries, ${size}`)
  assert.deepEqual(walks, [])
  await store.usage()
  // Each attempt that reported cost is read by its key alone, and no handoff.
  const read = walks.map(({ step }) => step)
  assert.deepEqual(
    read.filter(
      (step) =>
        !/^(Index Only Scan on facet \S+ .*key >= '\$'|SEARCH facet USING PRIMARY KEY \(key>)/.test(step),
    ),
    [],
  )
}

/** The store with its reads explained before they run. */
export async function explainSqlite(store: Store, path: string): Promise<Explained> {
  const db = new DatabaseSync(path, { readOnly: true })
  const walks: Walk[] = []
  const queries = new Set<string>()
  const explained: Explained = { store, walks, queries, dry: true }
  class Watched extends Statements {
    override rows(sql: string, ...values: SQLInputValue[]) {
      if (!queries.has(sql)) {
        queries.add(sql)
        const plan = super.all(`EXPLAIN QUERY PLAN ${sql}`, ...values) as unknown as Step[]
        for (const step of plan) if (isSqliteWalk(step, plan, sql)) walks.push({ sql, step: step.detail })
      }
      return explained.dry && !isLookUp(sql) ? [] : super.rows(sql, ...values)
    }
  }
  const statements = new Watched(db)
  const slow = async (question: Question) => statements.rows(...question)
  const nothing = async () => undefined
  const read = async (...question: Question) => statements.rows(...question)
  Object.assign(
    store,
    sqliteQueries(statements, async (query) => query(), slow, nothing as never),
    { search: sqliteSearch(store, statements, { write: nothing, read, rest: nothing }) },
  )
  return explained
}

/** By uid or id. A filter may name a row that has to be there. */
const isLookUp = (sql: string): boolean => !sql.includes('ORDER BY') && /\b(uid|id) = (\?|k\.ref)/.test(sql)

/** Counts go through the open tasks, and through the entries that no server has put in order yet. */
const isCount = (sql: string): boolean => /^SELECT ('outgoing'|subject, max)/.test(sql)

const RUN = uuid7()

interface Step {
  readonly parent: number
  readonly detail: string
}

/** A step is bounded when its conditions are all answered by the index, in its order: then the limit ends it. */
function isSqliteWalk({ parent, detail }: Step, plan: readonly Step[], sql: string): boolean {
  const [, how, name, index = '', found = ''] =
    /^(SCAN|SEARCH) (\w+)(?: USING (?:COVERING )?(?:INDEX (\w+)|PRIMARY KEY|INTEGER PRIMARY KEY))?(?: \((.*)\))?/.exec(
      detail,
    ) ?? []
  // The index of words, by words.
  if (/VIRTUAL TABLE INDEX \d+:\S*M/.test(detail) || OVER_A_PLAN.test(sql)) return false
  const table = { h: 'handoff', f: 'facet', r: 'open', o: 'open', k: 'open', e: 'open' }[name ?? ''] ?? name
  if (how === undefined || table === 'open' || SMALL.has(table!) || OF_OPEN.test(index)) return false
  if (/\b(uid|id|rowid|hash|stream)=\?/.test(found) || /json_each|CONSTANT/.test(detail)) return false
  if (isCount(sql) && /task_status \(status=\?\)|entry .*rowid>\?/.test(detail)) return false
  const select = new RegExp(`FROM ${table}\\s+(?:WHERE (.*?) )?ORDER BY.* LIMIT`, 's').exec(sql)
  if (!select) return true
  const isSorted = plan.some((other) => other.parent === parent && other.detail.startsWith('USE TEMP B-TREE'))
  const conditions = (select[1] ?? '')
    .split(' AND ')
    .filter((each) => !/^(true|words IS NOT NULL|)$/.test(each)).length
  return isSorted || conditions > found.split(' AND ').filter(Boolean).length
}

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly Node[]
}

interface Query {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** As the store's own sessions plan them. */
export async function explainPostgres(store: Store, url: string, ws: number) {
  const connections = await prepareConnections({ url, limits: STORE_LIMITS, readOnly: false })
  const trip = tripOn(connections, 'reads')
  const walks: Walk[] = []
  const queries = new Set<string>()
  const explained: Explained = { store, walks, queries, dry: true }
  const watched: typeof trip = async (calls) => {
    const settings = calls.filter(({ statement }) => statement.text.includes('set_config('))
    for (const { statement, values } of calls) {
      const sql = statement.text
      if (queries.has(sql)) continue
      queries.add(sql)
      const rows = await trip([
        ...settings,
        { statement: { text: `EXPLAIN (FORMAT JSON) ${sql}` }, values },
      ] as never)
      const text = rows.at(-1)?.[0]?.[0]
      for (const step of postgresWalks(JSON.parse(String(text))[0].Plan, [], { sql, values }))
        walks.push({ sql, step })
    }
    return explained.dry && !calls.every(({ statement }) => isLookUp(statement.text))
      ? calls.map(({ statement }) => (SHELVED.test(statement.text) ? [[RUN]] : []))
      : trip(calls)
  }
  const nothing = async () => undefined
  const slowTrip = (before: () => Promise<unknown>) => async (calls: Parameters<typeof watched>[0]) => {
    await before()
    return watched(calls)
  }
  const ways = { write: nothing as never, trip: watched, slowTrip, inTurn: nothing, rest: nothing }
  Object.assign(store, postgresQueries({ quick: watched, history: watched, slow: watched }, ws), {
    search: postgresSearch(store, ws, ways),
  })
  return { ...explained, close: () => connections.end() }
}

/** A scan is bounded when it finds one row, or when a limit stands above it and nothing in between drops rows. */
function postgresWalks(node: Node, above: readonly Node[], query: Query): readonly string[] {
  const { sql, values } = query
  const below = (node.Plans ?? []).flatMap((each) => postgresWalks(each, [node, ...above], query))
  const { 'Relation Name': table, 'Index Name': index = '', Filter: filter } = node
  // A bitmap is made by the nodes below.
  const indexes = node['Node Type'] === 'Bitmap Heap Scan' ? (node.Plans ?? []) : [node]
  const cond = indexes.map((each) => each['Index Cond'] ?? '').join(' OR ')
  if (
    table === undefined ||
    !(table in TABLES || table === 'facet' || table === 'word') ||
    SMALL.has(table) ||
    OVER_A_PLAN.test(sql) ||
    !node['Node Type'].includes('Scan')
  )
    return below
  const step = `${node['Node Type']} on ${table} ${index} ${cond} ${filter ?? ''}`
  if (OF_OPEN.test(index) || /\b(uid|id|stream) = /.test(cond)) return below
  if (isCount(sql) && /status = ANY|id > /.test(cond)) return below
  // Searches bound their walks over the newest rows themselves, and sessions read the index of words as a bitmap.
  if (table === 'word' && node['Node Type'] !== 'Seq Scan') return below
  const place = /\bkey = (?:\$(\d+)|'([^']*)')/.exec(cond)
  const key = place?.[2] ?? values[Number(place?.[1]) - 1]
  if (table === 'facet' && String(key).endsWith(' open')) return below
  const next = above.find((each) => !['Subquery Scan', 'Result'].includes(each['Node Type']))
  const isBounded = filter === undefined && index !== '' && next?.['Node Type'] === 'Limit'
  return isBounded ? below : [step, ...below]
}

/** Runs every list operation with every combination of filters that its schema allows. */
export async function runLists(store: Store): Promise<number> {
  const service = createService(store)
  let runs = 0
  for (const op of await loadOperations()) {
    const shape = (op.input as z.ZodObject).shape
    if (!('cursor' in shape || REPORTS.has(op.name))) continue
    for (const input of [...inputsOf(shape), ...searchesOf(shape)]) {
      await runOperation(service, op, input)
      runs += 1
    }
  }
  return runs
}

async function runOperation(service: Service, op: Operation, input: object): Promise<void> {
  const parsed = op.input.parse(input)
  try {
    await (op.run as (...args: unknown[]) => Promise<unknown>)(service, by('planner'), parsed)
  } catch (error) {
    // Lists have cursors of three kinds; each refuses the others.
    if (!(error instanceof BatonError && 'cursor' in error.details)) throw error
  }
}

function* inputsOf(shape: Readonly<Record<string, unknown>>): Generator<object> {
  const fields = Object.keys(shape).filter((name) => !['limit', 'cursor', ...SEARCHED].includes(name))
  const choices = fields.map((name) => [undefined, ...valuesOf(shape[name] as z.ZodType, name)])
  yield* combined(fields, choices, {})
  if (!('cursor' in shape)) return
  // A cursor adds one condition, whatever the values of the others are.
  const firsts = choices.map((each) => each.slice(0, 2))
  for (const cursor of [uuid7(), '7', '1:x'])
    for (const input of combined(fields, firsts, { cursor })) yield input
}

/** Searches, each alone, with each other filter and with all of them: filters are words of the index too. */
function* searchesOf(shape: Readonly<Record<string, unknown>>): Generator<object> {
  const names = SEARCHED.filter((name) => name in shape)
  const fields = Object.keys(shape).filter((name) => !['limit', 'cursor', ...names].includes(name))
  const oneOf = (name: string) => (name === 'since' ? '90d' : valuesOf(shape[name] as z.ZodType, name).at(-1))
  const given = (chosen: readonly string[]) => Object.fromEntries(chosen.map((name) => [name, oneOf(name)]))
  const choices = names.map((name) => [undefined, oneOf(name)])
  for (const search of combined(names, choices, {}))
    if (Object.keys(search).length > 0)
      for (const others of [[], fields, ...fields.map((name) => [name])])
        for (const cursor of [{}, { cursor: '1:7' }]) yield { ...search, ...given(others), ...cursor }
}

function* combined(
  [field, ...fields]: readonly string[],
  [values = [], ...others]: readonly (readonly unknown[])[],
  given: object,
): Generator<object> {
  if (field === undefined) return yield given
  for (const value of values)
    yield* combined(fields, others, value === undefined ? given : { ...given, [field]: value })
}

/** One value where only its presence counts; of a list of words every half, both ends and the last five. */
function valuesOf(schema: z.ZodType, name: string): readonly unknown[] {
  const words = wordsIn(schema)
  if (['run', 'about'].includes(name)) return [RUN]
  if (words.length === 0) return [['x', 'true'].find((word) => schema.safeParse(word).success)]
  if (!schema.safeParse([words[0]]).success) return [words.at(-1)]
  const half = Math.ceil(words.length / 2)
  return [words, words.slice(0, half), words.slice(half), words.slice(-5), [words[0]], [words.at(-1)]]
}

/** The words that an enum allows, on its own or in a list. */
function wordsIn(schema: unknown): readonly string[] {
  const { def } = schema as {
    def?: {
      type: string
      entries?: object
      innerType?: unknown
      element?: unknown
      options?: readonly unknown[]
    }
  }
  if (def?.type === 'enum') return Object.values(def.entries ?? {})
  return [def?.innerType, def?.element, ...(def?.options ?? [])]
    .filter(Boolean)
    .flatMap(wordsIn)
    .filter(isFirst)
}

const isFirst = (value: unknown, at: number, all: readonly unknown[]): boolean => all.indexOf(value) === at

/** A history: nine tenths of it completed, one agent with almost all of it. */
export async function* history(size: number): AsyncIterable<DumpRow> {
  for (let i = 0; i < 50; i++) {
    const run = { uid: i === 0 ? RUN : uuid7(), id: `RUN-${i}`, name: 'release', state: 'completed' }
    yield { table: 'run', row: { ...run, doc: JSON.stringify(run) } }
  }
  for (let i = 0; i < size; i++) {
    const uid = uuid7()
    const isOpen = i % 50 === 0
    const handoff = aHandoff({
      uid,
      id: `HO-2026-${i}`,
      root: uid,
      from: 'planner',
      to: i % 10 === 0 ? 'gemini' : 'codex',
      type: i % 400 === 3 ? 'gate' : 'sequential',
      state: isOpen ? 'offered' : i % 10 === 1 ? 'failed' : 'completed',
      task: 'T1',
      parent: uid,
    })
    yield { table: 'handoff', row: { ...tableRow('handoff')(handoff) } }
  }
  for (let i = 0; i < size / 10; i++) {
    const entry = { id: i + 1, stream: uuid7(), seq: 0, subject: 'x', act: 'x', at: '', hash: '' }
    yield { table: 'entry', row: { ...entry, body: new Uint8Array(9), disclosures: null } }
    yield {
      table: 'task',
      row: { ...tableRow('task')(freshTask(`P${i}`, { status: 'done' })), open_deps: 0, height: 1 },
    }
  }
}
