import { canonicalJson } from '../audit/canonical-json.ts'
import { sha256 } from '../crypto/crypto.ts'
import { holderKey } from '../domain/actor.ts'
import { BatonError, conflict, type ErrorDetails, type Refusal, toError } from '../domain/errors.ts'
import type { Problem } from '../domain/problem.ts'
import { type Idem, Needs, type Reads, type View } from '../storage/store.ts'
import type { Call, News, ServiceDeps } from './deps.ts'
import type { Step } from './handoffs/moves.ts'
import { adminStream } from './log-record.ts'
import { notePassed, passedSecrets } from './secrets.ts'

/** The row that a write changed; the answer to a repeated call is rebuilt from it. */
export interface Subject {
  readonly uid: string
  /** 1 for rows that never change. */
  readonly rev?: number
}

export interface Write<T> {
  readonly op: string
  readonly input: unknown
  readonly reads: Reads
  readonly decide: (step: Step) => T | Needs
  /** The row that the answer is about; the value itself by default. */
  readonly subject?: (value: T) => Subject
  /** Rebuilds the answer for a repeated call. */
  readonly reload: (uid: string) => Promise<T | undefined>
}

type Decided<T> = { readonly value: T } | { readonly before: Idem } | { readonly later: Later }

/** The answer of a decision that has changed nothing yet: something must be looked at outside the transaction first. */
export class Later extends Needs {
  readonly look: () => Promise<void>
  constructor(look: () => Promise<void>) {
    super({})
    this.look = look
  }
}

/** Use cases that share the world in which they run. */
export class UseCases {
  readonly deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.deps = deps
  }
}

/** Runs one write: once for each idempotency key, in one transaction, with what is due settled before it. */
export async function write<T>(deps: ServiceDeps, call: Call, work: Write<T>): Promise<T> {
  const passed = passedSecrets(call, work.input)
  const { streams = [] } = work.reads
  const reads = passed.length === 0 ? work.reads : { ...work.reads, streams: [...streams, adminStream(deps)] }
  const at = deps.now().toISOString()
  const idem = call.key === undefined ? undefined : { actor: call.actor.name, op: work.op, key: call.key }
  const input_hash = idem && sha256(canonicalJson(plainInput(work.input)), 'hex')
  const news: News[] = []
  const decided = await (call.together ?? deps.store).transact<Decided<T>>({
    reads: idem ? { ...reads, idem } : reads,
    at,
    holder: holderKey(call.actor.name, call.actor.instance),
    decide: (view) => {
      const before = view.idem()
      if (before) {
        if (before.input_hash === input_hash) return { before }
        throw conflict(
          `the key ${before.key} was used for another ${work.op} call; take a new key for new input`,
          { key: before.key },
        )
      }
      if (call.rev !== undefined) refuseStale(view, work.reads, call.rev)
      news.length = 0
      const step: Step = { deps, view, actor: call.actor, at, news }
      const value = work.decide(step)
      if (value instanceof Later) return { later: value }
      if (value instanceof Needs) return value
      const about = () => (work.subject ? work.subject(value) : (value as Subject))
      if (passed.length > 0) notePassed(step, work.op, about().uid, passed)
      if (idem && input_hash !== undefined) {
        const { uid, rev = 1 } = about()
        view.addIdem({ ...idem, input_hash, subject: uid, rev, at })
      }
      return { value }
    },
  })
  if ('value' in decided) {
    if (news.length > 0) await deps.news?.(news)
    return decided.value
  }
  if ('later' in decided) {
    await decided.later.look()
    return write(deps, call, work)
  }
  const answer = await work.reload(decided.before.subject)
  if (answer === undefined) throw new BatonError('internal', 'the answer of this call cannot be rebuilt')
  return answer
}

function refuseStale(view: View, { handoffs, tasks }: Reads, rev: number): void {
  const [uid, task] = [handoffs?.[0], tasks?.[0]]
  const now = uid === undefined ? (task === undefined ? undefined : view.task(task)?.task) : view.handoff(uid)
  if (now && now.rev !== rev)
    refuse(
      'conflict',
      `${now.id} is at revision ${now.rev} and you have seen ${rev}; look at it again first`,
      { id: now.id, rev: now.rev, seen: rev },
    )
}

/** Throws what pure code refused. */
export function demand(result: { readonly ok: true } | Refusal): void {
  if (!result.ok) throw toError(result.code, result.message, result.details)
}

export function refuse(code: Refusal['code'], message: string, details: ErrorDetails = {}): never {
  throw toError(code, message, details)
}

/** Refuses a step for all that stands in its way. */
export function refuseUnmet(id: string, done: string, unmet: readonly Problem[]): void {
  if (unmet.length === 0) return
  const reasons = unmet.map(({ message }) => message).join('; ')
  refuse('unmet', `${id} cannot be ${done} yet: ${reasons}`, { id, unmet })
}

/** Drops absent fields, which have no place in canonical JSON. */
const plainInput = (input: unknown): unknown =>
  input === undefined ? null : JSON.parse(JSON.stringify(input))
