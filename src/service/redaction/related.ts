import { hash } from 'node:crypto'
import { openDisclosure } from '../../audit/disclosure.ts'
import { type AuditRecord, decodeEntry } from '../../audit/entry.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Notice } from '../../domain/people/notice.ts'
import type { Task, ThoughtRecord } from '../../domain/tasks/task.ts'
import type { Run } from '../../domain/workflow/run.ts'
import { type Artifact, itemsOf, type LogEntry } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import { RECORD_ACTS } from '../log-record.ts'
import { refuse } from '../write.ts'
import type { Whole } from './places.ts'

/** One disclosure of an entry, opened. */
export interface OpenedText {
  readonly text: string
  readonly digest: string
  readonly name: string
  readonly value: unknown
}

/** An entry with its disclosures opened. */
export interface ReadEntry {
  readonly entry: LogEntry
  readonly record: AuditRecord
  readonly opened: readonly OpenedText[]
}

/** The subject of a redaction; `isOwn` tells which log entries are about it. */
export interface RedactedSubject {
  readonly kind: 'handoff' | 'task' | 'record'
  readonly id: string
  readonly handoff?: Handoff
  readonly task?: Task
  readonly record?: ThoughtRecord
  readonly isOwn: (read: ReadEntry) => boolean
}

/** Everything that may quote the subject, as it stood when it was read. */
export interface Related {
  /** Streams and the position of the last entry that was read. */
  readonly heads: ReadonlyMap<string, number>
  readonly reads: readonly ReadEntry[]
  readonly handoffs: readonly Whole[]
  readonly tasks: readonly Task[]
  readonly records: readonly ThoughtRecord[]
  readonly notices: readonly Notice[]
  readonly artifacts: readonly Artifact[]
  readonly runs: readonly Run[]
}

const SUBJECT_PAGE = 1_000
const ALL = 1_000_000

export async function subjectOf({ store }: ServiceDeps, ref: string): Promise<RedactedSubject> {
  const handoff = await store.handoff(ref)
  if (handoff) {
    const { uid, id } = handoff
    return { kind: 'handoff', id, handoff, isOwn: ({ entry }) => entry.subject === uid }
  }
  const task = (await store.task(ref))?.task
  if (task) return { kind: 'task', id: task.id, task, isOwn: ({ entry }) => entry.subject === task.uid }
  const record = await store.record(ref)
  const of = record && (await store.task(record.task_id))?.task
  if (record && of) return { kind: 'record', id: record.uid, task: of, record, isOwn: isOf(record) }
  return refuse(
    'not_found',
    `there is no handoff, task or record ${ref}; see what is there with: baton list ${ref}`,
    { id: ref },
  )
}

/** The entry of a record names it; one that does not is known by its instant. */
const isOf =
  ({ uid, created_at }: ThoughtRecord) =>
  ({ record, opened }: ReadEntry): boolean => {
    if (!RECORD_ACTS.includes(record.act)) return false
    const named = opened.find(({ name }) => name === 'record')
    return named ? named.value === uid : record.ts === created_at
  }

/** A handoff's chain and its task; or a task with its records and the chains of all its handoffs. */
export async function relatedTo(deps: ServiceDeps, subject: RedactedSubject): Promise<Related> {
  const { store } = deps
  const id = subject.task?.id ?? subject.handoff?.task
  const task = id === undefined ? undefined : (await store.task(id))?.task
  const first = subject.handoff ? [subject.handoff] : task ? await handoffsOf(deps, task.id) : []
  const streams = new Set([...first.map(({ root }) => root), ...(task ? [task.uid] : [])])
  const reads: ReadEntry[] = []
  const heads = new Map<string, number>()
  for (const stream of streams) {
    const entries = await streamEntries(deps, stream)
    reads.push(...entries)
    heads.set(stream, entries.at(-1)?.entry.seq ?? -1)
  }
  const uids = (kind: string): string[] => [
    ...new Set(reads.filter(({ record }) => record.sub.k === kind).map(({ record }) => record.sub.id)),
  ]
  const handoffs = await Promise.all(uids('handoff').map((uid) => wholeOf(deps, uid)))
  const runs = await Promise.all(uids('run').map((uid) => store.run(uid)))
  const artifacts = await Promise.all(uids('artifact').map((uid) => store.artifact(uid)))
  return {
    heads,
    reads,
    handoffs: handoffs.filter((whole) => whole !== undefined),
    tasks: task ? [task] : [],
    records: task ? await store.records(task.id, ALL) : [],
    notices: await store.noticesAbout([...uids('handoff'), ...uids('run'), ...(task ? [task.uid] : [])]),
    runs: runs.filter((run) => run !== undefined),
    artifacts: artifacts.filter((artifact) => artifact !== undefined),
  }
}

async function handoffsOf({ store }: ServiceDeps, task: string): Promise<readonly Handoff[]> {
  const found: Handoff[] = []
  for await (const handoff of itemsOf((page) => store.handoffs({ task }, page), SUBJECT_PAGE))
    found.push(handoff)
  return found
}

async function wholeOf({ store }: ServiceDeps, uid: string): Promise<Whole | undefined> {
  const [handoff, content] = await Promise.all([store.handoff(uid), store.content(uid)])
  return handoff && content && { handoff, content }
}

async function streamEntries({ store }: ServiceDeps, stream: string): Promise<readonly ReadEntry[]> {
  const found: ReadEntry[] = []
  for (;;) {
    const page = await store.entries(stream, found.length, SUBJECT_PAGE)
    found.push(...page.map(toRead))
    if (page.length < SUBJECT_PAGE) return found
  }
}

function toRead(entry: LogEntry): ReadEntry {
  const decoded = decodeEntry(entry.body)
  if (!decoded.ok) return refuse('store_refused', `entry ${entry.seq} of ${entry.stream} is invalid`, {})
  // The record was checked when it was written to the log.
  const record = decoded.record as unknown as AuditRecord
  return { entry, record, opened: (entry.disclosures ?? []).map(open) }
}

const open = (text: string): OpenedText => ({
  text,
  digest: hash('sha256', text, 'base64url'),
  ...openDisclosure(text),
})
