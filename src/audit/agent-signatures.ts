import { fromBase64 } from './base64.ts'
import { canonicalJson } from './canonical-json.ts'
import { type IsSigned, keyIdOf, type Statement, verifyEnvelope } from './envelope.ts'
import type { Sha256 } from './merkle.ts'

/** An entry as far as signatures go: its record, and what its disclosures open. */
export interface SignedEntry {
  readonly origin: string
  readonly record: Readonly<Record<string, unknown>>
  readonly disclosed: ReadonlyMap<string, unknown>
}

/**
 * `none`: nobody has to sign this. `unsigned`: its agent has a key and did not use it. `redacted`: what was signed
 * was taken away, so it cannot be checked any more.
 */
export type SignatureVerdict =
  | { readonly is: 'none' | 'key' | 'signed' | 'unsigned' | 'redacted' }
  | { readonly is: 'bad'; readonly reason: string }

/** Acts that an agent signs. */
const SIGNED_ACTS: readonly string[] = ['thought_record', 'task.reinstate']
/** Fields of a record that stand both in the entry's disclosures and in what was signed. */
const SHARED = [
  'record',
  'summary',
  'tests_run',
  'commit_sha',
  'branch',
  'blockers',
  'files_changed',
  'related_thought_records',
  'status',
  'notes',
  'on_behalf_of',
]

/** Follows the log: keys as agents are given them, then what they signed with them. */
export class AgentSignatures {
  readonly #sha256: Sha256
  readonly #isSigned: IsSigned
  readonly #keys = new Map<string, Map<string, Uint8Array>>()

  constructor(sha256: Sha256, isSigned: IsSigned) {
    this.#sha256 = sha256
    this.#isSigned = isSigned
  }

  async check(entry: SignedEntry): Promise<SignatureVerdict> {
    const { act, actor, sub } = entry.record as {
      act?: string
      actor?: { id: string; kid?: string }
      sub?: { id: string }
    }
    if (act === 'agent.key' && sub) return this.#enrol(sub.id, entry)
    if (!actor || act === undefined || !SIGNED_ACTS.includes(act)) return { is: 'none' }
    const keys = this.#keys.get(actor.id)
    if (actor.kid === undefined) return { is: keys ? 'unsigned' : 'none' }
    const key = keys?.get(actor.kid)
    if (!key) return bad(`it names the key ${actor.kid}, which ${actor.id} was not given before`)
    if (!hasDigest(entry.record, 'envelope')) return bad('it names a key and holds nothing that was signed')
    const envelope = entry.disclosed.get('envelope')
    if (envelope === undefined) return { is: 'redacted' }
    const statement = await verifyEnvelope(envelope, { id: actor.kid, key }, this.#isSigned)
    if (!statement) return bad(`it is not signed with the key ${actor.kid} of ${actor.id}`)
    const odd = differenceOf(statement, entry)
    return odd === undefined ? { is: 'signed' } : bad(`the text that ${actor.id} signed has another ${odd}`)
  }

  #enrol(agent: string, { disclosed, record }: SignedEntry): SignatureVerdict {
    const [kid, coded] = [disclosed.get('kid'), disclosed.get('public_key')]
    // Redacted: later signatures with it will say that the key is not known.
    if (coded === undefined && hasDigest(record, 'public_key')) return { is: 'redacted' }
    const key = typeof coded === 'string' ? fromBase64(coded) : undefined
    if (!key || kid !== keyIdOf(this.#sha256, key))
      return bad(`the key of ${agent} is not the one it is named after`)
    const keys = this.#keys.get(agent) ?? new Map<string, Uint8Array>()
    this.#keys.set(agent, keys.set(kid, key))
    return { is: 'key' }
  }
}

/** The first thing on which the statement and the entry do not agree. */
function differenceOf({ predicate, subject }: Statement, entry: SignedEntry): string | undefined {
  const { actor, sub, ts } = entry.record as { actor: { id: string }; sub: { id: string }; ts: string }
  const facts = { origin: entry.origin, by: actor.id, task_id: sub.id, created_at: ts }
  for (const [name, value] of Object.entries(facts)) if (predicate[name] !== value) return name
  const { commit_sha } = predicate
  if (commit_sha !== undefined && subject[0]?.digest.gitCommit !== commit_sha) return 'commit'
  return SHARED.find((name) => {
    if (!entry.disclosed.has(name)) return false
    return canonicalJson(entry.disclosed.get(name)) !== canonicalJson(predicate[name] ?? null)
  })
}

function hasDigest(record: SignedEntry['record'], name: string): boolean {
  const { sd } = record
  return typeof sd === 'object' && sd !== null && Object.hasOwn(sd, name)
}

const bad = (reason: string): SignatureVerdict => ({ is: 'bad', reason })
