import { HandoffFailedException } from '../../../../domain/errors.ts'
import type { Handoff } from '../../../../domain/handoffs/handoff.ts'
import type { OperationOutput } from '../../../../runner/calls.ts'
import type { Extra } from '../../operation-command.ts'

/** Work whose input does not do fails as it is taken: nobody has it then, so the command has not done what it was asked. */
export const accept: Extra = {
  async after(_, output) {
    const { handoff = output as Handoff } = output as OperationOutput<'handoff_claim'>
    const { id, state, error } = handoff
    if (state !== 'failed' || !error) return false
    const next = error.recovery_actions?.length ? `; ${error.recovery_actions.join('; ')}` : ''
    throw new HandoffFailedException(`${id} cannot be begun: ${error.code}: ${error.message}${next}`, {
      id,
      state,
      error,
    })
  },
}
