import { hash } from 'node:crypto'
import { canonicalJson } from '../../audit/canonical-json.ts'
import { decodeEntry } from '../../audit/entry.ts'
import type { Envelope, Statement } from '../../audit/envelope.ts'
import type { Agent } from '../../domain/agent.ts'
import type { ThoughtRecord } from '../../domain/tasks/task.ts'
import type { LogEntry } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { RECORD_ACTS } from '../log-record.ts'

/** The key of an agent that this process holds. */
export interface AgentKey {
  readonly id: string
  /** The public part: 32 bytes in base64. */
  readonly public: string
  readonly file: string
  /** Signs an in-toto statement. */
  attest(subject: Statement['subject'][number], predicate: Statement['predicate']): Envelope
}

/** Keys of agents: with the user, never in the store. An agent has one for each log. */
export interface AgentKeys {
  key(origin: string, agent: string): Promise<AgentKey | undefined>
  /** Makes a key; one that is there already is kept, unless it is to be replaced. */
  makeKey(origin: string, agent: string, options?: { readonly replace?: boolean }): Promise<AgentKey>
}

/** The caller's own key, where this process holds it. */
export async function signerOf(deps: ServiceDeps, agent: string): Promise<AgentKey | undefined> {
  const keys = await deps.agentKeys?.()
  return keys?.key(deps.store.info.origin, agent)
}

export interface Signature {
  /** Only of agents that have a key: whether they used it. */
  readonly signed?: boolean
  readonly kid?: string
  readonly envelope?: Envelope
}

/**
 * Signs a record for its author: an in-toto statement about the commit. With the key that the agent was given and
 * with no other; a record without it is taken too, and shows as unsigned.
 */
export function signRecord(
  { deps, view, actor, key }: Step & { readonly key?: AgentKey | undefined },
  record: ThoughtRecord,
): Signature {
  const enrolled = view.agent(actor.name)?.key
  if (!enrolled) return {}
  if (key?.id !== enrolled.id) return { signed: false }
  const { uid, ...said } = record
  const predicate = { origin: deps.store.info.origin, record: uid, ...said }
  const { commit_sha, task_id } = record
  // Work without a commit is about nothing but the record itself.
  const digest =
    commit_sha === undefined
      ? { sha256: hash('sha256', canonicalJson(predicate), 'hex') }
      : { gitCommit: commit_sha }
  return { signed: true, kid: key.id, envelope: key.attest({ name: task_id, digest }, predicate) }
}

/** Whether the author of a record's entry used its key; undefined of all else, and where it had none. */
export function isSignedEntry({ body, at }: LogEntry, agents: readonly Agent[]): boolean | undefined {
  const decoded = decodeEntry(body)
  if (!decoded.ok || !RECORD_ACTS.includes(decoded.record.act)) return undefined
  const { id, kid } = decoded.record.actor as { id: string; kid?: string }
  if (kid !== undefined) return true
  const since = agents.find(({ name }) => name === id)?.key?.since
  return since !== undefined && since <= at ? false : undefined
}
