import type { AuditRecord } from '../../entry.ts'
import { ownCopy } from '../files.ts'
import type { Complain } from './session-replay.ts'

interface KnownTask {
  readonly state: string
  readonly rev: number
  /** Whether the present period of work has a record of what was done. */
  readonly recorded: boolean
}

/** A task follows its handoff in the same transaction, so the two stand close together in the log. */
const LOOK_BACK = 4_096
/** The acts that every agent may do to a task; none of them reopens a done task. */
const DAILY = new Set([
  'task.create',
  'task.update',
  'task.start',
  'task.done',
  'task.accepted',
  'task.in_progress',
  'task.release',
  'task.gate',
])

/** Tasks: none is done without a record of the same period of work, and none comes back but by a reinstatement. */
export class TaskReplay {
  readonly #tasks = new Map<string, KnownTask>()
  /** Handoffs that were completed lately, by whom and when; the oldest gives way. */
  readonly #completed: Pick<AuditRecord, 'actor' | 'ts'>[] = []
  #completions = 0

  get size(): number {
    return this.#tasks.size
  }

  handoffCompleted(record: AuditRecord): void {
    this.#completed[this.#completions % LOOK_BACK] = record
    this.#completions += 1
  }

  step(record: AuditRecord, complain: Complain): void {
    const { act, sub, to } = record
    const before = this.#tasks.get(sub.id)
    if (sub.rev !== (before?.rev ?? 0) + 1)
      complain(`it is revision ${sub.rev} of task ${sub.id}, and ${(before?.rev ?? 0) + 1} is next`)
    if (!before && act !== 'task.create') complain(`task ${sub.id} begins with ${act}`)
    if (before && act === 'task.create') complain(`task ${sub.id} is created twice`)
    const state = to ?? before?.state ?? 'todo'
    const isDone = before?.state === 'done'
    if (state === 'done' && !isDone) this.#done(record, before, complain)
    if (isDone && state !== 'done' && DAILY.has(act))
      complain(`${act} opens task ${sub.id} again, which was done; only a reinstatement may`)
    this.#tasks.set(before ? sub.id : ownCopy(sub.id), {
      state,
      rev: sub.rev,
      recorded: isRecorded(record, before, state),
    })
  }

  #done(record: AuditRecord, before: KnownTask | undefined, complain: Complain): void {
    const { act, actor, sub, ts } = record
    // Document 000 has no records: there a task is done when its handoff was verified.
    if (act === 'task.completed') {
      if (!this.#wasCompleted(actor.id, ts))
        complain(`task ${sub.id} is done with a handoff, and none was completed`)
    } else if (act !== 'task.done') complain(`${act} does not make task ${sub.id} done`)
    else if (!before?.recorded) complain(`task ${sub.id} is done without a record of what was done`)
  }

  /** The newest first: nearly always it is that one. */
  #wasCompleted(by: string, at: string): boolean {
    const oldest = Math.max(0, this.#completions - LOOK_BACK)
    for (let n = this.#completions - 1; n >= oldest; n -= 1) {
      const { actor, ts } = this.#completed[n % LOOK_BACK]!
      if (ts === at && actor.id === by) return true
    }
    return false
  }
}

/** A record counts for the period of work in which it was written; a new period begins without one. */
function isRecorded({ act }: AuditRecord, before: KnownTask | undefined, state: string): boolean {
  if (act === 'thought_record') return true
  if (act === 'task.reinstate') return false
  if (state === 'in_progress' && before?.state !== 'in_progress') return false
  return before?.recorded ?? false
}
