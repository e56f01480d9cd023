import { acknowledgeFile } from './markdown-agent.ts'
import { recordDone } from './record.ts'
import type { Stage } from './stage.ts'
import { TASKS } from './team.ts'

/** What goes into the queue, and for which task. */
const JOBS = [
  { task: 'RL-3', title: 'Build the settings page', component: 'LimitSettings' },
  { task: 'RL-4', title: 'Build the usage chart', component: 'UsageChart' },
] as const

/** Document 003: claim a task, work, leave a record, and only then is it done. */
export async function playClaude(stage: Stage): Promise<void> {
  const asked = await acknowledgeFile(stage)
  await makePlan(stage, asked)
  await finish(stage, 'RL-1', 'A token bucket for each key: it allows bursts and needs two numbers.')
  for (const job of JOBS) {
    await queueJob(stage, job)
    stage.say(`puts "${job.title}" into the queue of react-specialist`)
    await stage.work(1)
  }
  await finish(stage, 'RL-2', 'The bucket is one row for each key, filled by the clock when it is asked for.')
  await finish(stage, 'RL-5', 'The middleware asks the bucket and answers 429 with the seconds to wait.')
  for (const { task } of JOBS)
    await stage.until(
      async () => (await stage.me.call('task_get', { id: task })).task.status === 'done' || undefined,
    )
  await loadTest(stage)
  await finish(stage, 'RL-7', 'The guide shows the header that says how many calls are left.')
}

async function makePlan(stage: Stage, asked: string): Promise<void> {
  for (const { id, title, needs, critical } of TASKS) {
    await stage.me.call('task_create', { id, title, depends_on: [...needs], critical })
    await stage.work(0.3)
  }
  stage.write('docs/plan.md', `# Plan\n\n${TASKS.map(({ id, title }) => `- ${id} ${title}`).join('\n')}\n`)
  stage.say(`plans ${TASKS.length} tasks; each knows what it needs`)
  await stage.me.submit(asked, {
    evidence: [{ deliverable: 'docs/plan.md', evidence: 'docs/plan.md' }],
    note: `${TASKS.length} tasks, the longest chain has 5`,
  })
  await stage.until(async () => (await stage.me.get(asked)).handoff.state === 'completed' || undefined)
}

async function finish(stage: Stage, task: string, summary: string): Promise<void> {
  await stage.me.call('task_start', { id: task })
  stage.say(`starts ${task}`)
  await stage.work(2)
  await stage.me.call('task_update', { task_id: task, progress: 60 })
  await stage.work(2)
  await recordDone(stage, task, summary)
}

async function queueJob(stage: Stage, { task, title, component }: (typeof JOBS)[number]): Promise<void> {
  await stage.me.call('handoff_send', {
    to: 'react-specialist',
    home: 'queue',
    task,
    title,
    input: { component_requirements: [{ name: component, type: 'functional' }] },
    retry: { max: 2, delay_s: 1, multiplier: 2 },
    timeout_s: 300,
  })
}

/** The first one asked declines and says why; nothing is lost by it. */
async function loadTest(stage: Stage): Promise<void> {
  const ask = (title: string, to: string) =>
    stage.me.call('handoff_send', {
      to,
      task: 'RL-6',
      title,
      summary: 'The limits hold on one machine; now under the load of a launch day',
      deliverables: ['reports/load.md'],
      criteria: ['No call waits longer than 200 ms'],
    })
  const first = await ask('Load test on the old cluster', 'react-specialist')
  stage.say(`asks react-specialist for a load test (${first.handoff.id})`)
  await stage.until(
    async () => (await stage.me.get(first.handoff.id)).handoff.state === 'rejected' || undefined,
  )
  const { handoff } = await ask('Test all of it, also under load', 'test-runner')
  stage.say(`asks test-runner instead (${handoff.id})`)
  await stage.inbox(({ uid, state }) => uid === handoff.uid && state === 'in_review')
  await stage.work(1)
  await stage.me.verify(handoff.id, { pass: true })
  stage.say(`verifies ${handoff.id}: nobody passes their own work`)
}
