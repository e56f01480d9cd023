import type { Extra } from '../../operation-command.ts'
import { resolveReferences } from '../../session/references.ts'

/** Without an id it is about the only run that is under way. */
export const status: Extra = {
  asks: ['id'],
  async before(_, session, input) {
    return {
      input:
        'id' in input ? input : await resolveReferences(session, 'workflow_status', { ...input, id: '@' }),
    }
  },
}
