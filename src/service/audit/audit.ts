import { decodeEntry } from '../../audit/entry.ts'
import type { ChainReport, Proof, Sealed, ShownEntry } from '../../domain/audit-answers.ts'
import type { AuditSession } from '../../domain/audit-session.ts'
import type { LogEntry, Page, PageRequest, SessionFilter, Tree } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { refuse } from '../write.ts'
import { newCheckpoint, newestCheckpoint, type Verified } from './checkpoints.ts'
import { finalize, sealedRoot } from './finalize.ts'
import { logKeyOf, type NamedKey, renewKey, signingKey } from './log-key.ts'
import { type LeafEntry, readLog } from './log-reader.ts'
import { currentCheckpoint, proofOf } from './proof.ts'
import { sequence } from './sequence.ts'
import { findSession, startSession } from './sessions.ts'
import { storePlace } from './trust.ts'
import { verifySession } from './verify-session.ts'

/** The log as a whole: audit sessions, its tree, signed checkpoints and proofs. */
export class Audit {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  start(call: Call): Promise<AuditSession> {
    return startSession(this.#deps, call)
  }

  session(call: Call, ref?: string): Promise<AuditSession> {
    return findSession(this.#deps, call, ref)
  }

  sessions(filter: SessionFilter, page: PageRequest): Promise<Page<AuditSession>> {
    return this.#deps.store.sessions(filter, page)
  }

  verifyChain(call: Call, session?: string): Promise<ChainReport> {
    return verifySession(this.#deps, call, session)
  }

  finalize(call: Call, session?: string): Promise<Sealed> {
    return finalize(this.#deps, call, session)
  }

  root(call: Call, session?: string): Promise<Sealed> {
    return sealedRoot(this.#deps, call, session)
  }

  proof(ref: string, limit: number): Promise<Proof> {
    return proofOf(this.#deps, ref, limit)
  }

  /** Signs the head of the log as it is now. */
  checkpoint(): Promise<Verified> {
    return newCheckpoint(this.#deps)
  }

  /** The newest checkpoint; made first where the key is. */
  currentCheckpoint(): Promise<Verified> {
    return currentCheckpoint(this.#deps)
  }

  async newestCheckpoint(): Promise<Verified> {
    return (
      (await newestCheckpoint(this.#deps)) ??
      refuse('wrong_state', 'no checkpoint has been signed yet; make one with: baton audit checkpoint', {
        missing: 'audit_checkpoint',
      })
    )
  }

  sequence(): Promise<Tree> {
    return sequence(this.#deps.store)
  }

  /** Entries in the order of the tree, with their disclosures, page by page. */
  entries(start: number, end: number): AsyncGenerator<LeafEntry> {
    return readLog(this.#deps.store, start, end)
  }

  /** A page of the log, oldest first. */
  async log({ limit, cursor = '0' }: PageRequest): Promise<Page<ShownEntry>> {
    const page = await this.#deps.store.changes(cursor, limit)
    const items = page.entries.map(toShown)
    return { items, ...(items.length === limit && { next: page.cursor }) }
  }

  /** The key that signs this log, and whether this machine holds it. */
  async key(): Promise<NamedKey & { readonly origin: string; readonly here: boolean }> {
    const { origin } = this.#deps.store.info
    const keys = await this.#deps.keys?.()
    const own = await keys?.key(origin)
    const named = await logKeyOf(this.#deps)
    if (named) return { ...named, origin, here: own?.vkey === named.vkey }
    const made = await signingKey(this.#deps)
    return { vkey: made.vkey, host: keys?.host ?? '', file: made.file, origin, here: true }
  }

  /** Forgets what this user remembers of the log in this place. For people: callers make sure of it. */
  async forget(): Promise<{ readonly origin: string; readonly remembered: boolean }> {
    const { info } = this.#deps.store
    const keys = await this.#deps.keys?.()
    const place = storePlace(info)
    const remembered = (await keys?.remembered(info.origin)) ?? (await keys?.originAt(place))
    await keys?.forget(place, info.origin)
    return { origin: info.origin, remembered: remembered !== undefined }
  }

  /** Begins another key for the log. For people: callers make sure of it. */
  async renewKey(call: Call): Promise<string> {
    return (await renewKey(this.#deps, call)).vkey
  }

  /** How many numbers of entries the tree is behind: the entries are at most as many. */
  async behind(): Promise<number> {
    const { last, newest } = await this.#deps.store.tree()
    return newest - last
  }
}

function toShown({ id, stream, seq, act, subject, at, hash, body }: LogEntry): ShownEntry {
  const decoded = decodeEntry(body)
  const actor = decoded.ok ? (decoded.record.actor as { id?: string } | undefined) : undefined
  return { number: id, stream, seq, act, ...(actor?.id && { by: actor.id }), subject, at, hash }
}
