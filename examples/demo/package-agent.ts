import { recordDone } from './record.ts'
import type { Stage } from './stage.ts'
import { takeStep } from './steps.ts'
import { WORKFLOW_NAME } from './team.ts'

/** Document 004: a package says what was decided and why, and a person says whether it goes on. */
export async function playReleaseManager(stage: Stage): Promise<void> {
  const told = await stage.inbox(({ state, from }) => state === 'offered' && from === 'test-runner')
  await stage.me.accept(told.id)
  stage.say(`takes over from test-runner (${told.id})`)
  await stage.work(2)
  const run = await stage.me.call('workflow_start', { name: WORKFLOW_NAME })
  stage.say(`starts the workflow ${run.id}`)
  stage.write('docs/release-notes.md', '# Rate limiting\n\nEvery key may call 100 times a second.\n')
  await takeStep(stage, 'notes', 'Two paragraphs and a table', 'docs/release-notes.md')
  await throughGate(stage)
  await takeStep(stage, 'deploy', 'On all six hosts, one after the other')
  await stage.until(async () => {
    const { state } = await stage.me.call('workflow_status', { id: run.id })
    return state === 'completed' || undefined
  })
  await stage.me.submit(told.id, { note: 'Released' })
  await stage.until(async () => !(await stage.me.call('task_get', { id: 'RL-8' })).task.blocked || undefined)
  await stage.me.call('task_start', { id: 'RL-8' })
  await recordDone(stage, 'RL-8', 'Rate limiting is live on all hosts, and nobody was locked out.')
  stage.say(`closes ${run.id}: rate limiting is live`)
}

/** A person may ask, or want it otherwise, as often as they like. */
async function throughGate(stage: Stage): Promise<void> {
  for (;;) {
    const next = await stage.inbox(
      ({ state, step, type }) =>
        (state === 'offered' && (step === 'deploy' || step === 'notes')) ||
        (type === 'gate' && state === 'needs_input'),
    )
    if (next.step === 'deploy') return
    await stage.work(2)
    if (next.type === 'gate') {
      await stage.me.answer(next.id, 'All three kinds of tests passed; the reports are in reports/.')
      stage.say(`answers the question about ${next.id}`)
    } else await takeStep(stage, 'notes', 'Written anew, and shorter', 'docs/release-notes.md')
  }
}
