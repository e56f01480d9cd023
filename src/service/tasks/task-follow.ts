import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { HOME_RULES } from '../../domain/home.ts'
import { gatesAfter, taskReasons } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import type { Task } from '../../domain/tasks/task.ts'
import type { Step } from '../handoffs/moves.ts'
import { enter, withClaim } from '../log-record.ts'
import { refuseUnmet } from '../write.ts'

/** The task follows its handoff: taken with it, back to the sender when it comes to nothing, done with document 000's. */
export function noteTask(step: Step, before: Handoff, after: Handoff): void {
  if (after.task === undefined || before.state === after.state) return
  const task = step.view.task(after.task)?.task
  if (!task || task.status === 'done') return
  const change = followed(task, after)
  if (!change) return
  const { instance: _, ...rest } = task
  putTask(step, { ...rest, ...change }, `task.${after.state}`)
  if (change.status === 'done') step.view.shiftDependents(task.uid, -1)
}

function followed(task: Task, handoff: Handoff): Partial<Task> | undefined {
  if (handoff.type === 'return' || handoff.type === 'gate') return undefined
  switch (handoff.state) {
    case 'accepted':
    case 'in_progress':
      return task.owner === handoff.to && task.status === 'in_progress'
        ? undefined
        : { status: 'in_progress', owner: handoff.to, ...present({ instance: handoff.instance }) }
    case 'expired':
    case 'rejected':
    case 'cancelled':
      return { status: 'assigned', owner: handoff.from }
    case 'completed':
      return HOME_RULES[handoff.home].closesTask
        ? { status: 'done', progress: 100, owner: handoff.to }
        : undefined
    default:
      return undefined
  }
}

/** A task follows its gates too: it is done only when none of them is shut. */
export function noteGate(step: Step, gate: Handoff): void {
  // Between sending and waiting for the person nothing can happen to the task.
  if (gate.task === undefined || !gate.gate?.holds_task || gate.state === 'offered') return
  const task = step.view.task(gate.task)?.task
  if (!task) return
  const { gates: before = [], ...rest } = task
  const gates = gatesAfter(before, gate)
  if (JSON.stringify(gates) === JSON.stringify(before)) return
  putTask(step, { ...rest, ...(gates.length > 0 && { gates: [...gates] }) }, 'task.gate')
}

/** Refuses whatever would carry a task past a gate that is shut. */
export function refuseShutTask({ id, gates }: Task, done: string): void {
  const unmet = taskReasons(gates).map((message) => ({ code: 'gate_shut', message }))
  refuseUnmet(id, done, unmet)
}

/** Writes a task with its entry in the task's own log; answers the task as it stands. */
export function putTask(
  step: Step,
  task: Task,
  act: string,
  more: {
    readonly fields?: Readonly<Record<string, unknown>>
    readonly progress?: boolean
    /** Id of the key that the actor signed with. */
    readonly kid?: string | undefined
  } = {},
): Task {
  const { view, actor, at } = step
  const { kid, fields, progress } = more
  const status = view.task(task.id)?.task.status
  const entered = task.status === 'in_progress' && status !== 'in_progress'
  // Every way to done leads through here.
  if (task.status === 'done' && status !== 'done') refuseShutTask(task, 'done')
  const next: Task = {
    ...task,
    rev: task.rev + 1,
    updated_at: at,
    ...(task.status === 'done' && { done_at: task.done_at ?? at }),
  }
  const { name } = actor.broughtBy ?? actor
  const seq = enter(step, act, {
    k: 'task',
    id: task.id,
    rev: next.rev,
    stream: task.uid,
    subject: task.uid,
    record: { actor: { id: name, ...present({ kid }) }, to: next.status },
    fields: withClaim(actor, fields),
    progress,
  })
  // The work period begins here: an older record does not count for done.
  const kept = entered ? { ...next, period_seq: seq } : next
  view.putTask(kept)
  return kept
}
