import type { Stage } from './stage.ts'

/** Takes one step of the workflow, works on it and hands in what came of it. */
export async function takeStep(stage: Stage, step: string, summary: string, file?: string): Promise<void> {
  const handoff = await stage.inbox((each) => each.step === step && each.state === 'offered')
  await stage.me.accept(handoff.id, { understood: { task: handoff.title } })
  stage.say(`takes ${handoff.id}: ${handoff.title}`)
  await stage.work(3)
  await stage.me.submit(handoff.id, {
    note: summary,
    ...(file !== undefined && { evidence: [{ deliverable: file, evidence: file }] }),
  })
  stage.say(`hands in ${handoff.id}: ${summary}`)
}
