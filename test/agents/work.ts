import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '../../src/domain/errors.ts'
import type { Task } from '../../src/domain/tasks/task.ts'
import type { Service } from '../../src/service/service.ts'
import { recordOf, run } from '../support/program/invoke.ts'
import { by } from '../support/program/workspace.ts'

/** One agent of a swarm: next action, claim, work, writeback, until all tasks are done. Answers what it finished. */
export async function workAlone(service: Service, name: string, tasks: number): Promise<readonly string[]> {
  const call = by(name)
  const finished: string[] = []
  for (;;) {
    const { items } = await run<{ items: Task[] }>(service, call, 'task_next_actions')
    const taken = await claimOne(service, name, items)
    if (taken === undefined) {
      const { items: done } = await run<{ items: Task[] }>(service, call, 'task_list', {
        status: 'done',
        limit: 200,
      })
      if (done.length === tasks) return finished
      // Others hold what is left; what they finish may free more.
      await pause(5)
      continue
    }
    // Some write back in one call, some in the two calls of the document.
    if (finished.length % 2 === 0) await run(service, call, 'task_complete', recordOf(taken))
    else {
      await run(service, call, 'thought_record', recordOf(taken))
      await run(service, call, 'task_update', { task_id: taken, status: 'done', progress: 100 })
    }
    finished.push(taken)
  }
}

async function claimOne(service: Service, name: string, items: readonly Task[]): Promise<string | undefined> {
  for (const { id } of items) {
    try {
      await run(service, by(name), 'task_start', { id })
      return id
    } catch (error) {
      // Another was faster.
      const isTaken = error instanceof BatonError && ['conflict', 'wrong_state'].includes(error.code)
      if (!isTaken) throw error
    }
  }
  return undefined
}
