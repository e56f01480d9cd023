import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Agent } from '../../domain/agent.ts'
import { BatonError } from '../../domain/errors.ts'
import { once } from '../../domain/once.ts'
import { type BatchResult, EMPTY_UNIT, GroupCommit, type Outcome, TransactionLost } from '../group-commit.ts'
import type { Changed, Listener } from '../listeners.ts'
import { changedBy } from '../loaded.ts'
import type { Reader, StoreLimits } from '../pools.ts'
import { docs, type Rows } from '../queries.ts'
import { keyOf } from '../rows.ts'
import type { Cleared, DumpRow, Store, StoreInfo, Token, Unit } from '../store.ts'
import { HELD_BYTES } from '../store.ts'
import { WorkingSet } from '../working-set.ts'
import { isBusy, isRetired, toBatonError } from './errors.ts'
import { addCheckpoint, flush, growTree, keepLive, putAway } from './flush.ts'
import { documentOf, dueBefore, giveBack, load, probeDue } from './load.ts'
import { retire, schemaVersion } from './migrate.ts'
import { LOCK_WAIT_MS, type Opened, type OpenOptions, openDatabase, refuseMoved } from './open.ts'
import { sqliteQueries } from './queries.ts'
import type { ProcessReads, Question } from './read-process.ts'
import { Remembered } from './remembered.ts'
import { KernelClock, Signal } from './signal.ts'
import { Statements } from './statements.ts'

export interface SqliteStoreOptions extends OpenOptions {
  /** The file, or `:memory:`. */
  readonly path: string
  readonly workspace?: string
  readonly limits?: Partial<StoreLimits>
}

/** More would begin and end the work of a worker in step, and leave it nothing to do in between. A commit costs little. */
const MAX_BATCH = 32
const TOKEN = 'SELECT doc FROM token WHERE hash = ?'
const NEWEST = 'SELECT at FROM entry ORDER BY id DESC LIMIT 1'

/** Opens the embedded store; makes it when it is not there. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const opened = openDatabase(options.path, options)
  try {
    const store = new SqliteStore(opened, options)
    return Object.assign(store, store.queries())
  } catch (error) {
    opened.db.close()
    throw toBatonError(error, options.path)
  }
}

class SqliteStore {
  info: StoreInfo
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #limits: Partial<StoreLimits> | undefined
  readonly #refuseMoved: () => void
  readonly #lockWaitMs: number
  readonly #statements: Statements
  readonly #remembered: Remembered
  readonly #signal: Signal
  readonly #group: GroupCommit
  /** Of a server's callers; a command reads for itself. */
  #slow: ProcessReads | undefined
  /** The file that the clock is read from; absent where nothing can be written. */
  readonly #clock: KernelClock | undefined
  #closing: Promise<void> | undefined
  #search: Store['search'] | undefined

  constructor({ db, file }: Opened, options: SqliteStoreOptions) {
    this.#db = db
    this.#refuseMoved = () => refuseMoved(options.path, file)
    this.#path = options.path
    this.#limits = options.limits
    this.#lockWaitMs = options.lockWaitMs ?? LOCK_WAIT_MS
    this.#statements = new Statements(db)
    this.#remembered = new Remembered(this.#statements)
    const isShared = options.path !== ':memory:' && !options.readOnly
    const version = () => this.#statements.get('PRAGMA data_version')?.data_version
    this.#signal = new Signal(isShared ? join(options.path, '..', 'notify') : undefined, version)
    // Named after the store, as -wal is: other stores and other files may lie in the same folder.
    this.#clock = isShared ? new KernelClock(`${options.path}-clock`, () => this.#newest()) : undefined
    this.#group = new GroupCommit({
      run: (units, settled) => this.#run(units, settled),
      lanes: 1,
      maxBatch: MAX_BATCH,
    })
    this.info = {
      engine: 'sqlite',
      location: options.path,
      workspace: options.workspace ?? 'default',
      schema: schemaVersion(db),
      readOnly: options.readOnly ?? false,
      ...this.#meta(),
    }
  }

  /** Never behind the newest entry. */
  now(): Date {
    return this.#closing || !this.#clock ? new Date() : this.#clock.now()
  }

  #newest(): number {
    try {
      return Date.parse((this.#statements.get(NEWEST)?.at as string | undefined) ?? '') || 0
    } catch (error) {
      // While the log of a process that was killed is recovered, nobody can read.
      if (isBusy(error)) return 0
      throw toBatonError(error, this.#path)
    }
  }

  async transact<T>(unit: Unit<T>): Promise<T> {
    this.#refuseReadOnly()
    this.#refuseClosed()
    return this.#group.submit(unit)
  }

  onDue(settle: Parameters<Store['onDue']>[0]): void {
    this.#group.onDue(settle)
  }

  async settle(at: string): Promise<number> {
    if (this.info.readOnly || this.info.moved) return 0
    const due = await this.#read(() => probeDue(this.#statements, at, 1))
    return due.length === 0 ? 0 : this.#group.settle(at)
  }

  /** The reads of the port. Every request needs its token and its agent: those are kept in memory. */
  queries() {
    return {
      ...sqliteQueries(
        this.#statements,
        (query) => this.#read(query),
        (question) => this.#readSlowly(question),
        (name, text) => this.#keep(name, text, false),
        join(this.#path, '..', 'archive'),
      ),
      agent: (name: string) =>
        this.#read((): Agent | undefined => {
          const doc = this.#lookUp(`agent ${name}`, () => documentOf(this.#statements, 'agent', name))
          return doc === undefined ? undefined : JSON.parse(doc)
        }),
      token: (hash: string) =>
        this.#read(() =>
          this.#lookUp(`token ${hash}`, () => docs<Token>(this.#statements.rows(TOKEN, hash))[0]),
        ),
    }
  }

  search: Store['search'] = async (query, page) => {
    const { sqliteSearch } = await import('./search.ts')
    this.#search ??= sqliteSearch(this as unknown as Store, this.#statements, {
      write: (work) => this.#locked(work, false),
      read: (...question) => this.#readSlowly(question),
      // A command reads for itself; without a rest it still lets requests in.
      rest: (ms) => pause(this.#slow?.reader ? 2 * ms : 0),
    })
    return this.#search(query, page)
  }

  async ping(): Promise<unknown> {
    await this.#read(() => this.#refuseMoved() ?? this.#statements.get(TOKEN, ''))
    return this.info.readOnly || this.transact(EMPTY_UNIT)
  }

  async readAs<T>(reader: Reader, work: () => Promise<T>): Promise<T> {
    if (this.#path === ':memory:' || reader.isFirst) return work()
    const { ProcessReads } = await loadReads()
    this.#slow ??= new ProcessReads(this.#path, this.#limits)
    return this.#slow.readAs(reader, work)
  }

  pools(): ReturnType<Store['pools']> {
    return { ...(this.#slow && { slow_reads: this.#slow.state }) }
  }

  async #readSlowly(question: Question): Promise<Rows> {
    if (!this.#slow?.reader) return this.#read(() => this.#statements.rows(...question))
    this.#refuseClosed()
    this.#refuseMoved()
    return this.#slow.ask(question)
  }

  growTree: Store['growTree'] = (...grown) => this.#locked(() => growTree(this.#statements, ...grown), false)
  addCheckpoint: Store['addCheckpoint'] = (checkpoint) =>
    this.#locked(() => addCheckpoint(this.#statements, checkpoint), false)
  putAway: Store['putAway'] = (entries) => this.#locked(() => putAway(this.#statements, entries), false)
  keepLive: Store['keepLive'] = (...row) => this.#locked(() => keepLive(this.#statements, ...row), false)
  subscribe = (listener: Listener): (() => void) => this.#signal.subscribe(listener)

  async gc(before: string, apply: boolean, most = -1): Promise<Cleared> {
    const { leftovers } = await import('../leftovers.ts')
    const sweep = (table: string, where: string): number => {
      if (!apply)
        return this.#statements.get(`SELECT count(*) AS n FROM ${table} WHERE ${where}`, before)?.n as number
      const key = table === 'idem' ? 'actor, op, key' : keyOf(table)
      const old = `SELECT ${key} FROM ${table} WHERE ${where} LIMIT ?`
      return this.#statements.run(`DELETE FROM ${table} WHERE (${key}) IN (${old})`, before, most)
    }
    const old = leftovers((name) => `json_extract(doc, '$.${name}')`)
    const all = () =>
      Object.fromEntries(old.map(([name, table, where]) => [name, sweep(table, where)])) as Cleared
    return apply ? this.#locked(all) : this.#read(all)
  }

  /** Merges the search index, rewrites the whole file, then empties the log of pages beside it: all held the old rows. */
  async scrub(): Promise<readonly string[]> {
    this.#refuseReadOnly()
    this.#refuseClosed()
    await this.#patiently(() => {
      if (this.#db.isTransaction) return false
      this.#refuseMoved()
      // Words that were deleted stay in the index until it is merged. A copy in memory would be as large as the store.
      const merge = `INSERT INTO search (search) VALUES ('optimize')`
      this.#db.exec(`${merge}; PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY`)
      return true
    })
    const deadline = Date.now() + this.#lockWaitMs
    while (this.#statements.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy !== 0) {
      if (Date.now() >= deadline) return [HELD_BYTES]
      await pause(5)
    }
    return []
  }

  async *dump(): AsyncIterable<DumpRow> {
    this.#refuseClosed()
    yield* (await import('./copy.ts')).dump(this.#path, this.#statements)
  }

  async restore(rows: AsyncIterable<DumpRow>): Promise<number> {
    const { putRows } = await import('./copy.ts')
    const count = await this.#locked(() => putRows(this.#statements, this.#path, rows))
    this.info = { ...this.info, ...this.#meta() }
    return count
  }

  async retire(to?: string): Promise<boolean> {
    const isChanged = await this.#locked(() => retire(this.#db, this.info.moved, to))
    if (isChanged) this.info = { ...this.info, moved: to }
    return isChanged
  }

  #keep(name: string, text: string, signals?: boolean): Promise<unknown> {
    const put = 'INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)'
    return this.#locked(() => this.#statements.run(put, name, text), signals)
  }

  async keepSettings(text: string): Promise<void> {
    await this.#keep('settings', text)
    this.info = { ...this.info, settings: text }
  }

  /** Finishes the calls that came before. */
  close(): Promise<void> {
    this.#closing ??= this.#group.drained().then(async () => {
      this.#slow?.close()
      this.#signal.close()
      this.#clock?.close()
      this.#db.close()
    })
    return this.#closing
  }

  /** Begin, load, decide, write and commit without a turn of the event loop in between. */
  async #run(units: readonly Unit<unknown>[], settled: ReadonlySet<string> | 'skip'): Promise<BatchResult> {
    const begun = this.#begin()
    if (begun) await begun
    let outcomes: readonly Outcome[]
    let changed: Changed
    try {
      this.#remembered.refresh()
      if (settled !== 'skip') {
        const due = dueBefore(this.#statements, units, settled, this.#remembered)
        if (due.length > 0) {
          this.#db.exec('ROLLBACK')
          return { due }
        }
      }
      const set = new WorkingSet(load(this.#statements, units, this.#remembered), this.info.origin)
      outcomes = set.decideAll(units)
      giveBack(this.#statements, set.loaded)
      if (!set.isDirty) {
        this.#statements.run('COMMIT')
        return { outcomes }
      }
      flush(this.#statements, set.writes, this.#remembered)
      this.#refuseMoved()
      this.#statements.run('COMMIT')
      changed = changedBy(set.writes)
    } catch (error) {
      this.#rollback()
      // The lock was ours: what failed (a full disk, a taken id) fails again when it is tried at once.
      throw new TransactionLost(await this.#refusal(error), false)
    }
    this.#signal.send(changed)
    return { outcomes }
  }

  /** Rows derived from the log are written without a signal: the commit of the log has sent one. */
  async #locked<T>(work: () => T | Promise<T>, signals = true): Promise<T> {
    this.#refuseReadOnly()
    this.#refuseClosed()
    await this.#begin()
    let value: T
    try {
      const done = work()
      // Reads of this process see what is not committed: a restore alone takes turns.
      value = done instanceof Promise ? await done : done
      this.#refuseMoved()
      this.#statements.run('COMMIT')
      this.#remembered.forgetAll()
    } catch (error) {
      this.#rollback()
      throw toBatonError(error, this.#path)
    }
    if (signals) this.#signal.send()
    return value
  }

  /**
   * Takes the write lock in turn with other processes. SQLite's own busy timeout sleeps longer and longer while
   * the writer takes the lock again; short random pauses give everyone a fair share.
   */
  #begin(): Promise<unknown> | undefined {
    try {
      if (this.#tryBegin()) return undefined
    } catch (error) {
      if (!isBusy(error)) throw toBatonError(error, this.#path)
    }
    return this.#patiently(() => this.#tryBegin())
  }

  #tryBegin(): boolean {
    // Somebody in this process is between its begin and its commit: the same connection cannot begin twice.
    if (this.#db.isTransaction) return false
    this.#statements.run('BEGIN IMMEDIATE')
    return true
  }

  /** Reads through the cache: every request needs these rows. */
  #lookUp<T>(key: string, read: () => T): T {
    this.#remembered.refresh()
    return this.#remembered.get(key, read)
  }

  /** Reads wait too: while the log of a process that was killed is recovered, nobody can read. */
  async #read<T>(query: () => T): Promise<T> {
    this.#refuseClosed()
    try {
      return query()
    } catch (error) {
      if (!isBusy(error)) throw toBatonError(error, this.#path)
    }
    return (await this.#patiently(() => ({ value: query() }))).value
  }

  /** Tries until it works or the wait is over; what answers `false` is tried again too. */
  async #patiently<T>(attempt: () => T | false): Promise<T> {
    const deadline = Date.now() + this.#lockWaitMs
    for (let tried = 0; ; tried++) {
      try {
        const done = attempt()
        if (done !== false) return done
      } catch (error) {
        if (!isBusy(error) || Date.now() >= deadline) throw toBatonError(error, this.#path)
      }
      await pause(Math.random() * Math.min(1 + tried, 5))
    }
  }

  #rollback(): void {
    this.#remembered.forgetAll()
    // A full disk has ended the transaction already; asking again would hide the reason.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }

  #meta(): Pick<StoreInfo, 'origin' | 'settings' | 'moved'> {
    const kept = `SELECT key, value FROM meta WHERE key IN ('origin', 'settings', 'moved')`
    return Object.fromEntries(this.#statements.rows(kept))
  }

  async #refusal(error: unknown): Promise<unknown> {
    if (!isRetired(error)) return toBatonError(error, this.#path)
    return (await import('../moved.ts')).movedAway({ ...this.info, ...this.#meta() })
  }

  #refuseReadOnly(): void {
    if (!this.info.readOnly) return
    throw new BatonError('unavailable', `${this.#path} was opened for reading only`, { file: this.#path })
  }

  #refuseClosed(): void {
    if (this.#closing) throw new BatonError('unavailable', 'the store was closed', { file: this.#path })
  }
}

const loadReads = once(() => import('./read-process.ts'))
