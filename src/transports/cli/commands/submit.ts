import { BatonError } from '../../../domain/errors.ts'
import { withEvidence } from '../input/evidence.ts'
import type { Extra } from '../operation-command.ts'

/** Work that lacks evidence is told with the words to type. */
export const submit: Extra = {
  before: async (_, session, input) => ({
    input: await withEvidence(session, input, { field: 'evidence', option: 'evidence' }),
  }),
  refused(_, error) {
    if (!(error instanceof BatonError) || error.code !== 'unmet') return error
    const wanted = missing(error.details.unmet)
    if (wanted.length === 0) return error
    const options = wanted.map((deliverable) => `--evidence "${deliverable}=…"`).join(' ')
    return new BatonError('unmet', `${error.message}; add ${options}`, error.details, error)
  },
}

/** Deliverables for which nothing was shown. */
function missing(unmet: unknown): readonly string[] {
  if (!Array.isArray(unmet)) return []
  return unmet.flatMap(({ code, message }: { code?: unknown; message?: unknown }) => {
    const [, deliverable] = /"(.*)"/s.exec(String(message)) ?? []
    return code === 'deliverable_without_evidence' && deliverable !== undefined ? [deliverable] : []
  })
}
