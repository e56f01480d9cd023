import { gateConditions } from '../../domain/guards.ts'
import type { Handoff } from '../../domain/handoff.ts'
import type { Step } from '../moves.ts'
import { refuse } from '../write.ts'

/** A gate is answered by a decision alone: nobody declines it as if it were work. */
export function refuseDeclined({ id, type, state }: Handoff): void {
  if (type === 'gate' || type === 'escalation')
    refuse('wrong_state', `${id} asks a person to decide; answer it with: baton decide ${id} reject`, {
      id,
      state,
      type,
    })
}

/** Refuses what would carry work past a gate that is shut. */
export function refuseShut({ view }: Pick<Step, 'view'>, work: Handoff, done: string): void {
  if (!work.gated) return
  const unmet = gateConditions(view.gates(work.uid), work)
  if (unmet.length === 0) return
  refuse('unmet', `${work.id} cannot be ${done} yet: ${unmet.map(({ message }) => message).join('; ')}`, {
    id: work.id,
    unmet,
  })
}
