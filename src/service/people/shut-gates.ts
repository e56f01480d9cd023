import { gateConditions } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { OPEN_STATES } from '../../domain/lifecycle.ts'
import type { ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { refuse, refuseUnmet } from '../write.ts'

/** More open handoffs of one task than anybody has. */
const MOST_WORK = 100

/** A gate is answered by a decision alone: nobody declines it as if it were work. */
export function refuseDeclined({ id, type, state }: Handoff): void {
  if (type === 'gate' || type === 'escalation')
    refuse('wrong_state', `${id} asks a person to decide; answer it with: baton decide ${id} reject`, {
      id,
      state,
      type,
    })
}

/** uids of the open work on a task. Whether a gate was asked for it is judged in the transaction: one may come meanwhile. */
export async function workOn({ store }: ServiceDeps, task: string): Promise<readonly string[]> {
  const { items } = await store.handoffs({ task, state: OPEN_STATES }, { limit: MOST_WORK })
  return items.map(({ uid }) => uid)
}

/** Refuses what would carry work past a gate that is shut, or past delegated parts that are not back yet. */
export function refuseShut(
  { view }: Pick<Step, 'view'>,
  work: Handoff,
  done: string,
  conditions: typeof gateConditions = gateConditions,
): void {
  if (!work.gated) return
  refuseUnmet(work.id, done, conditions(view.gates(work.uid), work))
}
