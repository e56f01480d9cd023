import { spoken } from '../../dialects/convert.ts'
import type { Draft } from '../../dialects/draft.ts'
import { readDocuments } from '../../dialects/index.ts'
import { archivedAt, archivePath, isSafeName } from '../../dialects/package/files/session.ts'
import { updateState } from '../../dialects/package/files/state-file.ts'
import { PACKAGE_TABLE } from '../../dialects/package/table.ts'
import { ownedIn } from '../../dialects/table/derive.ts'
import { type RecentTexts, sourcesOf } from '../../dialects/text/sources.ts'
import { DAY_MS } from '../../dialects/text/time.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { once } from '../../domain/once.ts'
import { present } from '../../domain/present.ts'
import type { Tree } from '../files/tree.ts'
import type { About, Extra, FileText, FolderKind, KnownHandoff, Says } from '../folder.ts'
import { documentIn, markChanges, markIn, newFile, rewritingTo, sourceIn, unmarked } from '../mark.ts'
import { aliasOf, problemsIn } from '../work.ts'
import { plan, refusesNew } from './plan.ts'

const STATE_FILE = 'state/current.json'
/** What ended longer ago stands in the file already. */
const ENDED_LOOKED_AT = 1_000

type Facts = Pick<Draft, 'id' | 'created_at' | 'from' | 'to' | 'state' | 'type'>

/** What the state file says of a handoff. */
const facts = (handoff: Handoff): Facts => {
  const { created_at, from, to, state, type } = handoff
  return { id: aliasOf(handoff, 'package'), created_at, from, to, state, type }
}

/**
 * `state/current.json`: every handoff of the project with its status. Keys and entries of others stay; a file that
 * cannot be read is left alone. A lost one is made again from the archive.
 */
function extras({ files, now, read }: About): readonly Extra[] {
  const there = read(STATE_FILE)
  const isNew = there === undefined || there.trim() === ''
  const since = isNew ? '' : new Date(Date.parse(now) - DAY_MS).toISOString()
  const rows = [...files({ since, limit: isNew ? Number.MAX_SAFE_INTEGER : ENDED_LOOKED_AT })]
  const handoffs = rows
    .filter(({ kept }) => kept !== 'absent')
    .map((row) => row.facts as Facts)
    .toSorted((a, b) => (String(a.created_at) < String(b.created_at) ? -1 : 1))
  const [source] = isNew ? [] : sourcesOf(there, { path: STATE_FILE })
  const updated = updateState(source, handoffs)
  const about = { path: STATE_FILE, keeps: true }
  if (updated.ok) return [{ ...about, text: updated.text, same: (other) => other === updated.text }]
  const [first] = updated.diagnostics
  const why = first ? `line ${first.line}: ${first.message}` : 'it is not a state file'
  const problem = `${why}. Baton does not write to it until it is corrected. Or delete it and run: baton folders sync`
  return [{ ...about, text: '', same: () => false, problem }]
}

const SESSIONS = '.project/07-audit/sessions'
/** Sessions that somebody may still write into; older ones are looked at by the doctor. */
const RECENT = 30

/** Document 004: every package in the folder of its session, and `state/current.json`. */
export const packageFolder: FolderKind = {
  dialect: 'package',
  made: [SESSIONS, 'state'],
  extraPaths: [STATE_FILE],
  flat: (tree) =>
    sessionsIn(tree)
      .toSorted((a, b) => (a.ctime < b.ctime ? 1 : -1))
      .slice(0, RECENT)
      .map(({ name }) => `${SESSIONS}/${name}/handoffs`),
  every: (tree) => sessionsIn(tree).map(({ name }) => `${SESSIONS}/${name}/handoffs`),
  isCandidate: (name) => /\.ya?ml$/i.test(name) && !name.startsWith('.'),
  place,
  fits,
  write: writePackageFile,
  facts,
  read,
  refusesNew,
  plan,
  extras,
  scope: (path) => archivedAt(path)?.session ?? '',
}

const sessionsIn = (tree: Tree) =>
  tree.list(SESSIONS).filter(({ name, why }) => why === 'it is a folder' && isSafeName(name))

/** A session is one start of a workflow, else a day. */
const handoffSession = ({ session, created_at }: Handoff): string => session ?? created_at.slice(0, 10)

/** On sending, and again with every change (A4-16). */
function place(handoff: Handoff): string | undefined {
  if (handoff.state === 'draft') return undefined
  return archivePath({ session: handoffSession(handoff), id: aliasOf(handoff, 'package') })
}

/** What was brought from elsewhere stays in the session in which it was found. */
function fits(handoff: Handoff, path: string): boolean {
  if (path === place(handoff)) return true
  return handoff.imported_at !== undefined && archivedAt(path)?.id === aliasOf(handoff, 'package')
}

function read(text: string, path: string, recent?: RecentTexts): Says {
  if (/^<{7} .*$[\s\S]*^>{7} /m.test(text))
    return { is: 'unreadable', reason: 'git left the marks of a merge in it; resolve them' }
  const [document] = readDocuments(text, { path, recent })
  const wrong = problemsIn(document)
  if (wrong !== undefined) return { is: 'unreadable', reason: wrong, author: document?.draft?.from }
  if (document?.dialect !== 'package' || !document.draft || document.form !== 'package')
    return { is: 'unreadable', reason: 'it is not a handoff package; see: baton check' }
  const { uid: _, ...draft } = document.draft
  return {
    is: 'handoff',
    // Document 004's samples have no id: the name of the file is it.
    draft: { ...present({ id: archivedAt(path)?.id }), ...draft },
    ...markIn('package', document.source.value),
  }
}

/** All else in a file is its authors'. An author's edit of the workflow is not refused, and not kept. */
const OWNED = [...ownedIn(PACKAGE_TABLE), 'workflow'] as const

function writePackageFile(known: KnownHandoff): FileText {
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
    id: aliasOf(handoff, 'package'),
    state: handoff.state,
    ...present({ gate: gate && { type: gate.type, ...present({ name: gate.name }), ...draft.gate } }),
    // Files that were handed in go back with the return; here they would read as the sender's.
    ...(result && handoff.type === 'return' && { result }),
  }
}

const FILE = '.project/07-audit/sessions/s/handoffs/handoff.yaml'
