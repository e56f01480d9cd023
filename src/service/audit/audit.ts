import { decodeEntry } from '../../audit/entry.ts'
import type { ShownEntry } from '../../domain/audit-answers.ts'
import type { AuditSession } from '../../domain/audit-session.ts'
import { present } from '../../domain/present.ts'
import type { LogEntry, Page, PageRequest, SessionFilter } from '../../storage/store.ts'
import type { Call } from '../deps.ts'
import { refuse, UseCases } from '../write.ts'
import { newCheckpoint, newestCheckpoint, type Verified } from './checkpoints.ts'
import { finalize, sealedRoot } from './finalize.ts'
import { demandEntries } from './heads.ts'
import { logKeyOf, renewKey, signingKey, signingProblem } from './log-key.ts'
import { readLog } from './log-reader.ts'
import { currentCheckpoint, proofOf } from './proof.ts'
import { sequence } from './sequence.ts'
import { startSession } from './sessions.ts'
import { storePlace } from './trust.ts'
import { verifySession } from './verify-session.ts'

/** Entries that are not in the tree yet are counted one by one up to this many; beyond, their numbers are. */
const COUNTED = 1_024

/** The log as a whole: audit sessions, its tree, signed checkpoints and proofs. */
export class Audit extends UseCases {
  readonly start = startSession.bind(undefined, this.deps)
  readonly verifyChain = verifySession.bind(undefined, this.deps)
  readonly finalize = finalize.bind(undefined, this.deps)
  readonly root = sealedRoot.bind(undefined, this.deps)
  readonly proof = proofOf.bind(undefined, this.deps)
  /** Signs the head of the log as it is now. */
  readonly checkpoint = newCheckpoint.bind(undefined, this.deps)
  /** The newest checkpoint; made first where the key is. */
  readonly currentCheckpoint = currentCheckpoint.bind(undefined, this.deps)
  /** Refuses a log whose entries are not those of its tree. */
  readonly demandEntries = demandEntries.bind(undefined, this.deps)
  readonly sequence = sequence.bind(undefined, this.deps.store)
  /** Entries in the order of the tree, with their disclosures, page by page. */
  readonly entries = readLog.bind(undefined, this.deps.store)

  sessions(filter: SessionFilter, page: PageRequest): Promise<Page<AuditSession>> {
    return this.deps.store.sessions(filter, page)
  }

  /** The newest checkpoint, over entries that are hashed again. */
  async newestCheckpoint(): Promise<Verified> {
    await this.demandEntries()
    return (
      (await newestCheckpoint(this.deps)) ??
      refuse('wrong_state', 'no checkpoint has been signed yet; make one with: baton audit checkpoint', {
        missing: 'audit_checkpoint',
      })
    )
  }

  /** A page of the log, oldest first; about one subject, a page of its timeline, where a cursor counts entries. */
  async log({ limit, cursor = '0' }: PageRequest, about?: string): Promise<Page<ShownEntry>> {
    const { store } = this.deps
    if (about !== undefined) {
      const handoff = await store.handoff(about)
      const uid = handoff?.uid ?? (await store.task(about))?.task.uid ?? (await store.run(about))?.uid
      if (uid === undefined)
        return refuse('not_found', `there is no handoff, task or run ${about}`, { id: about })
      const start = Math.max(0, Math.trunc(Number(cursor)) || 0)
      const found = (await store.timeline(handoff?.root ?? uid, uid, start + limit + 1)).slice(start)
      const items = await this.#shown(found.slice(0, limit))
      return { items, ...(found.length > limit && { next: String(start + limit) }) }
    }
    const page = await store.changes(cursor, limit)
    const items = await this.#shown(page.entries)
    return { items, ...(items.length === limit && { next: page.cursor }) }
  }

  /** Entries with the ids that people use. */
  async #shown(entries: readonly LogEntry[]): Promise<ShownEntry[]> {
    const { store } = this.deps
    const named = [...new Set(entries.map(({ subject }) => subject))].map(async (uid) => {
      const found = (await store.handoff(uid)) ?? (await store.task(uid))?.task ?? (await store.run(uid))
      return [uid, found?.id] as const
    })
    const ids = new Map(await Promise.all(named))
    return entries.map((entry) => ({ ...toShown(entry), ...present({ id: ids.get(entry.subject) }) }))
  }

  /** The key that signs this log, whether this machine holds it, and the newest head as it stands, for a reader to verify. */
  async key() {
    const { origin } = this.deps.store.info
    const keys = await this.deps.keys?.()
    const own = await keys?.key(origin)
    const named = await logKeyOf(this.deps)
    const [head] = await this.deps.store.checkpoints({ limit: 1 })
    if (named) return { ...named, origin, here: own?.vkey === named.vkey, ...present({ head }) }
    const made = await signingKey(this.deps)
    return { vkey: made.vkey, host: keys?.host ?? '', file: made.file, origin, here: true }
  }

  /** Forgets what this user remembers of the log in this place. For people: callers make sure of it. */
  async forget(): Promise<{ readonly origin: string; readonly remembered: boolean }> {
    const { info } = this.deps.store
    const keys = await this.deps.keys?.()
    const place = storePlace(info)
    const remembered = (await keys?.remembered(info.origin)) ?? (await keys?.originAt(place))
    await keys?.forget(place, info.origin)
    return { origin: info.origin, remembered: remembered !== undefined }
  }

  /** Begins another key for the log. For people: callers make sure of it. */
  async renewKey(call: Call): Promise<string> {
    return (await renewKey(this.deps, call)).vkey
  }

  /** Why this process cannot sign the log, where it cannot. Makes no key. */
  readonly signingProblem = signingProblem.bind(undefined, this.deps)

  /** Entries that no checkpoint covers, in the tree or not, and for how long the oldest of them has waited. */
  async unsigned(): Promise<{ readonly entries: number; readonly seconds: number }> {
    const { store, now } = this.deps
    const { size, last, newest } = await store.tree()
    const covered = (await store.checkpoints({ limit: 1 }))[0]?.size ?? 0
    const { entries: tail } = newest > last ? await store.changes(String(last), COUNTED) : { entries: [] }
    const entries = size - covered + (tail.length < COUNTED ? tail.length : newest - last)
    const oldest = covered < size ? (await readLog(store, covered, covered + 1).next()).value : tail[0]
    const since = oldest ? now().getTime() - Date.parse(oldest.at) : 0
    return { entries, seconds: Math.max(0, since / 1_000) }
  }
}

function toShown({ id, stream, seq, act, subject, at, hash, body }: LogEntry): ShownEntry {
  const decoded = decodeEntry(body)
  const actor = decoded.ok ? (decoded.record.actor as { id?: string } | undefined) : undefined
  return { number: id, stream, seq, act, ...(actor?.id && { by: actor.id }), subject, at, hash }
}
