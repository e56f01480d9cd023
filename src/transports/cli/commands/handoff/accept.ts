import { HandoffFailedException } from '../../../../domain/errors.ts'
import type { OperationOutput } from '../../../../runner/operation-types.ts'
import type { Extra } from '../../operation-command.ts'

/** Work whose input does not do fails as it is taken: nobody has it then, so the command has not done what it was asked. */
export const accept: Extra = {
  async after(_, output) {
    const { handoff } = output as OperationOutput<'handoff_claim'>
    if (handoff?.state !== 'failed' || !handoff.error) return false
    const { id, state, error } = handoff
    const next = error.recovery_actions?.length ? `; ${error.recovery_actions.join('; ')}` : ''
    throw new HandoffFailedException(`${id} cannot be begun: ${error.code}: ${error.message}${next}`, {
      id,
      state,
      error,
    })
  },
}
