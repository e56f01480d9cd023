import type { AuditRecord } from '../../entry.ts'
import { rootOfLeaves, type Sha256 } from '../../merkle.ts'
import { HASH_BYTES } from '../../sha256.ts'
import { isBase64Of } from '../coded.ts'
import { ownCopy } from '../files.ts'

/** Says what is wrong with an entry. */
export type Complain = (reason: string) => void

interface ReplayedSession {
  readonly by: string
  /** Index of its first entry. */
  readonly start: number
}

/** Leaf hashes of an actor while a session of its is open, with their indices: 40 bytes for each entry. */
interface Kept {
  open: number
  count: number
  indices: Float64Array
  hashes: Uint8Array
}

/**
 * Audit sessions: each holds its actor's entries from its start up to the size that its seal names, and the seal
 * says how many there are and the root over them. Nothing follows a seal.
 */
export class SessionReplay {
  readonly #sha256: Sha256
  readonly #open = new Map<string, ReplayedSession>()
  readonly #sealed = new Set<string>()
  readonly #kept = new Map<string, Kept>()

  constructor(sha256: Sha256) {
    this.#sha256 = sha256
  }

  /** To be called for every entry: an actor's entries belong to its sessions, whatever they are about. */
  step(index: number, stream: string, record: AuditRecord, leaf: Uint8Array, complain: Complain): void {
    if (this.#sealed.size > 0 && this.#sealed.has(stream))
      complain('it stands in an audit session that was sealed before')
    else if (record.sub.k === 'session') this.#session(index, record, complain)
    const kept = this.#kept.size === 0 ? undefined : this.#kept.get(record.actor.id)
    if (kept) keep(kept, index, leaf)
  }

  get sealed(): number {
    return this.#sealed.size
  }

  #session(index: number, record: AuditRecord, complain: Complain): void {
    const { id } = record.sub
    if (record.cp && record.cp.size > index) complain('it names a head of the log that was not there yet')
    if (record.act === 'audit_session_start') {
      if (this.#open.has(id)) complain(`audit session ${id} begins twice`)
      else this.#begin(ownCopy(id), { by: ownCopy(record.actor.id), start: index })
    } else if (record.act === 'session.seal') this.#seal(id, record, complain)
  }

  #begin(id: string, session: ReplayedSession): void {
    this.#open.set(id, session)
    const kept = this.#kept.get(session.by)
    if (kept) kept.open += 1
    else
      this.#kept.set(session.by, {
        open: 1,
        count: 0,
        indices: new Float64Array(64),
        hashes: new Uint8Array(64 * HASH_BYTES),
      })
  }

  #seal(id: string, { seal, cp }: AuditRecord, complain: Complain): void {
    const session = this.#open.get(id)
    const kept = session && this.#kept.get(session.by)
    if (!session || !kept) {
      complain(`audit session ${id} is sealed and was never begun`)
      return
    }
    this.#open.delete(id)
    this.#sealed.add(ownCopy(id))
    if (!seal || !cp) complain('it is a seal that says nothing')
    else {
      const leaves = membersOf(kept, session.start, cp.size)
      if (leaves.length !== seal.n)
        complain(`it seals ${seal.n} entries, and the session has ${leaves.length}`)
      else if (!isBase64Of(seal.root, rootOfLeaves(this.#sha256, leaves)))
        complain('it seals a root that is not that of the session’s entries')
    }
    kept.open -= 1
    if (kept.open === 0) this.#kept.delete(session.by)
  }
}

function keep(kept: Kept, index: number, leaf: Uint8Array): void {
  if (kept.count === kept.indices.length) {
    const [indices, hashes] = [new Float64Array(kept.count * 2), new Uint8Array(kept.hashes.length * 2)]
    indices.set(kept.indices)
    hashes.set(kept.hashes)
    Object.assign(kept, { indices, hashes })
  }
  kept.indices[kept.count] = index
  kept.hashes.set(leaf, kept.count * HASH_BYTES)
  kept.count += 1
}

/** The leaves kept from `start` up to but without `end`. Sought by halves: a session that nobody ends keeps many. */
function membersOf(kept: Kept, start: number, end: number): Uint8Array[] {
  const leaves: Uint8Array[] = []
  for (let i = firstFrom(kept, start); i < kept.count && kept.indices[i]! < end; i += 1)
    leaves.push(kept.hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES))
  return leaves
}

function firstFrom({ count, indices }: Kept, start: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (indices[middle]! < start) low = middle + 1
    else high = middle
  }
  return low
}
