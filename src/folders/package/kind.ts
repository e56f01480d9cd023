import { readDocuments } from '../../dialects/index.ts'
import { archivedAt, archivePath } from '../../dialects/package/files/session.ts'
import type { RecentTexts } from '../../dialects/text/sources.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { Tree } from '../files/tree.ts'
import type { FolderKind, Says } from '../folder.ts'
import { markIn } from '../mark.ts'
import { problemsIn } from '../work.ts'
import { plan, refusesNew } from './plan.ts'
import { extras, facts, STATE_FILE } from './state.ts'
import { writePackageFile } from './write.ts'

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
  tree
    .list(SESSIONS)
    .filter(
      ({ name, why }) => why === 'it is a folder' && archivePath({ session: name, id: 'x' }) !== undefined,
    )

const packageAlias = ({ aliases, id }: Handoff): string => aliases?.package ?? id

/** A session is one start of a workflow, else a day. */
const handoffSession = ({ session, created_at }: Handoff): string => session ?? created_at.slice(0, 10)

/** On sending, and again with every change (A4-16). */
function place(handoff: Handoff): string | undefined {
  if (handoff.state === 'draft') return undefined
  return archivePath({ session: handoffSession(handoff), id: packageAlias(handoff) })
}

/** What was brought from elsewhere stays in the session in which it was found. */
function fits(handoff: Handoff, path: string): boolean {
  if (path === place(handoff)) return true
  return handoff.imported_at !== undefined && archivedAt(path)?.id === packageAlias(handoff)
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
