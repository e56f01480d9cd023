import type { Actor } from '../domain/actor.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { present } from '../domain/present.ts'
import type { Append } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'
import type { Step } from './handoffs/moves.ts'

type LogRecord = Append['record']

/** Acts that put a record of work into the log. */
export const RECORD_ACTS: readonly unknown[] = ['thought_record', 'task.reinstate']

/** The log's record of an act: who did it, to which version of what, and when. */
export function logRecord(act: string, actor: Actor, sub: LogRecord['sub'], ts: string): LogRecord {
  const { name, auth } = actor.broughtBy ?? actor
  return { act, actor: { id: name }, auth, sub, ts }
}

/** Fields of an act, with what is in doubt about the caller. */
export function withDoubt({ doubt }: Actor, fields: Append['fields']): Append['fields'] {
  return doubt === undefined ? fields : { ...fields, doubt }
}

/** Fields of an act, with the author that a text claims to have beside the caller that brought it. */
export const withClaim = ({ name, broughtBy }: Actor, fields: Append['fields']): Append['fields'] =>
  broughtBy ? { ...fields, claimed_author: name } : fields

/** An act in the log: on which version of what, and more about it. */
export interface Act {
  readonly k: LogRecord['sub']['k']
  readonly id: string
  /** 1 unless said. */
  readonly rev?: number
  /** The log of the administration unless said. */
  readonly stream?: string | undefined
  /** Under which the entry is found; the id unless said. */
  readonly subject?: string | undefined
  readonly record?: Partial<LogRecord>
  readonly fields?: Append['fields'] | undefined
  readonly progress?: boolean | undefined
}

/** Enters an act into a log; answers the position. */
export function enter({ deps, view, actor, at }: Step, act: string, about: Act): number {
  const { k, id, rev = 1, stream = adminStream(deps), subject = id, record: more, ...said } = about
  const record = { ...logRecord(act, actor, { id, k, rev }, at), ...more }
  const fields = withDoubt(actor.broughtBy ?? actor, said.fields)
  return view.append({ stream, subject, record, ...present({ ...said, fields }) })
}

/** Enters an act on a handoff into the log of its chain; answers the position. */
export function enterHandoff(
  step: Step,
  act: string,
  { root, uid, rev }: Handoff,
  more: Pick<LogRecord, 'from' | 'to'> & Pick<Append, 'fields' | 'progress'> = {},
): number {
  const { fields, progress, ...record } = more
  const said = { record, fields: withClaim(step.actor, fields), progress }
  return enter(step, act, { k: 'handoff', id: uid, rev, stream: root, ...said })
}

/** The log stream of the workspace's administration. */
export const adminStream = (deps: ServiceDeps): string => deps.store.info.origin.split('/').at(-1) ?? ''
