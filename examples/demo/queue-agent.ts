import { recordDone } from './record.ts'
import type { Stage } from './stage.ts'

const JOBS = 2

/** Document 001: whatever comes into the queue is taken in order; what goes wrong is tried again. */
export async function playReactSpecialist(stage: Stage): Promise<void> {
  let tries = 0
  let finished = 0
  const specialist = await stage.baton.specialist(
    'react-specialist',
    { signal: stage.signal },
    async (work) => {
      tries += 1
      stage.say(`takes "${work.handoff.title}" from its queue`)
      await stage.work(3)
      if (tries === 2) {
        stage.say('fails: the package registry did not answer. It is tried again in a second')
        throw new Error('the package registry did not answer')
      }
      const file = await work.artifact('react-components', { files: [`${work.handoff.task}.tsx`] })
      finished += 1
      stage.say(`hands in ${work.handoff.id}${work.attempt > 1 ? `, attempt ${work.attempt}` : ''}`)
      return { artifact: file, validation: { tests_passing: true, coverage_percentage: 87 } }
    },
  )
  await stage.until(() => finished === JOBS || undefined)
  await specialist.close()
  for (const task of ['RL-3', 'RL-4']) await recordDone(stage, task, 'The component is in, with its tests.')
  const extra = await stage.inbox(({ state, home }) => state === 'offered' && home !== 'queue')
  await stage.work(2)
  await stage.me.reject(extra.id, {
    reason: 'The old cluster was switched off in March; test-runner has a new one',
  })
  stage.say(`declines ${extra.id} and says why`)
}
