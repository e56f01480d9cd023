import type { Task } from '../../domain/tasks/task.ts'
import { isWrittenBack } from '../../domain/tasks/writeback.ts'
import { inWords } from '../../domain/texts/visible.ts'
import type { LogEntry, TaskRow } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { refuse, write } from '../write.ts'
import { putTask } from './task-follow.ts'
import { isPm } from './writeback.ts'

/** The history of a task, and the way to reopen one that counts as done and is not. */
export class TaskHistory {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  /**
   * Document 003's hard rule at the merge: a task that counts as done without a record of its work is under way
   * again. What was written back only a person or a pm may open.
   */
  reopen(call: Call, id: string, reason: string): Promise<TaskRow> {
    return this.#change(call, 'task_reopen', { id, reason }, (step, task) => {
      if (task.status !== 'done')
        refuse('wrong_state', `${id} is ${inWords(task.status)}; only a task that is done can be reopened`, {
          id,
          status: task.status,
        })
      if (isWrittenBack(task) && !isPm(step))
        refuse(
          'not_allowed',
          `${id} is done and recorded; only a person or an agent with the role pm can reopen or reinstate it`,
          { id, record: task.record_id },
        )
      const { done_at: _, ...rest } = task
      const reopened = putTask(step, { ...rest, status: 'in_progress' }, 'task.reopen', {
        fields: { reason },
      })
      step.view.shiftDependents(task.uid, 1)
      return reopened
    })
  }

  /** The log entries of a task, oldest first. */
  async log(
    id: string,
    limit: number,
  ): Promise<{ readonly row: TaskRow; readonly entries: readonly LogEntry[] }> {
    const { store } = this.#deps
    const row = await store.task(id)
    if (!row) refuse('not_found', `there is no task ${id}; see what is there with: baton task list`, { id })
    return { row, entries: await store.timeline(row.task.uid, row.task.uid, limit) }
  }

  #change(
    call: Call,
    op: string,
    input: { readonly id: string; readonly reason?: string | undefined },
    decide: (step: Step, task: Task) => Task,
  ): Promise<TaskRow> {
    const deps = this.#deps
    const { id } = input
    return write<TaskRow>(deps, call, {
      op,
      input,
      reads: { tasks: [id], agents: [call.actor.name] },
      decide: (view, at) => {
        const row = view.task(id)
        if (!row)
          refuse('not_found', `there is no task ${id}; see what is there with: baton task list`, { id })
        const task = decide({ deps, view, actor: call.actor, at }, row.task)
        return { task, open_deps: row.open_deps }
      },
      subject: ({ task }) => task,
      reload: (uid) => deps.store.task(uid),
    })
  }
}
