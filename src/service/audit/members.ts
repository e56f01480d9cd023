import { type AuditRecord, decodeEntry } from '../../audit/entry.ts'
import { append, EMPTY_FRONTIER, rootOf } from '../../audit/merkle.ts'
import { type AuditSession, FINAL_RECORD_MISSING } from '../../domain/audit-session.ts'
import { BatonError } from '../../domain/errors.ts'
import type { LogEntry, Store } from '../../storage/store.ts'
import { leafOfText, nodeSha256, toText } from './hashes.ts'
import { indexOf, missingFromStore, readLog } from './log-reader.ts'
import { TreeReader } from './tree-reader.ts'

/** The entries of a session, up to a size of the log. */
export interface Members {
  readonly n: number
  /** Base64. */
  readonly root: string
  /** The last of them: its leaf hash. */
  readonly head: string
  readonly streams: ReadonlySet<string>
  /** Tasks that were recorded, and tasks that became done. */
  readonly recorded: ReadonlySet<string>
  readonly done: ReadonlySet<string>
}

/**
 * Reads the log from the session's first entry on and gathers the entries of its actor. Each is hashed again and
 * compared with its leaf in the tree, so nothing that was changed behind the engine is sealed.
 */
export async function membersOf(
  store: Store,
  session: AuditSession,
  size: number,
  onPage: () => Promise<void> = async () => undefined,
): Promise<Members> {
  const [first] = await store.entries(session.uid, 0, 1)
  const start = first && (await indexOf(store, first))
  if (!first || start === undefined)
    throw missingFromStore(`the first entry of ${session.id}`, { session: session.id })
  let edge = EMPTY_FRONTIER
  let head = ''
  const [streams, recorded, done] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const reader = new TreeReader(store)
  for await (const entry of readLog(store, start, size)) {
    const leaf = leafOfText(entry.body)
    if (toText(leaf) !== toText(await reader.leaf(entry.index))) throw changedEntry(entry, entry.index)
    if (entry.index % EVERY === 0) await onPage()
    const said = decodedRecord(entry)
    if (said.actor?.id !== session.by) continue
    edge = append(nodeSha256, edge, leaf)
    head = toText(leaf)
    streams.add(entry.stream)
    if (said.act === 'thought_record') recorded.add(entry.stream)
    if (said.sub?.k === 'task' && said.to === 'done' && said.act !== 'thought_record') done.add(entry.stream)
  }
  return { n: edge.size, root: toText(rootOf(nodeSha256, edge)), head, streams, recorded, done }
}

/** How many entries are read between two looks at the lease. */
const EVERY = 1_000

/** Refuses to seal work that was not recorded. */
export async function demandRecorded(
  store: Store,
  session: AuditSession,
  { recorded, done }: Members,
): Promise<void> {
  const unmet = (why: string, task?: string): BatonError => {
    const details = { session: session.id, error: FINAL_RECORD_MISSING, missing: 'thought_record', task }
    return new BatonError('unmet', `${FINAL_RECORD_MISSING}: ${why}, then merkle_finalize again`, details)
  }
  if (recorded.size === 0) throw unmet(`${session.id} holds no record of what was done; call thought_record`)
  const open = [...done].find((stream) => !recorded.has(stream))
  if (open === undefined) return
  const id = (await store.task(open))?.task.id ?? open
  throw unmet(`${id} became done in ${session.id} without a record; call thought_record for it`, id)
}

function decodedRecord(entry: LogEntry): Partial<AuditRecord> {
  const decoded = decodeEntry(entry.body)
  // The log takes only records of this shape.
  return decoded.ok ? (decoded.record as Partial<AuditRecord>) : {}
}

function changedEntry({ stream, seq }: LogEntry, index: number): BatonError {
  const entry = `entry ${seq} of stream ${stream} (number ${index} of the log)`
  const message = `${entry} was changed in the store; compare it with a backup`
  return new BatonError('store_refused', message, { stream, at: seq, index })
}
