import { BatonError } from '../../domain/errors.ts'
import { hasRole } from '../../domain/policy.ts'
import { present } from '../../domain/present.ts'
import type { RecordInput } from '../../domain/tasks/inputs.ts'
import type { Task, ThoughtRecord } from '../../domain/tasks/task.ts'
import { WRITEBACK_FAILED } from '../../domain/tasks/writeback.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { refuse } from '../write.ts'

/** Branch, commit and record, from which a pm can write the record for an agent that could not. */
export const escalationOf = (task_id: string, record: RecordInput) => ({
  task_id,
  ...present({ branch: record.branch, commit_sha: record.commit_sha }),
  // Absent fields are left out, so that the record can be called with as it stands.
  thought_record: JSON.parse(JSON.stringify({ task_id, ...record })) as Readonly<Record<string, unknown>>,
})
type Escalation = ReturnType<typeof escalationOf>

/** Codes that mean the store, not the call: the same call may succeed on a fresh connection. */
const OF_THE_STORE: readonly string[] = ['unavailable', 'store_refused', 'internal', 'timed_out']

/**
 * Document 003: whatever kept the store from taking what was written back, the agent hears its sentence, and with it
 * what to escalate with. Refusals of the call itself pass through.
 */
export async function orWritebackFailed<T>(escalation: Escalation, written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    const isKnown = error instanceof BatonError
    if (isKnown && !OF_THE_STORE.includes(error.code)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new BatonError(
      isKnown && error.retry ? error.code : 'unavailable',
      WRITEBACK_FAILED,
      { reason, escalation },
      error,
    )
  }
}

/** Records are never taken away, so what is there before the transaction is there in it. */
export async function demandRelated(deps: ServiceDeps, ids: readonly string[] = []): Promise<void> {
  const found = await Promise.all(
    [...new Set(ids)].map(async (id) => [id, await deps.store.record(id)] as const),
  )
  const unknown = found.flatMap(([id, record]) => (record ? [] : [id]))
  if (unknown.length > 0)
    refuse(
      'not_found',
      `related_thought_records names ${unknown.join(', ')}, which ${unknown.length === 1 ? 'is not a record' : 'are not records'} here; use the uid that thought_record returned, or see: baton thought list`,
      { unknown },
    )
}

/** People and agents with the role pm. The unit has read the caller. */
export const isPm = ({ deps, view, actor }: Step): boolean =>
  actor.kind === 'human' || hasRole(deps.policy, 'pm', actor.name, view.agent(actor.name))

/** Nobody else speaks for another agent. */
export function demandPm(step: Step, onBehalfOf: string | undefined): void {
  if (onBehalfOf === undefined || isPm(step)) return
  const { name } = step.actor
  refuse(
    'not_allowed',
    `${name} may not write for ${onBehalfOf}: on_behalf_of is for people and the role pm. A person can run: baton agent add ${name} --role pm`,
    { actor: name, on_behalf_of: onBehalfOf },
  )
}

/** Somebody writes to a task. */
export type Writing = Step & {
  /** The caller handed the task to who holds it. */
  readonly isAsker?: boolean
}

/** Work under way is written to by who has it in hand and who handed it over; people and pms may put things right. */
export function held(step: Writing, task: Task): Task {
  const { id, status, owner } = task
  if (status !== 'in_progress' || owner === undefined || owner === step.actor.name) return task
  if (step.isAsker || isPm(step)) return task
  return refuse(
    'not_allowed',
    `${owner} works on ${id}; only ${owner}, its sender, a person or the role pm can change or record it`,
    { id, owner, actor: step.actor.name },
  )
}

/** Looks who handed a task over only when that decides: few write to work that others hold. */
export async function asAsker<T>(
  { store }: ServiceDeps,
  { actor }: Call,
  id: string,
  attempt: (isAsker: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(false)
  } catch (error) {
    const owner =
      error instanceof BatonError && error.code === 'not_allowed' ? error.details.owner : undefined
    const handed = typeof owner === 'string' ? await store.latest(id, actor.name, owner) : undefined
    // A handoff must be accepted to count: an offer alone does not make its sender the asker.
    if (handed?.accepted_by !== owner || owner === undefined) throw error
    return attempt(true)
  }
}

/**
 * Its holder may; people and pms may take work back from an agent that is gone, and an agent may give back what an
 * instance of it held that has ended.
 */
export function mayMove(step: Step, task: Task, status: 'todo' | 'in_progress'): boolean {
  const { name, instance } = step.actor
  if (isPm(step)) return true
  const isSame = task.instance === undefined || instance === undefined || task.instance === instance
  return task.owner === name && (isSame || status === 'todo')
}

export function refuseHeld(task: Task): never {
  refuse('conflict', `${task.id} already belongs to ${task.owner}; pick another with: baton next`, {
    id: task.id,
    owner: task.owner,
  })
}

/** Whether a record says what this input says: the answer to a call was lost and it came again. */
export function saysTheSame(record: ThoughtRecord, call: Call, input: RecordInput): boolean {
  const said = (list: readonly unknown[] | undefined) => JSON.stringify(list ?? [])
  return (
    record.shape === 'completion' &&
    record.by === call.actor.name &&
    record.on_behalf_of === input.on_behalf_of &&
    record.branch === input.branch &&
    record.commit_sha === input.commit_sha?.toLowerCase() &&
    record.summary === (input.summary ?? '') &&
    said(record.tests_run) === said(input.tests_run) &&
    said(record.blockers) === said(input.blockers) &&
    said(record.files_changed) === said(input.files_changed)
  )
}

/** All that a record says, for the log: what is not committed to there could be changed unseen. */
export function loggedOf(record: ThoughtRecord): Readonly<Record<string, unknown>> {
  const some = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined)
  return {
    record: record.uid,
    summary: record.summary,
    tests_run: record.tests_run,
    commit_sha: record.commit_sha,
    branch: record.branch,
    blockers: some(record.blockers),
    files_changed: some(record.files_changed),
    related_thought_records: some(record.related_thought_records),
    status: record.status,
    notes: record.notes,
    on_behalf_of: record.on_behalf_of,
  }
}
