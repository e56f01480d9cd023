import { createHash } from 'node:crypto'
import type { Stage } from './stage.ts'

/** Document 003's way to done: a record of what was done, and only then the status. */
export async function recordDone(stage: Stage, task: string, summary: string): Promise<void> {
  await stage.me.call('thought_record', {
    task_id: task,
    branch: `feature/${task.toLowerCase()}`,
    commit_sha: createHash('sha1').update(task).digest('hex'),
    tests_run: ['npm test'],
    summary,
    blockers: [],
    files_changed: [`src/${task.toLowerCase()}.ts`],
    related_thought_records: [],
  })
  await stage.me.call('task_update', { task_id: task, status: 'done' })
  stage.say(`leaves a record of ${task}, and only then it is done`)
}
