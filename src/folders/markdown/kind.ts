import { spoken } from '../../dialects/convert.ts'
import { valueAt } from '../../dialects/difference.ts'
import type { Draft } from '../../dialects/draft.ts'
import { type Document, readDocuments } from '../../dialects/index.ts'
import { ROOT } from '../../dialects/markdown/home.ts'
import { type IndexEntry, printIndex } from '../../dialects/markdown/index-file.ts'
import { isHandoffFile } from '../../dialects/markdown/is-handoff.ts'
import { AGENT } from '../../dialects/markdown/kinds.ts'
import { isFileId } from '../../dialects/markdown/names.ts'
import { type BodySection, bodySections, onlyHere, renderBody } from '../../dialects/markdown/render.ts'
import { STATE_OF, statusFor } from '../../dialects/markdown/status.ts'
import { ROWS } from '../../dialects/markdown/table.ts'
import type { Change } from '../../dialects/text/source.ts'
import type { RecentTexts } from '../../dialects/text/sources.ts'
import { seconds } from '../../dialects/text/time.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { type MarkdownStatus, markdownStatus } from '../../domain/handoffs/markdown-status.ts'
import { endReason } from '../../domain/handoffs/reasons.ts'
import { isEnd } from '../../domain/lifecycle.ts'
import { DEFAULT_LIMITS } from '../../domain/limits.ts'
import { once } from '../../domain/once.ts'
import { present } from '../../domain/present.ts'
import type { Store } from '../../service/service.ts'
import type { Tree } from '../files/tree.ts'
import type { About, Extra, FileText, FolderKind, KnownHandoff, Says } from '../folder.ts'
import { documentIn, markChanges, markIn, newFile, rewritingTo, sourceIn, unmarked } from '../mark.ts'
import { aliasOf, problemsIn, quietly } from '../work.ts'
import { renewed } from './body.ts'
import { plan, refusesNew } from './plan.ts'

const YEAR = /^\d{4}$/
const MONTH = /^(?:0[1-9]|1[0-2])$/

/** Document 000: open handoffs in `active/`, ended ones in `archived/YYYY/MM/`, and `_index.yaml`. */
export const markdownFolder: FolderKind = {
  dialect: 'markdown',
  made: ['active', 'archived'],
  extraPaths: ['_index.yaml'],
  flat: () => ['active'],
  archives: (tree) => [...months(tree)],
  every,
  around: (tree) => ['', 'archived', ...foldersIn(tree, 'archived', YEAR).map((year) => `archived/${year}`)],
  isCandidate: (name) => /\.md$/i.test(name) && !name.startsWith('.'),
  place,
  fits: (handoff, path) =>
    isEnd(handoff.state)
      ? path.startsWith('archived/') && path.endsWith(`/${aliasOf(handoff, 'markdown')}.md`)
      : path === place(handoff),
  write: writeMarkdownFile,
  facts,
  read,
  refusesNew,
  plan,
  extras,
  isLater: (path, own) => path.startsWith('archived/') && own.startsWith('active/'),
}

function place(handoff: Handoff): string | undefined {
  const id = aliasOf(handoff, 'markdown')
  // Document 000 knows no gates, and returns are the engine's own.
  if ((handoff.type !== 'sequential' && handoff.type !== 'delegation') || !isFileId(id)) return undefined
  if (!isEnd(handoff.state)) return `active/${id}.md`
  const [year, month] = (handoff.ended_at ?? handoff.updated_at).split('-')
  return `archived/${year}/${month}/${id}.md`
}

function* every(tree: Tree): Iterable<string> {
  yield 'active'
  yield* months(tree)
}

function* months(tree: Tree): Iterable<string> {
  for (const year of foldersIn(tree, 'archived', YEAR))
    for (const month of foldersIn(tree, `archived/${year}`, MONTH)) yield `archived/${year}/${month}`
}

const foldersIn = (tree: Tree, folder: string, form: RegExp): string[] =>
  (quietly(() => tree.names(folder)) ?? []).filter((name) => form.test(name)).toSorted()

function read(text: string, path: string, recent?: RecentTexts): Says {
  if (/^<{7} .*$[\s\S]*^>{7} /m.test(text))
    return { is: 'unreadable', reason: 'git left the marks of a merge in it; resolve them' }
  if (!isHandoffFile(path, text)) return { is: 'nothing' }
  const [document] = readDocuments(text, { path: `${ROOT}/${path}`, recent })
  const mark = markIn('markdown', document?.source.value)
  const wrong = problemsIn(document)
  const mine = present({ uid: mark.uid })
  if (wrong !== undefined) return { is: 'unreadable', reason: wrong, author: document?.draft?.from, ...mine }
  if (document?.dialect !== 'markdown' || !document.draft || document.form === 'index')
    return { is: 'unreadable', reason: 'it is not a markdown handoff; see: baton check' }
  const { uid: _, ...draft } = document.draft
  const said = saidWord(document, 'status')
  return {
    is: 'handoff',
    draft,
    ...mark,
    // Its author moves the file to the archive first and writes the status then.
    ...(path.startsWith('archived/') && !isEnd(draft.state ?? 'draft') && { isHalf: true }),
    ...(said && draft.state && said.word !== statusFor(draft.state) && { isBehind: true }),
  }
}

function writeMarkdownFile(known: KnownHandoff): FileText {
  const { handoff, draft, base, agreed, policy, recent } = known
  const roles = draftRoles(handoff, policy)
  const wanted = { ...roles, ...markdownDraft(handoff, draft) }
  const whole = once(() => spoken(wanted, 'markdown', FILE))
  const mark = markChanges('markdown', known)
  if (base === undefined) return newFile('markdown', whole(), mark)
  const fresh = asNew(known)
  const document = fresh ? unmarked('markdown', fresh) : plainDocument(base, recent)
  if (!document?.draft) return { ok: false, missing: 'a front matter that can be read' }
  const strict = () => whole().read
  const { body, extra, target_completion } = document.draft
  const target = target_completion === undefined ? {} : { target_completion }
  const before = body === undefined ? [] : sectionsBefore(document.draft, known, roles)
  const now = bodySections({ ...wanted, ...target })
  const isKnown = (agreed?.facts as Facts | undefined)?.made !== undefined
  const text = body === undefined ? undefined : renewed(body, { before, now, isKnown })
  const after = ({ body: _body, extra: _extra, target_completion: _target, ...engine }: Draft): Draft => {
    // One that says nothing of its own any more is the template's, which no draft has.
    const isOwn = text !== undefined && text !== renderBody({ ...engine, ...target })
    return { ...engine, ...(isOwn && { body: text }), ...present({ extra }), ...target }
  }
  const made = rewritingTo(document, fresh !== undefined, { wanted, strict, after })
  return { ok: true, text: made.text([...exactWords(made.document, markdownStatus(handoff)), ...mark]) }
}

/** Document 000's words are exact. What an author writes is read tolerantly, and then spelt as it says. */
function exactWords(document: Document, status: MarkdownStatus): readonly Change[] {
  return ['status', ...AGENT_KEYS].flatMap((key) => {
    const said = saidWord(document, key)
    if (!said || (key !== 'status' && !/^@?[\w.-]+$/.test(said.word))) return []
    const exact = key === 'status' ? status : said.word.replace(/^@/, '').toLowerCase()
    return said.word === exact ? [] : [{ path: said.path, value: exact }]
  })
}

/** Where a document has this key, and its word. */
function saidWord({ source, places }: Document, key: string) {
  const path = places.get(key) ?? [key]
  const word = valueAt(source.value, path)
  return typeof word === 'string' ? { path, word } : undefined
}

/** With a role behind it (`Grok (Chief)`) a name stays as it was written. */
const AGENT_KEYS = ROWS.flatMap(({ key, as }) => (as.schema === AGENT ? [key] : []))

/** What Baton may have written into a body: from the front matter that is beside it, or was before its author changed it. */
function sectionsBefore(
  there: Draft,
  { agreed, recent }: KnownHandoff,
  roles: Partial<Draft>,
): readonly BodySection[] {
  const known = agreed?.text === undefined ? undefined : plainDocument(agreed.text, recent)?.draft
  const drafts = [there, ...(known ? [known] : [])]
  const made = (agreed?.facts as Facts | undefined)?.made ?? []
  // With the roles, as Baton writes them: a heading without one is its author's.
  return [...drafts.flatMap((each) => bodySections({ ...each, ...roles })), ...made]
}

/** Document 000 names the role behind the agent, where it is known. */
const draftRoles = ({ from, to }: Handoff, policy: KnownHandoff['policy']): Partial<Draft> => ({
  ...(from === policy?.chief && { from_role: 'Chief' }),
  ...(to === policy?.chief && { to_role: 'Chief' }),
})

/** The engine's states in document 000's words, with its reasons for those that it has no word for. */
function markdownDraft(handoff: Handoff, draft: Draft): Draft {
  const state = STATE_OF[markdownStatus(handoff)]
  const reason = (type: string, message: string): Partial<Draft> => ({
    rejection: { type, message, by: handoff.from, ...(handoff.ended_at && { at: handoff.ended_at }) },
  })
  return {
    ...draft,
    id: aliasOf(handoff, 'markdown'),
    state,
    ...present({ ack_deadline: draft.ack_deadline && seconds(draft.ack_deadline) }),
    // Also where a file has it from elsewhere: completion_verified_by is null until the end.
    ...(draft.verification && !isEnd(state) && { verification: { ...draft.verification, verified_by: '' } }),
    ...(handoff.state === 'cancelled' &&
      reason('cancelled', endReason(handoff)?.message ?? 'cancelled by the sender')),
    ...(handoff.state === 'failed' && reason('failure', handoff.error?.message ?? 'failed')),
  }
}

/** A new file as it was read in its folder. One of version 1 may say in its name what its text does not. */
function asNew(known: KnownHandoff): Document | undefined {
  const document = sourceIn(known, 'markdown', FILE)
  return document?.form === 'handoff' ? document : undefined
}

const FILE = `${ROOT}/active/handoff.md`

const plainDocument = (text: string, recent?: RecentTexts): Document | undefined =>
  unmarked('markdown', documentIn(text, FILE, recent))

const INDEX = '_index.yaml'
const WEEK_MS = 7 * 86_400_000
/** Among the newest ended ones are those that were completed; more than the index shows. */
const ENDED_IN_INDEX = 500

/** What is known of a file beside its text: its line in the index, and what Baton wrote into its body alone. */
interface Facts extends IndexEntry {
  /** Not in what was kept before it was asked for. */
  readonly made?: readonly BodySection[]
}

/** What the index says of a handoff, as exactly as its file does: from the files alone it is made in the same order. */
async function facts(handoff: Handoff, _text: string, store: Store): Promise<Facts> {
  const { from, to, task, created_at, ended_at, state } = handoff
  const made = isEnd(state) ? [] : onlyHere((await store.content(handoff.uid))?.package ?? {})
  return {
    made,
    id: aliasOf(handoff, 'markdown'),
    from,
    to,
    task: task ?? '',
    status: markdownStatus(handoff),
    created_at: seconds(created_at),
    ...(state === 'completed' && ended_at !== undefined && { completed_at: seconds(ended_at) }),
  }
}

/** The registry of document 000. It names only files that are there. */
function extras({ files, now, policy }: About): readonly Extra[] {
  const since = new Date(Date.parse(now) - WEEK_MS).toISOString()
  const entries = [...files({ since, limit: ENDED_IN_INDEX })]
    .filter(({ kept }) => kept !== 'absent')
    .map((row) => row.facts as IndexEntry)
  const agents = Object.keys(policy.agents ?? DEFAULT_LIMITS)
  const text = printIndex(entries, { now, agents })
  return [{ path: INDEX, text, same: (other) => undated(other) === undated(text) }]
}

const undated = (text: string): string => text.replace(/^last_updated:.*$/m, '')
