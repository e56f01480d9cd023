import { isWrittenBack } from '../../domain/tasks/writeback.ts'
import { inWords } from '../../domain/texts/visible.ts'
import type { LogEntry, TaskRow } from '../../storage/store.ts'
import type { Call } from '../deps.ts'
import { refuse, UseCases } from '../write.ts'
import { putTask } from './task-follow.ts'
import { changeTask, refuseNoTask } from './tasks.ts'
import { isPm } from './writeback.ts'

/** The history of a task, and the way to reopen one that counts as done and is not. */
export class TaskHistory extends UseCases {
  /**
   * Document 003's hard rule at the merge: a task that counts as done without a record of its work is under way
   * again. What was written back only a person or a pm may open.
   */
  reopen(call: Call, id: string, reason: string): Promise<TaskRow> {
    return changeTask(this.deps, call, 'task_reopen', { id, reason }, (step) => {
      const task = step.view.task(id)?.task ?? refuseNoTask(id)
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
    const { store } = this.deps
    const row = await store.task(id)
    if (!row) refuseNoTask(id)
    return { row, entries: await store.timeline(row.task.uid, row.task.uid, limit) }
  }
}
