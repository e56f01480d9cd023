import { spoken } from '../../dialects/convert.ts'
import type { Draft } from '../../dialects/draft.ts'
import { type Document, readDocuments } from '../../dialects/index.ts'
import { rewriting } from '../../dialects/rewrite.ts'
import type { RecentTexts } from '../../dialects/text/sources.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { FileText, KnownHandoff } from '../folder.ts'
import { markChanges, printWith, unmarked } from '../mark.ts'

/** What the engine decides. All else in a file is its authors'. */
const OWNED = [
  ...['id', 'type', 'state', 'from', 'to', 'title', 'task', 'priority', 'created_at', 'in_reply_to'],
  ...['accepted_at', 'accepted_by', 'ack_notes', 'acknowledgment', 'gate', 'package', 'workflow'],
] as (keyof Draft)[]

export function writePackageFile(known: KnownHandoff): FileText {
  const { handoff, draft, base, recent } = known
  const wanted = packageDraft(handoff, draft)
  const whole = spoken(wanted, 'package', FILE)
  const mark = markChanges(PACKAGE_MARK, known)
  if (base === undefined) {
    if (whole.ok) return { ok: true, text: printWith('package', whole.native, ...mark) }
    return { ok: false, missing: whole.missing.map(({ field, reason }) => `${field} (${reason})`).join('; ') }
  }
  const document = documentIn(base, recent)
  if (!document?.draft) return { ok: false, missing: 'a package that can be read' }
  // Compared as the dialect reads them: what it cannot say must not count as a change.
  const strict = whole.ok ? whole.read : wanted
  const after: Record<string, unknown> = { ...document.draft }
  for (const key of OWNED)
    if (strict[key] === undefined) delete after[key]
    else after[key] = strict[key]
  const said = document.draft.acknowledgment
  if (said && strict.acknowledgment) after.acknowledgment = { ...emptyIn(said), ...strict.acknowledgment }
  return { ok: true, text: rewriting(document, after as Draft).text(mark) }
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
const PACKAGE_MARK = ['handoff', 'x_baton']

const documentIn = (text: string, recent: RecentTexts | undefined): Document | undefined =>
  unmarked(
    PACKAGE_MARK,
    readDocuments(text, { path: FILE, recent }).find(({ draft }) => draft !== undefined),
  )
