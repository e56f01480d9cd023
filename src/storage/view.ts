import type { AuditRecord } from '../audit/entry.ts'
import type { Agent } from '../domain/agent.ts'
import type { AuditSession } from '../domain/audit-session.ts'
import type { Block } from '../domain/blocks/block.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content } from '../domain/handoffs/package.ts'
import type { Delivery } from '../domain/people/delivery.ts'
import type { Notice } from '../domain/people/notice.ts'
import type { Task, ThoughtRecord } from '../domain/tasks/task.ts'
import type { Run } from '../domain/workflow/run.ts'
import type { Artifact, Idem, MoreReads, Pair, Stream, TaskRow, Token } from './store.ts'

/** Reads and writes of one decision. Reads answer from the loaded and staged rows alone. */
export interface View {
  handoff(uid: string): Handoff | undefined
  content(uid: string): Content | undefined
  /** The handoff that `Reads.claim` found, if any is left. */
  claimed(agent: string): Handoff | undefined
  /** The handoff that `Reads.latest` asks for, if there is one. */
  latest(pair: Pair): Handoff | undefined
  agent(name: string): Agent | undefined
  /** Open handoffs of an agent that was named in `Reads.counted`; nothing for others. */
  openOutgoing(agent: string): number | undefined
  openIncoming(agent: string): number | undefined
  task(id: string): TaskRow | undefined
  stream(uid: string): Stream | undefined
  notice(uid: string): Notice | undefined
  session(uid: string): AuditSession | undefined
  run(uid: string): Run | undefined
  /** The block with this digest, if it is history already. */
  block(digest: string): Block | undefined
  delivery(uid: string): Delivery | undefined
  /** Every gate and delegation right below a handoff that was read and is `gated`, also those that have ended. */
  gates(uid: string): readonly Handoff[]
  idem(): Idem | undefined
  /** Whether the unit named all of these in its reads; a decision that misses one answers `needs`. */
  hasRead(reads: MoreReads): boolean
  /** The next number of the workspace; gaps are allowed, repeats are not. */
  number(): number
  /** The id of the next number, of the year of the unit: one that no handoff has. */
  nextId(): string

  putHandoff(handoff: Handoff): void
  putContent(uid: string, content: Content): void
  putAgent(agent: Agent): void
  /** A new task comes with the uids it depends on and how many of them are open. */
  putTask(task: Task, created?: { readonly depends_on: readonly string[]; readonly open_deps: number }): void
  /** Tasks that depend on this one get one open dependency less (`-1`) or more (`1`). */
  shiftDependents(uid: string, by: -1 | 1): void
  addNotice(notice: Notice): void
  seeNotice(uid: string, at: string): void
  addRecord(record: ThoughtRecord): void
  addArtifact(artifact: Artifact, bytes?: Uint8Array): void
  putToken(token: Token): void
  putSession(session: AuditSession): void
  putRun(run: Run): void
  addBlock(block: Block): void
  putDelivery(delivery: Delivery): void
  /** Takes texts away for good. The unit has read the streams of the entries; rows that are not there stay so. */
  redact(redaction: Redaction): void
  addIdem(idem: Idem): void
  /**
   * Appends to the stream's chain and answers the position. `fields` are committed as salted disclosures. The
   * stream of a sealed session takes nothing more.
   */
  append(entry: Append): number
}

/** The rows that held a redacted text, as they are left without it. */
export interface Redaction {
  /** Entries with the disclosures that stay: what was hashed is not touched. */
  readonly entries: readonly {
    readonly stream: string
    readonly seq: number
    readonly disclosures: readonly string[]
  }[]
  readonly notices: readonly Notice[]
  readonly records: readonly ThoughtRecord[]
  readonly artifacts: readonly Artifact[]
  readonly blocks: readonly Block[]
  /** Stored bytes that go, by their SHA-256. */
  readonly blobs: readonly string[]
  /** uids whose idempotency rows forget the hash of what was said: it has no salt, so a short text could be guessed. */
  readonly inputs: readonly string[]
}

export interface Append {
  readonly stream: string
  /** uid of what the entry is about. */
  readonly subject: string
  readonly record: Omit<AuditRecord, 'v' | 'sd'>
  readonly fields?: Readonly<Record<string, unknown>>
  readonly progress?: boolean
}
