import { spoken } from '../../dialects/convert.ts'
import type { Draft } from '../../dialects/draft.ts'
import { PACKAGE_TABLE } from '../../dialects/package/table.ts'
import { ownedIn } from '../../dialects/table/derive.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { once } from '../../domain/once.ts'
import { present } from '../../domain/present.ts'
import type { FileText, KnownHandoff } from '../folder.ts'
import { documentIn, markChanges, newFile, rewritingTo, sourceIn, unmarked } from '../mark.ts'

/** All else in a file is its authors'. An author's edit of the workflow is not refused, and not kept. */
const OWNED = [...ownedIn(PACKAGE_TABLE), 'workflow'] as const

export function writePackageFile(known: KnownHandoff): FileText {
  const { handoff, draft, base, recent } = known
  const wanted = packageDraft(handoff, draft)
  const whole = once(() => spoken(wanted, 'package', FILE))
  const mark = markChanges('package', known)
  if (base === undefined) return newFile('package', whole(), mark)
  const fresh = sourceIn(known, 'package', FILE)
  const document = unmarked('package', fresh ?? documentIn(base, FILE, recent))
  if (!document?.draft) return { ok: false, missing: 'a package that can be read' }
  const before = document.draft
  const strict = () => whole().read
  const after = (said: Draft): Draft => mergedDraft(before, said)
  return { ok: true, text: rewritingTo(document, fresh !== undefined, { wanted, strict, after }).text(mark) }
}

function mergedDraft(before: Draft, said: Draft): Draft {
  const result: Record<string, unknown> = { ...before }
  for (const key of OWNED)
    if (said[key] === undefined) delete result[key]
    else result[key] = said[key]
  const { acknowledgment } = before
  if (acknowledgment && said.acknowledgment)
    result.acknowledgment = { ...emptyIn(acknowledgment), ...said.acknowledgment }
  return result as Draft
}

/** That there is nothing to ask is an author's word too, and the engine has none for it. */
const emptyIn = ({ questions, blockers }: NonNullable<Draft['acknowledgment']>) => ({
  ...(questions?.length === 0 && { questions }),
  ...(blockers?.length === 0 && { blockers }),
})

/** The handoff under the number that it has in its session, with its gate. */
function packageDraft(handoff: Handoff, draft: Draft): Draft {
  const { gate } = handoff
  const { result, ...rest } = draft
  return {
    ...rest,
    id: handoff.aliases?.package ?? handoff.id,
    state: handoff.state,
    ...present({ gate: gate && { type: gate.type, ...present({ name: gate.name }), ...draft.gate } }),
    // Files that were handed in go back with the return; here they would read as the sender's.
    ...(result && handoff.type === 'return' && { result }),
  }
}

const FILE = '.project/07-audit/sessions/s/handoffs/handoff.yaml'
