import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { isHeldByGate, packageId, type Run, type RunStep } from '../../domain/workflow/run.ts'
import type { View } from '../../storage/store.ts'
import { refuse } from '../write.ts'

/** Document 004's number for a new handoff of a run. */
export function numberedIn(view: View, run: string): Pick<Handoff, 'run' | 'session' | 'aliases'> {
  const now = view.run(run)
  if (!now) return { run }
  const numbered = now.numbered + 1
  view.putRun({ ...now, numbered })
  return { run, session: now.id, aliases: { package: packageId(numbered) } }
}

/** The run that something below this handoff belongs to: work that follows a run that is over is its own. */
export function runBelow(view: View, parent: Handoff): string | undefined {
  const run = parent.run === undefined ? undefined : view.run(parent.run)
  return run && run.state !== 'completed' ? run.uid : undefined
}

/** While a person looks at a step, nothing goes out from it; of a run that was cancelled nothing does. */
export function refuseOverGate(view: View, uid: string | undefined, from: string, parent?: Handoff): void {
  const run = uid === undefined ? undefined : view.run(uid)
  if (!run) return
  if (run.state === 'cancelled')
    refuse('wrong_state', `${run.id} was cancelled; nothing is sent in it any more`, { run: run.id })
  const held = run.steps.find((step) => isHeldByGate(step) && isFrom(run, step, from, parent))
  if (held) refuseHeld(run, held.id, held.gate)
}

/** True below a handoff of the step, or from its agent without an active step in the run. */
function isFrom({ steps }: Run, { id, agent }: RunStep, from: string, parent: Handoff | undefined): boolean {
  if (parent?.step !== undefined) return parent.step === id
  return agent === from && !steps.some((step) => step.state === 'active' && step.agent === from)
}

function refuseHeld(run: Run, step: string, gate: string | undefined): never {
  refuse(
    'wrong_state',
    `step ${step} of ${run.id} waits at the gate ${gate}; nothing can be sent from it until a person approves`,
    { run: run.id, step, gate },
  )
}
