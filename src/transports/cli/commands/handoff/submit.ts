import { withEvidence, withFix } from '../../input/evidence.ts'
import type { Extra } from '../../operation-command.ts'

/** Work that lacks evidence is told with the words to type. */
export const submit: Extra = {
  before: async (_, session, input) => ({
    input: await withEvidence(session, input, { field: 'evidence', option: 'evidence' }),
  }),
  refused(_, error) {
    return withFix(error, 'evidence', (options) => `add ${options}`)
  },
}
