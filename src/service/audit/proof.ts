import { verifyInclusion } from '../../audit/merkle.ts'
import { printTlogProof } from '../../audit/tlog-proof.ts'
import type { Proof, ProvenEntry } from '../../domain/audit-answers.ts'
import { BatonError } from '../../domain/errors.ts'
import { present } from '../../domain/present.ts'
import type { LogEntry } from '../../storage/store.ts'
import { isSignedEntry } from '../agents/signature.ts'
import type { ServiceDeps } from '../deps.ts'
import { RECORD_ACTS } from '../log-record.ts'
import { refuse } from '../write.ts'
import { newCheckpoint, newestCheckpoint, type Verified } from './checkpoints.ts'
import { leafOfText, nodeSha256, toBytes } from './hashes.ts'
import { forked } from './heads.ts'
import { indexOf } from './log-reader.ts'
import { TreeReader } from './tree-reader.ts'

/** Entries of a task among which that of a record is looked for. */
const MOST_OF_A_TASK = 10_000

type Subject = Proof['subject'] & { readonly entries: readonly LogEntry[] }

/** The log entries about a handoff, task, record or session, each with its path to a signed head. */
export async function proofOf(deps: ServiceDeps, ref: string, limit: number): Promise<Proof> {
  const { store } = deps
  const { entries, ...subject } = await subjectOf(deps, ref, limit + 1)
  const checkpoint = await currentCheckpoint(deps)
  const reader = new TreeReader(store)
  const shown = entries.slice(0, limit)
  const proven: ProvenEntry[] = []
  const agents = await store.agents()
  for (const entry of shown) {
    const index = await indexOf(store, entry)
    if (index === undefined || index >= checkpoint.size) continue
    const hashes = await reader.inclusion(index, checkpoint.size)
    const { id: number, stream, seq, act, at, body } = entry
    const [leaf, root] = [leafOfText(body), toBytes(checkpoint.root)]
    const isSigned = verifyInclusion(nodeSha256, { index, size: checkpoint.size, leaf, root, proof: hashes })
    const other = `entry ${seq} of stream ${stream} is not the one that was signed`
    if (!isSigned) throw forked(deps, other, { stream, at: seq })
    const proof = printTlogProof({ index, hashes, checkpoint: checkpoint.note })
    const signed = isSignedEntry(entry, agents)
    const said = { index, number, stream, seq, act, at, entry: body }
    proven.push({ ...said, ...present({ signed }), proof })
  }
  const { origin, vkey, size, root, note } = checkpoint
  return {
    subject,
    origin,
    vkey,
    size,
    root,
    checkpoint: note,
    entries: proven,
    pending: shown.length - proven.length,
    more: entries.length > limit,
  }
}

/** A checkpoint of now where the key is; elsewhere the newest there is. */
export async function currentCheckpoint(deps: ServiceDeps): Promise<Verified> {
  try {
    if (!deps.store.info.readOnly) return await newCheckpoint(deps)
  } catch (error) {
    if (!(error instanceof BatonError && error.code === 'unmet')) throw error
    const newest = await newestCheckpoint(deps)
    if (newest) return newest
    throw error
  }
  return (
    (await newestCheckpoint(deps)) ??
    refuse('wrong_state', 'no checkpoint has been signed yet; make one with: audit_checkpoint', {
      missing: 'audit_checkpoint',
    })
  )
}

async function subjectOf({ store }: ServiceDeps, ref: string, limit: number): Promise<Subject> {
  const handoff = await store.handoff(ref)
  if (handoff)
    return {
      kind: 'handoff',
      id: handoff.id,
      entries: await store.timeline(handoff.root, handoff.uid, limit),
    }
  const task = (await store.task(ref))?.task
  if (task) return { kind: 'task', id: task.id, entries: await store.timeline(task.uid, task.uid, limit) }
  const record = await store.record(ref)
  const of = record && (await store.task(record.task_id))?.task
  if (record && of) {
    const all = await store.timeline(of.uid, of.uid, MOST_OF_A_TASK)
    const entries = all.filter(({ act, at }) => RECORD_ACTS.includes(act) && at === record.created_at)
    return { kind: 'record', id: record.uid, entries }
  }
  const session = await store.session(ref)
  if (session) return { kind: 'session', id: session.id, entries: await store.entries(session.uid, 0, limit) }
  const none = `there is no handoff, task, record or audit session ${ref}`
  return refuse('not_found', `${none}; look for it with: baton list ${ref}`, { id: ref })
}
