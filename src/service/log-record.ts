import type { Actor } from '../domain/actor.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { present } from '../domain/present.ts'
import type { Append } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'
import type { Step } from './handoffs/moves.ts'

type LogRecord = Append['record']

/** The log's record of an act: who did it, to which version of what, and when. */
export function logRecord(act: string, actor: Actor, sub: LogRecord['sub'], ts: string): LogRecord {
  const { name, auth } = actor.broughtBy ?? actor
  return { act, actor: { id: name }, auth, sub, ts }
}

/** Fields of an act, with the author that a text claims to have beside the caller that brought it. */
export const withClaim = ({ name, broughtBy }: Actor, fields: Append['fields']): Append['fields'] =>
  broughtBy ? { ...fields, claimed_author: name } : fields

/** Enters an act on a handoff into the log of its chain; answers the position. */
export function enterHandoff(
  { view, actor, at }: Pick<Step, 'view' | 'actor' | 'at'>,
  act: string,
  { root, uid, rev }: Handoff,
  more: Pick<LogRecord, 'from' | 'to'> & Pick<Append, 'fields' | 'progress'> = {},
): number {
  const { fields: said, progress, ...states } = more
  const fields = withClaim(actor, said)
  const record = { ...logRecord(act, actor, { id: uid, k: 'handoff', rev }, at), ...states }
  return view.append({ stream: root, subject: uid, record, ...present({ fields, progress }) })
}

/** The log stream of the workspace's administration. */
export const adminStream = (deps: ServiceDeps): string => deps.store.info.origin.split('/').at(-1) ?? ''
