import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { BatonError } from '../../domain/errors.ts'
import { type BatchResult, GroupCommit, type Outcome, TransactionLost } from '../group-commit.ts'
import { TABLES } from '../rows.ts'
import type { DumpRow, HandoffFilter, PageRequest, Store, StoreInfo, TaskFilter, Unit } from '../store.ts'
import { WorkingSet } from '../working-set.ts'
import { isBusy, toBatonError } from './errors.ts'
import { flush } from './flush.ts'
import { dueBefore, load, probeDue } from './load.ts'
import { schemaVersion } from './migrate.ts'
import { type OpenOptions, openDatabase } from './open.ts'
import { SqliteQueries } from './queries.ts'
import { Signal } from './signal.ts'
import { type Row, Statements } from './statements.ts'

export interface SqliteStoreOptions extends OpenOptions {
  /** The file, or `:memory:`. */
  readonly path: string
  readonly workspace?: string
}

/** How long a call waits for other processes before it gives up. */
const LOCK_WAIT_MS = 5_000
const MAX_BATCH = 256

/** Opens the embedded store; makes it when it is not there. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  return new SqliteStore(openDatabase(options.path, options), options)
}

class SqliteStore implements Store {
  readonly info: StoreInfo
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #statements: Statements
  readonly #queries: SqliteQueries
  readonly #signal: Signal
  readonly #group: GroupCommit
  #closed = false

  constructor(db: DatabaseSync, options: SqliteStoreOptions) {
    this.#db = db
    this.#path = options.path
    this.#statements = new Statements(db)
    this.#queries = new SqliteQueries(this.#statements)
    const memory = options.path === ':memory:'
    this.#signal = new Signal(memory || options.readOnly ? undefined : join(options.path, '..', 'notify'))
    this.#group = new GroupCommit({
      run: (units, settled) => this.#run(units, settled),
      lanes: 1,
      maxBatch: MAX_BATCH,
    })
    this.info = {
      engine: 'sqlite',
      location: options.path,
      workspace: options.workspace ?? 'default',
      origin: this.#statements.get(`SELECT value FROM meta WHERE key = 'origin'`)?.value as string,
      schema: schemaVersion(db),
      readOnly: options.readOnly ?? false,
    }
  }

  transact<T>(unit: Unit<T>): Promise<T> {
    if (this.info.readOnly)
      return Promise.reject(
        new BatonError('unavailable', `${this.#path} was opened for reading only`, { file: this.#path }),
      )
    return this.#group.submit(unit)
  }

  onDue(settle: Parameters<Store['onDue']>[0]): void {
    this.#group.onDue(settle)
  }

  async settle(at: string): Promise<number> {
    if (this.info.readOnly || this.#read(() => probeDue(this.#statements, at)).length === 0) return 0
    return this.#group.settle(at)
  }

  handoff = async (ref: string) => this.#read(() => this.#queries.handoff(ref))
  content = async (uid: string) => this.#read(() => this.#queries.content(uid))
  handoffs = async (f: HandoffFilter, p: PageRequest) => this.#read(() => this.#queries.handoffs(f, p))
  inbox = async (agent: string, p: PageRequest) => this.#read(() => this.#queries.inbox(agent, p))
  latest = async (task: string, from?: string, to?: string) =>
    this.#read(() => this.#queries.latest(task, from, to))
  task = async (ref: string) => this.#read(() => this.#queries.task(ref))
  tasks = async (f: TaskFilter, p: PageRequest) => this.#read(() => this.#queries.tasks(f, p))
  nextTasks = async (limit: number) => this.#read(() => this.#queries.nextTasks(limit))
  dependents = async (uid: string) => this.#read(() => this.#queries.dependents(uid))
  records = async (task: string, limit: number) => this.#read(() => this.#queries.records(task, limit))
  record = async (uid: string) => this.#read(() => this.#queries.record(uid))
  agents = async () => this.#read(() => this.#queries.agents())
  notices = async (agent: string, p: PageRequest) => this.#read(() => this.#queries.notices(agent, p))
  artifact = async (uid: string) => this.#read(() => this.#queries.artifact(uid))
  artifacts = async (handoff: string) => this.#read(() => this.#queries.artifacts(handoff))
  blob = async (sha256: string) => this.#read(() => this.#queries.blob(sha256))
  tokens = async () => this.#read(() => this.#queries.tokens())
  token = async (hash: string) => this.#read(() => this.#queries.token(hash))
  counts = async () => this.#read(() => this.#queries.counts())
  timeline = async (subject: string, limit: number) =>
    this.#read(() => this.#queries.timeline(subject, limit))
  entries = async (stream: string, from: number, limit: number) =>
    this.#read(() => this.#queries.entries(stream, from, limit))
  streams = async (p: PageRequest) => this.#read(() => this.#queries.streams(p))
  changes = async (cursor: string | undefined, limit: number) =>
    this.#read(() => this.#queries.changes(cursor, limit))

  subscribe(listener: () => void): () => void {
    return this.#signal.subscribe(listener)
  }

  async gc(before: string, apply: boolean): Promise<{ idem: number; notices: number }> {
    const count = (sql: string) => this.#read(() => this.#statements.get(sql, before)?.n as number)
    const found = {
      idem: count('SELECT count(*) AS n FROM idem WHERE at < ?'),
      notices: count('SELECT count(*) AS n FROM notice WHERE seen_at < ?'),
    }
    if (apply)
      await this.#locked(() => {
        this.#statements.run('DELETE FROM idem WHERE at < ?', before)
        this.#statements.run('DELETE FROM notice WHERE seen_at < ?', before)
      })
    return found
  }

  async *dump(): AsyncIterable<DumpRow> {
    for (const [table, columns] of Object.entries(TABLES))
      for (const row of this.#statements.iterate(`SELECT ${columns.join(', ')} FROM ${table}`))
        yield { table, row }
  }

  async restore(rows: AsyncIterable<DumpRow>): Promise<number> {
    if (
      this.#statements.get(
        'SELECT 1 AS found FROM handoff UNION ALL SELECT 1 FROM task UNION ALL SELECT 1 FROM agent',
      )
    )
      throw new BatonError('conflict', `${this.#path} is not empty; restore into a new store`, {
        file: this.#path,
      })
    // Rows arrive one by one, the transaction is one: all of it is there afterwards or nothing.
    const all: DumpRow[] = []
    for await (const row of rows) all.push(row)
    await this.#locked(() => {
      for (const { table, row } of all) {
        const columns = TABLES[table]
        if (!columns)
          throw new BatonError('invalid_input', `a backup holds an unknown table ${table}`, { table })
        this.#statements.run(
          `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
          ...columns.map((column) => (row as Row)[column] ?? null),
        )
      }
    })
    return all.length
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#group.drained()
    this.#signal.close()
    this.#db.close()
  }

  /** Begin, load, decide, write and commit without a turn of the event loop in between. */
  async #run(units: readonly Unit<unknown>[], settled: ReadonlySet<string> | 'skip'): Promise<BatchResult> {
    await this.#begin()
    let dirty = false
    try {
      if (settled !== 'skip') {
        const due = dueBefore(this.#statements, units, settled)
        if (due.length > 0) {
          this.#db.exec('ROLLBACK')
          return { due }
        }
      }
      const set = new WorkingSet(load(this.#statements, units), this.info.origin)
      const outcomes = units.map((unit): Outcome => {
        try {
          return { ok: true, value: set.decide(unit.reads, (view) => unit.decide(view)) }
        } catch (error) {
          return { ok: false, error }
        }
      })
      dirty = set.isDirty
      if (dirty) flush(this.#statements, set.writes)
      this.#db.exec('COMMIT')
      if (dirty) this.#signal.send()
      return { outcomes }
    } catch (error) {
      // A full disk has ended the transaction already; asking again would hide the reason.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw new TransactionLost(toBatonError(error, this.#path))
    }
  }

  async #locked(work: () => void): Promise<void> {
    await this.#group.drained()
    await this.#begin()
    try {
      work()
      this.#db.exec('COMMIT')
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw toBatonError(error, this.#path)
    }
    this.#signal.send()
  }

  /**
   * Takes the write lock in turn with other processes. SQLite's own busy timeout sleeps longer and longer while
   * the writer takes the lock again; short random pauses give everyone a fair share.
   */
  async #begin(): Promise<void> {
    const deadline = Date.now() + LOCK_WAIT_MS
    for (let attempt = 0; ; attempt++) {
      try {
        if (this.#closed && attempt > 0) throw new BatonError('unavailable', 'the store was closed')
        this.#db.exec('BEGIN IMMEDIATE')
        return
      } catch (error) {
        if (!isBusy(error) || Date.now() >= deadline) throw toBatonError(error, this.#path)
        await pause(Math.random() * Math.min(1 + attempt, 5))
      }
    }
  }

  #read<T>(query: () => T): T {
    try {
      return query()
    } catch (error) {
      throw toBatonError(error, this.#path)
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
