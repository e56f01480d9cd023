import type { Draft } from '../../dialects/draft.ts'
import { convert, type Document, readDocuments, rewrite } from '../../dialects/index.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { FileText, KnownHandoff } from '../folder.ts'
import { markBelow } from '../mark.ts'

/** What the engine decides. All else in a file is its authors'. */
const OWNED = [
  ...['id', 'type', 'state', 'from', 'to', 'title', 'task', 'priority', 'created_at', 'in_reply_to'],
  ...['accepted_at', 'accepted_by', 'ack_notes', 'acknowledgment', 'gate', 'package', 'workflow'],
] as (keyof Draft)[]

export function writePackageFile({ handoff, draft, base, thread }: KnownHandoff): FileText {
  const wanted = packageDraft(handoff, draft)
  const whole = convert(wanted, 'package')
  if (base === undefined) {
    if (whole.ok) return { ok: true, text: mark.on(whole.text, { handoff, thread }) }
    return { ok: false, missing: whole.missing.map(({ field, reason }) => `${field} (${reason})`).join('; ') }
  }
  const document = documentIn(mark.off(base))
  if (!document?.draft) return { ok: false, missing: 'a package that can be read' }
  // Compared as the dialect reads them: what it cannot say must not count as a change.
  const strict = whole.ok ? (documentIn(whole.text)?.draft ?? wanted) : wanted
  const after: Record<string, unknown> = { ...document.draft }
  for (const key of OWNED)
    if (strict[key] === undefined) delete after[key]
    else after[key] = strict[key]
  const said = document.draft.acknowledgment
  if (said && strict.acknowledgment) after.acknowledgment = { ...emptyIn(said), ...strict.acknowledgment }
  return { ok: true, text: mark.on(rewrite(document, after as Draft), { handoff, thread }) }
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

const documentIn = (text: string): Document | undefined =>
  readDocuments(text, { path: '.project/07-audit/sessions/s/handoffs/handoff.yaml' }).find(
    ({ draft }) => draft !== undefined,
  )

const mark = markBelow(['handoff'], documentIn)
