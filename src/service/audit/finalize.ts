import { printTlogProof } from '../../audit/tlog-proof.ts'
import type { Sealed } from '../../domain/audit-answers.ts'
import { type AuditSession, FINALIZING } from '../../domain/audit-session.ts'
import { BatonError } from '../../domain/errors.ts'
import { addMs } from '../../domain/handoffs/deadlines.ts'
import type { View } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { logRecord } from '../log-record.ts'
import { waitFor, within } from '../wait.ts'
import { refuse } from '../write.ts'
import { checkpointAt, newCheckpoint, newestCheckpoint } from './checkpoints.ts'
import { toText } from './hashes.ts'
import { signingKey } from './log-key.ts'
import { indexOf } from './log-reader.ts'
import { demandRecorded, membersOf } from './members.ts'
import { sequence } from './sequence.ts'
import { findSession } from './sessions.ts'
import { TreeReader } from './tree-reader.ts'

/** Document 003 asks the second caller to come back after 5 s; until then it may wait for the first. */
const WAIT_MS = 4_000
/** After the wait and the document's 5 s a first writer that died is out of the way. */
const LEASE_MS = 8_000
const RENEW_MS = 2_000

/** Seals a session, once: whoever comes second gets the same answer, at the latest after the document's retry. */
export async function finalize(deps: ServiceDeps, call: Call, ref?: string): Promise<Sealed> {
  const session = await findSession(deps, call, ref)
  if (session.receipt) return receiptOf(deps, session)
  // A caller that cannot sign must not seal: the answer would lack its checkpoint.
  await signingKey(deps)
  await newestCheckpoint(deps)
  // The first time this may take long, and nobody has to wait for it.
  await sequence(deps.store)
  // A failure is the caller's to know at once; only another's lease is waited for.
  const failed = (error: unknown) => ({ error })
  const answered = await waitFor(deps, () => attempt(deps, call, session.uid).catch(failed), within(WAIT_MS))
  if (answered && 'error' in answered) throw answered.error
  return answered ?? refuse('unavailable', FINALIZING, { session: session.id, retry_after_s: 5 })
}

/** The answer for a session that is sealed. */
export async function sealedRoot(deps: ServiceDeps, call: Call, ref?: string): Promise<Sealed> {
  const session = await findSession(deps, call, ref)
  const { id, state } = session
  const missing = 'merkle_finalize'
  if (state !== 'sealed')
    refuse('wrong_state', `${id} is not sealed yet; call ${missing} first`, { session: id, missing })
  return receiptOf(deps, session)
}

/** Answers when the session is sealed, by this call or another; undefined while another is at it. */
async function attempt(deps: ServiceDeps, call: Call, uid: string): Promise<Sealed | undefined> {
  const lease = deps.newUid()
  const session = await takeLease(deps, uid, lease)
  if (session.state === 'sealed') return receiptOf(deps, session)
  if (session.lease?.id !== lease) return undefined
  try {
    return await receiptOf(deps, await seal(deps, call, session, lease))
  } catch (error) {
    if (error instanceof LeaseLost) return undefined
    await giveBack(deps, uid, lease)
    throw error
  }
}

/** Somebody else took over, because this writer was silent for too long. */
class LeaseLost extends Error {}

async function seal(deps: ServiceDeps, call: Call, session: AuditSession, lease: string) {
  const { store } = deps
  const { size } = await sequence(store)
  const members = await membersOf(store, session, size, renewing(deps, session.uid, lease))
  await demandRecorded(store, session, members)
  const { n, root } = members
  const cp = { size, root: toText(await new TreeReader(store).rootAt(size)) }
  return change(deps, session.uid, (view, found, at) => {
    if (found.state === 'sealed') return found
    if (found.lease?.id !== lease) throw new LeaseLost()
    const { lease: _, ...rest } = found
    view.append({
      stream: found.uid,
      subject: found.uid,
      record: {
        ...logRecord('session.seal', call.actor, { id: found.uid, k: 'session', rev: found.rev + 1 }, at),
        cp,
        from: 'open',
        seal: { n, root },
        to: 'sealed',
      },
    })
    const by = call.actor.name
    return { ...rest, rev: found.rev + 1, state: 'sealed', seal: { at, by, n, root, size } }
  })
}

/**
 * The answer is made from what is kept: where the seal stands, and the checkpoint that the first to look fixed
 * for all others. A writer that died between seal and checkpoint leaves the rest to the next caller.
 */
async function receiptOf(deps: ServiceDeps, session: AuditSession): Promise<Sealed> {
  const { store } = deps
  const kept = session.receipt ? session : await fixReceipt(deps, session)
  const { receipt, seal } = kept
  if (!receipt || !seal) throw new BatonError('internal', `${session.id} is sealed without a seal`)
  const checkpoint = await checkpointAt(deps, receipt.checkpoint)
  const hashes = await new TreeReader(store).inclusion(receipt.index, receipt.checkpoint)
  return {
    session: kept.id,
    session_root: seal.root,
    n: seal.n,
    sealed_at: seal.at,
    sealed_by: seal.by,
    seal_index: receipt.index,
    checkpoint: checkpoint.note,
    proof: printTlogProof({ index: receipt.index, hashes, checkpoint: checkpoint.note }),
  }
}

async function fixReceipt(deps: ServiceDeps, session: AuditSession): Promise<AuditSession> {
  const checkpoint = await newCheckpoint(deps)
  const entry = (await deps.store.entries(session.uid, 1, 1))[0]
  const index = entry && (await indexOf(deps.store, entry))
  if (index === undefined) throw new BatonError('store_refused', `the seal of ${session.id} is missing`)
  return change(deps, session.uid, (_, found) =>
    found.receipt ? found : { ...found, receipt: { index, checkpoint: checkpoint.size } },
  )
}

/** Makes this call the one writer, unless there is one that lives. */
function takeLease(deps: ServiceDeps, uid: string, id: string): Promise<AuditSession> {
  return change(deps, uid, (_, session, at) => {
    const isHeld = session.lease !== undefined && session.lease.until > at
    if (session.state === 'sealed' || isHeld) return session
    return { ...session, state: 'sealing', lease: { id, until: addMs(at, LEASE_MS) } }
  })
}

function giveBack(deps: ServiceDeps, uid: string, id: string): Promise<unknown> {
  return change(deps, uid, (_, session) => {
    if (session.state !== 'sealing' || session.lease?.id !== id) return session
    const { lease: _lease, ...rest } = session
    return { ...rest, state: 'open' }
    // The caller is told the first error; a lease that could not be given back lapses.
  }).catch(() => undefined)
}

/** A long session takes longer than a lease: it is renewed while there is progress. */
function renewing(deps: ServiceDeps, uid: string, id: string): () => Promise<void> {
  let renewed = performance.now()
  return async () => {
    if (performance.now() - renewed < RENEW_MS) return
    renewed = performance.now()
    await change(deps, uid, (_, session, at) => {
      if (session.lease?.id !== id) throw new LeaseLost()
      return { ...session, lease: { id, until: addMs(at, LEASE_MS) } }
    })
  }
}

/** Changes the session's row under its lock. Only the seal is an act; a lease leaves no entry. */
function change(
  { store, now }: ServiceDeps,
  uid: string,
  decide: (view: View, session: AuditSession, at: string) => AuditSession,
): Promise<AuditSession> {
  const at = now().toISOString()
  return store.transact({
    reads: { sessions: [uid] },
    at,
    decide: (view) => {
      const before = view.session(uid)
      if (!before) refuse('not_found', `there is no audit session ${uid}`, { session: uid })
      const next = decide(view, before, at)
      if (next !== before) view.putSession(next)
      return next
    },
  })
}
