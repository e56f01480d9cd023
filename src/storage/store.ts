import type { Agent } from '../domain/agent.ts'
import type { AuditSession, SessionState } from '../domain/audit-session.ts'
import type { Block } from '../domain/blocks/block.ts'
import type { Due } from '../domain/handoffs/deadlines.ts'
import type { Handoff, HandoffType } from '../domain/handoffs/handoff.ts'
import type { Artifact } from '../domain/handoffs/inputs.ts'
import type { Content } from '../domain/handoffs/package.ts'
import type { State } from '../domain/lifecycle.ts'
import type { Delivery } from '../domain/people/delivery.ts'
import type { Notice } from '../domain/people/notice.ts'
import type { Hit, SearchQuery } from '../domain/search.ts'
import type { Task, TaskState, ThoughtRecord } from '../domain/tasks/task.ts'
import type { Run, RunState } from '../domain/workflow/run.ts'
import type { Archive } from './archive.ts'
import type { Counts, Reports } from './flow.ts'
import type { Changed, Listener } from './listeners.ts'
import type { LiveRows } from './live.ts'
import type { Shared } from './pools.ts'
import type { View } from './view.ts'

/**
 * The rows that a unit reads. Handoffs, tasks and streams are locked until the unit's transaction ends. A handoff
 * brings its sender and receiver, its task, its run, its gates and the stream of its chain with it; a task or a run
 * brings its stream.
 */
export interface Reads {
  readonly handoffs?: readonly string[]
  /** uids whose content the decision looks into or changes. */
  readonly contents?: readonly string[]
  /** The next handoff that this agent may take, with its content; locked, and passed over by every other claim. */
  readonly claim?: string
  readonly agents?: readonly string[]
  /** Agents whose open handoffs are counted against a limit: locked first, then counted. */
  readonly counted?: readonly string[]
  /** Task ids. */
  readonly tasks?: readonly string[]
  /** The newest handoffs of a task between two agents, looked up while the task is locked: name it in `tasks` too. */
  readonly latest?: readonly Pair[]
  /** Log streams to append to, beside those of the handoffs and tasks read, and of what is new. */
  readonly streams?: readonly string[]
  readonly notices?: readonly string[]
  /** uids of audit sessions: locked, each with its stream. */
  readonly sessions?: readonly string[]
  /** uids of workflow runs: locked, each with its stream. */
  readonly runs?: readonly string[]
  /** Digests of blocks: which of them are history already. */
  readonly blocks?: readonly string[]
  /** uids of deliveries: locked. */
  readonly deliveries?: readonly string[]
  readonly idem?: IdemKey
  /** How many new handoff numbers the unit needs. */
  readonly numbers?: number
}

export interface Pair {
  readonly task: string
  readonly from: string
  readonly to: string
}

export interface IdemKey {
  readonly actor: string
  readonly op: string
  readonly key: string
}

export interface Idem extends IdemKey {
  readonly input_hash: string
  readonly subject: string
  readonly rev: number
  readonly at: string
}

/** The reads that a decision may ask for when it finds that it needs them. */
export type MoreReads = Omit<Reads, 'claim' | 'latest' | 'idem' | 'numbers'>

/** The answer of a decision that cannot be taken yet: the unit runs again and reads these rows too. */
export class Needs {
  readonly reads: MoreReads
  constructor(reads: MoreReads) {
    this.reads = reads
  }
}

/** An answer of `scrub` while others hold on to what is to be cleared. */
export const HELD_BYTES =
  'old bytes of the store: others were using it, so run the same command again when they are done'

export const needs = (reads: MoreReads): Needs => new Needs(reads)

/**
 * One change: the keys it touches and a pure, synchronous decision over what was loaded. A decision that
 * throws, or that needs more reads, leaves nothing behind. It may run more than once (a lost transaction is tried
 * again), so it must depend on nothing but the view and its own constants.
 */
export interface Unit<T> {
  readonly reads: Reads
  /** The instant of the call: what is due before it is settled first. */
  readonly at: string
  /** Agent and instance of the caller: a lapsed lease of its own handoff is left for it to revive. */
  readonly holder?: string
  decide(view: View): T | Needs
}

/** A handoff whose deadline, lease, retry instant or patience with a person has passed. */
export interface DueItem {
  readonly uid: string
  readonly kind: Due['kind']
  readonly holder?: string
}

export interface Stream {
  readonly uid: string
  readonly seq: number
  readonly head: string
  /** Position of the last entry that moved the work on (record, evidence, answer, decision). */
  readonly progress_seq: number
}

/** One line of the log as it is stored: `body` is what was hashed. */
export interface LogEntry {
  readonly id: number
  readonly stream: string
  readonly seq: number
  readonly subject: string
  readonly act: string
  readonly at: string
  readonly hash: string
  readonly body: string
  readonly disclosures?: readonly string[]
  readonly isArchived?: true
}

/** The head of the workspace's tree: how much of the log is in it. */
export interface Tree {
  readonly size: number
  /** Id of the last entry in it, 0 when it is empty. */
  readonly last: number
  /** The right edge in base64: the roots of its complete subtrees, largest first. */
  readonly edge: readonly string[]
}

/** A row of hashes of the tree (C2SP tlog-tiles): 256 when it is full, fewer at the right edge. */
export interface Tile {
  readonly level: number
  readonly n: number
  /** Level 0 only: id of the entry that is its first leaf. */
  readonly first?: number
  /** 32 bytes for each hash. */
  readonly bytes: Uint8Array
}

export interface SignedCheckpoint {
  readonly size: number
  readonly at: string
  /** The signed note, byte for byte. */
  readonly note: string
}

export interface SessionFilter {
  readonly by?: string
  readonly state?: readonly SessionState[]
}

export interface HandoffFilter {
  readonly state?: readonly State[]
  readonly from?: string
  readonly to?: string
  readonly task?: string
  readonly type?: HandoffType
  readonly waiting_for?: string
  readonly parent?: string
  /** uid of a run. */
  readonly run?: string
  readonly ref?: string
}

export interface TaskFilter {
  readonly status?: readonly TaskState[]
  readonly owner?: string
  readonly ref?: string
}

export interface RunFilter {
  readonly state?: readonly RunState[]
  readonly name?: string
}

export interface BlockFilter {
  readonly agent?: string
  readonly phase?: string
  readonly task?: string
  /** uid of a run. */
  readonly run?: string
}

export interface PageRequest {
  readonly limit: number
  readonly cursor?: string | undefined
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Absent on the last page. */
  readonly next?: string
}

/** Every item of a list, page by page. */
export async function* itemsOf<T>(
  read: (page: PageRequest) => Promise<Page<T>>,
  limit: number,
): AsyncGenerator<T, void> {
  for (let cursor: string | undefined; ; ) {
    const page = await read({ limit, cursor })
    yield* page.items
    if (page.next === undefined) return
    cursor = page.next
  }
}

export interface TaskRow {
  readonly task: Task
  /** How many of its dependencies are not done. */
  readonly open_deps: number
}

/** A credential of an agent for the HTTP surface. Only the hash of the secret is kept. */
export interface Token {
  readonly uid: string
  readonly hash: string
  readonly agent: string
  readonly scopes: readonly string[]
  readonly created_at: string
  readonly expires_at?: string
  readonly revoked_at?: string
  /** Uid of the exchange that used up a token for one use. */
  readonly claim?: string
  /** Hash of the token that this session was exchanged from; it ends with it. */
  readonly parent?: string
}

export interface StoreInfo {
  readonly engine: 'sqlite' | 'postgres'
  /** Path or address of the store, without secrets. */
  readonly location: string
  readonly workspace: string
  /** Name of the log: `<install>/<workspace uuid>`. */
  readonly origin: string
  readonly schema: number
  readonly readOnly: boolean
  /** The settings that a person has trusted last, as they were kept. */
  readonly settings?: string
  /** The store that this one was copied to, and that work goes on in. */
  readonly moved?: string | undefined
  /** The role of this connection may change and remove entries of the log; engines without roles do not say. */
  readonly changesLog?: boolean
}

export type Miscount = Readonly<Record<'kept' | 'rows', number>> & { readonly end: string }

/** The port of an engine. Every promise here is a case in `store.contract.ts`. */
export interface Store extends Shared, Reports, LiveRows {
  readonly info: StoreInfo

  /** The store's own clock, the same for all who share it: deadlines and leases are set and ended by it. */
  now(): Date

  /**
   * Runs the unit in a transaction and answers after it is durable. Units in flight at the same time share a
   * transaction; each is decided on what the earlier ones left. A refused unit changes nothing and does not
   * disturb the others. A unit that needs more reads runs again with them, a few times at most.
   */
  transact<T>(unit: Unit<T>): Promise<T>

  /** `settle` turns due handoffs into units. They run before other units, in a transaction of their own. */
  onDue(settle: (due: readonly DueItem[], at: string) => readonly Unit<unknown>[]): void
  /** Keeps the settings that a person trusts, in place of those before. */
  keepSettings(text: string): Promise<void>
  /** Settles everything due at `at`; answers how many. Does nothing on a read-only store. */
  settle(at: string): Promise<number>

  handoff(ref: string): Promise<Handoff | undefined>
  /** Of these the handoffs that are open and have nothing that is due by then. To ask costs less than to read them. */
  pending(uids: readonly string[], at: string): Promise<ReadonlySet<string>>
  content(uid: string): Promise<Content | undefined>
  /** Newest first. */
  handoffs(filter: HandoffFilter, page: PageRequest): Promise<Page<Handoff>>
  /** Open handoffs whose move it is for `agent`: by priority, then age. A cursor is `rank:uid`: where that order stands. */
  inbox(agent: string, page: PageRequest): Promise<Page<Handoff>>
  /** The newest handoff of this task from and to these agents; either may be left out. */
  latest(task: string, from?: string, to?: string): Promise<Handoff | undefined>

  task(ref: string): Promise<TaskRow | undefined>
  /** In the order in which people count: P0.1.2 before P0.1.10. */
  tasks(filter: TaskFilter, page: PageRequest): Promise<Page<TaskRow>>
  /** Open tasks without an open dependency and without a claim: critical first, then dependency order. */
  nextTasks(limit: number): Promise<readonly TaskRow[]>
  /**
   * The first task of the longest chain of open work: nothing holds it up and others wait for it. Of equally
   * long chains the first by number. Nothing where an open task is flagged critical: the flag wins.
   */
  longestChain(): Promise<TaskRow | undefined>
  dependents(uid: string): Promise<readonly string[]>
  /** Newest first, in the order in which they were written, whatever their clocks said. */
  records(task: string, limit: number): Promise<readonly ThoughtRecord[]>
  /** Of all tasks, newest first. */
  latestRecords(limit: number): Promise<readonly ThoughtRecord[]>
  record(uid: string): Promise<ThoughtRecord | undefined>

  run(ref: string): Promise<Run | undefined>
  /** Newest first. */
  runs(filter: RunFilter, page: PageRequest): Promise<Page<Run>>
  /** In the order in which they were stored. */
  blocks(filter: BlockFilter, page: PageRequest): Promise<Page<Block>>
  /** Deliveries whose next try is due at `at`, the longest due first. */
  dueDeliveries(at: string, limit: number): Promise<readonly Delivery[]>
  /** Words in id or title come first, then the last changed. The index catches up before. */
  search(query: SearchQuery, page: PageRequest): Promise<Page<Hit>>
  agents(): Promise<readonly Agent[]>
  agent(name: string): Promise<Agent | undefined>
  notices(agent: string, page: PageRequest): Promise<Page<Notice>>
  /** Every notice about one of these as it was written, seen or not. Looks at all notices: for seldom use. */
  noticesAbout(uids: readonly string[]): Promise<readonly Notice[]>
  artifact(uid: string): Promise<Artifact | undefined>
  artifacts(handoff: string): Promise<readonly Artifact[]>
  blob(sha256: string): Promise<Uint8Array | undefined>
  tokens(): Promise<readonly Token[]>
  token(hash: string): Promise<Token | undefined>
  /** Kept counts of ended handoffs and tasks that differ from their rows. Counts them all: for doctor. */
  miscounted(): Promise<readonly Miscount[]>

  /** The entries of a stream about a subject, oldest first. `bare`: without bodies where their archive is missing. */
  timeline(stream: string, subject: string, limit: number, bare?: true): Promise<readonly LogEntry[]>
  /** The log of one stream from `seq` on, for verification. */
  entries(stream: string, from: number, limit: number, bare?: true): Promise<readonly LogEntry[]>
  streams(page: PageRequest): Promise<Page<string>>
  /** Everything after `cursor`: nothing is skipped, and each stream keeps its order. Without a cursor: only the end. */
  changes(
    cursor: string | undefined,
    limit: number,
    bare?: true,
  ): Promise<{ entries: readonly LogEntry[]; cursor: string }>
  /** The changes after `cursor`, together; unnamed without a cursor, and where they are too many. */
  heard(cursor: string | undefined): Promise<{ cursor: string; changed?: Changed }>
  archive(): Promise<Archive | undefined>
  /** Leaves only the places of these entries; one that was redacted since stays. Answers how many went. */
  putAway(entries: readonly (LogEntry & { readonly index: number })[]): Promise<number>

  /** The tree as it stands, and the newest entry that was committed, in the tree or not. */
  tree(): Promise<Tree & { readonly newest: number }>
  /** Moves the tree on and puts these tiles, all of it or nothing; false when its size is not the expected one. */
  growTree(expectedSize: number, next: Tree, tiles: readonly Tile[]): Promise<boolean>
  /** Tiles of a level from `first` on, in order. */
  tiles(level: number, first: number, count: number): Promise<readonly Tile[]>
  /** The tile of level 0 in which an entry stands, if it is in the tree. */
  tileOfEntry(id: number): Promise<Tile | undefined>
  /** Signed checkpoints, the largest first. */
  checkpoints(page: {
    readonly before?: number | undefined
    readonly limit: number
  }): Promise<readonly SignedCheckpoint[]>
  /** Keeps a checkpoint; of one size the first stays. */
  addCheckpoint(checkpoint: SignedCheckpoint): Promise<void>
  session(ref: string): Promise<AuditSession | undefined>
  /** Newest first. */
  sessions(filter: SessionFilter, page: PageRequest): Promise<Page<AuditSession>>

  /** Calls back after commits of any process. A hint: it may come twice or be lost. */
  subscribe(listener: Listener): () => void

  /**
   * Removes what nobody needs any more: old idempotency rows, seen notices, messages to the outside that were
   * delivered or given up, and ended sessions. Dry unless `apply`; at most so many rows of each.
   */
  gc(before: string, apply: boolean, most?: number): Promise<Cleared>
  /** How many handoffs are due at `at` and not settled, and since when. A lease may be among them for a moment. */
  overdue(at: string): Promise<{ readonly count: number; readonly since?: string }>

  /** Clears the bytes of changed and deleted rows. Answers the places where some are left, and what to do about it. */
  scrub(): Promise<readonly string[]>

  /** Every row of every table, for backup and copy. */
  dump(): AsyncIterable<DumpRow>
  /** Ends writing here for every program: work goes on there. Without a place it begins again. False when another changed that since. */
  retire(to?: string): Promise<boolean>
  /** Takes a dump into an empty store. */
  restore(rows: AsyncIterable<DumpRow>): Promise<number>

  close(): Promise<void>
}

export type Cleared = Readonly<Record<'idem' | 'notices' | 'deliveries' | 'tokens', number>>

export interface DumpRow {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

export type { Append, Redaction, View } from './view.ts'
export type { Artifact, Changed, Counts }
