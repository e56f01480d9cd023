import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { verifyStates } from '../../../src/archive/state-verify.ts'
import { verifyChains } from '../../../src/archive/store-verify.ts'
import { createService, openStore } from '../../../src/compose/main.ts'
import type { Service } from '../../../src/service/service.ts'
import { TABLES } from '../../../src/storage/rows.ts'
import type { Store } from '../../../src/storage/store.ts'
import { collect, summary } from '../documents/blocks.ts'
import { EXAMPLE, run } from '../program/invoke.ts'
import { by, type Engine, person } from '../program/workspace.ts'
import { newDatabase, newPostgresPlace, newSqlitePlace } from '../store/store-places.ts'
import { newKeys } from './audit.ts'
import type { randomOf } from './export-log.ts'

type Row = Record<string, unknown>
type Random = ReturnType<typeof randomOf>

/** The database past its store. */
export interface Sql {
  readonly engine: Engine
  all(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
}

export interface Tampered {
  readonly store: Store
  readonly service: Service
  readonly sql: Sql
}

/** A workspace with a way into its database. Nothing is checked at its end. */
export async function openTampered(t: TestContext, engine: Engine): Promise<Tampered> {
  const url = engine === 'postgres' ? await newDatabase() : ''
  const place = engine === 'postgres' ? newPostgresPlace(url) : newSqlitePlace()
  const store = await openStore(place.target)
  const service = createService(store, { keys: newKeys(t).keys })
  const { sql, end } = place.target.engine === 'sqlite' ? sqlite(place.target.path) : await postgres(url)
  t.after(async () => {
    await end()
    await store.close()
    place.remove()
  })
  return { store, service, sql }
}

function sqlite(path: string) {
  const db = new DatabaseSync(path)
  const all = async (text: string, values: readonly unknown[] = []) =>
    db.prepare(text.replaceAll(/\$\d+/g, '?')).all(...(values as SQLInputValue[])) as Row[]
  return { sql: { engine: 'sqlite' as const, all }, end: async () => db.close() }
}

async function postgres(url: string) {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=baton' })
  await client.connect()
  const all = async (text: string, values: readonly unknown[] = []) =>
    (await client.query(text, [...values])).rows as Row[]
  return { sql: { engine: 'postgres' as const, all }, end: () => client.end() }
}

const [planner, codex, maria] = [by('planner'), by('codex'), person('maria')]

const WORKFLOW = `name: release
home: package
steps:
  - id: notes
    title: Write the notes
    agent: codex
  - { id: deploy, title: Deploy, agent: planner }
`

/** A row of every kind, and several steps of most. */
export async function liveThrough({ service }: Tampered): Promise<void> {
  await run(service, maria, 'agent_add', { name: 'maria', kind: 'human' })
  const { sending, receiving, closing, looking } = service
  const given = { to: 'codex', title: 'Build it', summary: 'All of it', deliverables: ['A service'] }
  const { handoff } = await sending.send(planner, given)
  await receiving.accept(codex, handoff.uid)
  await receiving.ask(codex, handoff.uid, 'Which port?')
  await receiving.answer(planner, handoff.uid, '8080')
  await run(service, codex, 'handoff_send', { type: 'gate', to: 'maria', title: 'Go?', parent: handoff.id })
  const gate = (await looking.inbox('maria', { limit: 9 }, true)).items[0]!
  await run(service, maria, 'gate_decide', { id: gate.id, choice: 'approve', comment: 'Go' })
  await receiving.submit(codex, handoff.uid, {
    evidence: [{ deliverable: 'A service', evidence: 'curl answers' }],
  })
  await closing.verify(planner, handoff.uid, { pass: true })
  await sending.send(planner, { to: 'gemini', title: 'Look at it' })
  await run(service, planner, 'task_create', { id: 'P0.1.1', title: 'Package setup' })
  await run(service, planner, 'task_create', { id: 'P0.1.2', title: 'Next', depends_on: ['P0.1.1'] })
  await run(service, codex, 'task_start', { id: 'P0.1.1' })
  await run(service, codex, 'thought_record', EXAMPLE)
  await run(service, codex, 'workflow_start', { definition: WORKFLOW })
  await (await service.tokens()).create(maria, { agent: 'codex', scopes: ['handoff:read'] })
  await service.artifacts.put(codex, { path: 'a.txt', handoff: handoff.id, bytes: Buffer.from('bytes') })
  await collect(service, { 'a.md': summary({ from: '@scout' }) })
  const [notice] = (await looking.inbox('planner', { limit: 9 })).notices
  if (notice) await looking.acknowledge(planner, notice.uid)
  const audit = await service.audit()
  await audit.start(codex)
  await audit.checkpoint()
}

/** Every finding of the two checks that `doctor` makes. */
export async function findingsIn(store: Store): Promise<readonly string[]> {
  const { broken } = await verifyChains(store)
  const { wrong } = await verifyStates(store)
  return [...broken.map(({ stream, at, reason }) => `${stream} ${at} ${reason}`), ...wrong]
}

/** Columns by which a row is found again. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  agent: ['name'],
  task_dep: ['task', 'depends_on'],
  entry: ['id'],
  record: ['seq'],
  blob: ['sha256'],
  token: ['hash'],
  block: ['seq'],
  tile: ['level', 'n'],
}
const keysOf = (table: string): readonly string[] => KEYS[table] ?? ['uid']

/** What nobody is shown: counters, keys of calls, messages on their way, and what engines keep for themselves. */
const UNSEEN_TABLES = ['meta', 'counter', 'idem', 'delivery', 'checkpoint', 'tree']
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  task: ['height'],
  handoff: ['due_at', 'due_kind'],
  stream: ['progress_seq'],
  entry: ['id'],
  record: ['seq'],
  block: ['seq'],
  tile: ['first'],
}
/** Members of documents that change without an entry. */
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  handoff: ['gated'],
  run: ['numbered'],
  audit_session: ['state', 'lease', 'receipt'],
}

export const SEEN_TABLES = Object.keys(TABLES).filter((table) => !UNSEEN_TABLES.includes(table))

export interface Edit {
  readonly about: string
  readonly row: Row
  apply(): Promise<unknown>
  undo(): Promise<unknown>
}

/** Rows of a table that people see. */
export const rowsIn = ({ sql }: Tampered, table: string): Promise<readonly Row[]> =>
  sql.all(`SELECT * FROM ${table}`)

/** Changes a cell or a member of a document, or deletes the row. */
export function randomEdit({ sql }: Tampered, random: Random, table: string, row: Row): Edit {
  const keys = keysOf(table)
  const where = (from: number) => keys.map((key, i) => `${key} = $${from + i}`).join(' AND ')
  const named = `${table} ${keys.map((key) => row[key]).join(' ')}`
  const values = keys.map((key) => row[key])
  if (random.below(8) === 0) {
    const names = Object.keys(row)
    const into = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`
    return {
      about: `${named} is deleted`,
      row,
      apply: () => sql.all(`DELETE FROM ${table} WHERE ${where(1)}`, values),
      undo: () => sql.all(into, Object.values(row)),
    }
  }
  const column = random.pick((TABLES[table] ?? []).filter((each) => !UNSEEN[table]?.includes(each)))
  const next =
    column === 'doc' ? changedDoc(table, String(row.doc), random) : changedCell(row[column], random)
  const changed: Row = { ...row, [column]: next }
  const set = `UPDATE ${table} SET ${column} = $1 WHERE ${where(2)}`
  return {
    about: `${named}: ${column} is ${String(next).slice(0, 300)}`,
    row,
    apply: () => sql.all(set, [next, ...values]),
    undo: () => sql.all(set, [row[column], ...keys.map((key) => changed[key])]),
  }
}

function changedCell(value: unknown, random: Random): unknown {
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value)
    const at = random.below(bytes.length)
    bytes[at] = bytes[at]! ^ 1
    return bytes
  }
  if (value === null) return 'x'
  return typeof value === 'number'
    ? value + 1_000
    : /^\d+$/.test(String(value))
      ? Number(value) + 1_000
      : `${value}x`
}

function changedDoc(table: string, doc: string, random: Random): string {
  const value = JSON.parse(doc) as Row
  const places: [holder: Row, key: string][] = []
  const visit = (holder: Row, depth: number) => {
    for (const key of Object.keys(holder)) {
      if (depth === 0 && OUTSIDE[table]?.includes(key)) continue
      const member = holder[key]
      if (typeof member === 'object' && member !== null) visit(member as Row, depth + 1)
      else places.push([holder, key])
    }
  }
  visit(value, 0)
  if (places.length === 0) return JSON.stringify({ ...value, added: 'x' })
  const [holder, key] = random.pick(places)
  const member = holder[key]
  holder[key] = typeof member === 'boolean' ? !member : typeof member === 'number' ? member + 1 : `${member}x`
  return JSON.stringify(value)
}
