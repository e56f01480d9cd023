import { type Document, type Draft, readDocuments } from '../dialects/index.ts'
import { isProhibited } from '../dialects/markdown/check.ts'
import { isEnded, isNativeId, ROOT } from '../dialects/markdown/home.ts'
import { isHandoffFile } from '../dialects/markdown/is-handoff.ts'
import { dayInName, isTaskId, originalOf, parseName, stemOf } from '../dialects/markdown/names.ts'
import { Reading } from '../dialects/markdown/reading.ts'
import { readStatus, statusFor } from '../dialects/markdown/status.ts'
import { seconds } from '../dialects/text/time.ts'
import { present } from '../domain/present.ts'
import type { Answer } from './answers.ts'
import { type IndexRow, rowsOf } from './rows.ts'
import type { ScannedFile } from './scan.ts'

/** Something that has to be known before a handoff can be moved, and is not. */
export interface Question {
  readonly field: 'from_agent' | 'to_agent' | 'related_task' | 'status' | 'created_at' | 'file'
  readonly message: string
}

/** A handoff that was found, whatever its version. */
export interface Candidate {
  readonly file: ScannedFile
  readonly draft: Draft
  /** The former name of the handoff, which its copies share. */
  readonly name: string
  /** Of version 2, in a place of version 2: it stays as it is. */
  readonly settled: boolean
  /** Of version 2 and with an id of its form: moved without a change. */
  readonly native: boolean
  /** Sender, receiver, task and day: what makes two files one handoff. Absent while one of them is not known. */
  readonly key?: string
  readonly questions: readonly Question[]
  /** One line of a table; its file may hold others. */
  readonly isRow: boolean
  /** The status as it was written, where version 2 does not have that word. */
  readonly status?: string
  readonly notes: readonly string[]
}

const OLD_PLACE = /(?:^|\/)(?:_handoffs|handoffs|_agents)\//i
const OLD_NAME = /^handoff(?:[-_. ]|$)/i
const SETTLED = new RegExp(`^${ROOT}/(?:active|archived/\\d{4}/(?:0[1-9]|1[0-2]))/[^/]+$`)
const ARCHIVE = /(?:^|\/)archived?\//i
/** Codes of a reader's problems that do not matter for a migration. */
const QUIET: ReadonlySet<string> = new Set([
  'wrong_place',
  'required_field',
  'name_differs',
  'key_name',
  'linkage_blank',
  'front_matter_missing',
  'vague_criterion',
  'status_unknown',
  'task_form',
  'id_form',
  'complete_unacknowledged',
  'status_word',
  'key_spelling',
])

/** Whether a path is in a folder that holds handoffs, or once did. */
export const isOldPlace = (path: string): boolean => OLD_PLACE.test(path)

type AnswerFor = (names: readonly string[]) => Answer

/** The handoffs that a file holds; none where it is something else, such as a task, a report or a guide. */
export function candidatesOf(file: ScannedFile, answerFor: AnswerFor): readonly Candidate[] {
  const { path, text } = file
  const documents = readDocuments(text, { path })
  const document = documents.find(
    ({ dialect, form, draft }) => dialect === 'markdown' && form !== 'index' && draft,
  )
  if (!isMeant(file, document)) return []
  const broken = unreadable(documents)
  const { draft = {}, form } = document ?? {}
  const isOne = broken.length > 0 || form === 'handoff' || (draft.task !== undefined && isTaskId(draft.task))
  const rows = isOne ? [] : rowsOf(documents[0]?.source.body ?? text, draft)
  if (rows.length > 0) return rows.map((row, i) => rowCandidate(file, row, i + 1, answerFor))
  const silent: Question = { field: 'file', message: 'it is called a handoff and says nothing of one' }
  if (!document) return [{ ...bare(file), questions: broken.length > 0 ? broken : [silent] }]
  return [wholeCandidate(file, document, broken, answerFor)]
}

const bare = (file: ScannedFile) => ({
  file,
  draft: {},
  name: file.path,
  native: false,
  settled: false,
  isRow: false,
  notes: [],
})

function wholeCandidate(
  file: ScannedFile,
  document: Document,
  broken: readonly Question[],
  answerFor: AnswerFor,
): Candidate {
  const { path } = file
  const stem = originalOf(stemOf(path))
  // Every agent may have a handoff.md; only a name with a day in it is one for copies to share.
  const name = document.draft?.id ?? (dayInName(stem) === undefined ? path : stem)
  const answer = answerFor([path, name])
  const draft: Draft = { ...document.draft, ...answer }
  const native = document.form === 'handoff' && draft.id !== undefined && isNativeId(draft.id)
  const status = answer.state === undefined ? statusQuestion(document, draft, path) : undefined
  return {
    ...bare(file),
    draft,
    name,
    native,
    settled: native && SETTLED.test(path) && isEnded(draft) === path.startsWith(`${ROOT}/archived/`),
    questions: [...broken, ...missingFields(draft), ...questionIf('status', status)],
    ...present({ key: keyOf(draft), status: statusSaid(document) }),
    notes: notesOf(document),
  }
}

function rowCandidate(file: ScannedFile, row: IndexRow, number: number, answerFor: AnswerFor): Candidate {
  const name = `${file.path}#${row.draft.task ?? number}`
  const answer = answerFor([name, file.path])
  const draft: Draft = { ...row.draft, ...answer }
  const isKnown = draft.state !== undefined
  const status = isKnown && row.status !== statusFor(draft.state!) ? row.status : undefined
  const said = row.status === undefined ? 'it has no status' : `${JSON.stringify(row.status)} is not a status`
  return {
    ...bare(file),
    draft,
    name,
    isRow: true,
    ...present({ key: keyOf(draft), status }),
    questions: [
      ...missingFields(draft),
      ...questionIf('status', isKnown ? archived(draft, file.path, answer) : said),
    ],
    notes: [`row ${number} of a table`],
  }
}

const questionIf = (field: Question['field'], message: string | undefined): Question[] =>
  message === undefined ? [] : [{ field, message }]

function isMeant({ path, text }: ScannedFile, document: Document | undefined): boolean {
  if (isHandoffFile(path, text)) return true
  if ((isOldPlace(path) || isProhibited(path)) && OLD_NAME.test(originalOf(stemOf(path)))) return true
  // Elsewhere a letter or a guide looks much the same: there it has to name all three.
  const { from, to, task } = document?.draft ?? {}
  return from !== undefined && to !== undefined && task !== undefined
}

/** Text that cannot be parsed could be lost when the document is written anew. */
function unreadable(documents: readonly Document[]): Question[] {
  const broken = documents
    .filter(({ source }) => source.kind === 'markdown')
    .flatMap(({ source }) => source.diagnostics)
    .find(({ severity }) => severity === 'error')
  return questionIf('file', broken && `line ${broken.line}: ${broken.message}`)
}

function missingFields({ from, to, task, created_at }: Draft): Question[] {
  const isTask = task !== undefined && isTaskId(task)
  const noTask = task === undefined ? 'no task is named' : `"${task}" is not a task id like BPRD-2026-0042`
  const isDated = created_at !== undefined && /^\d{4}-/.test(created_at)
  return [
    ...questionIf('from_agent', from === undefined ? 'nobody is named who hands over' : undefined),
    ...questionIf('to_agent', to ? undefined : 'nobody is named who receives'),
    ...questionIf('related_task', isTask ? undefined : noTask),
    ...questionIf('created_at', isDated ? undefined : 'nothing says when it was made'),
  ]
}

/** The folder, the front matter and the body may each say where a handoff is; open or ended must not be a guess. */
function statusQuestion(document: Document, draft: Draft, path: string): string | undefined {
  const told = (code: string) => document.diagnostics.find((each) => each.code === code)
  if (draft.state === undefined) return told('status_unknown')?.message ?? 'it has no status'
  // In version 2 the front matter is what counts.
  const contradiction = document.form === 'v1' ? told('status_contradicts') : undefined
  if (contradiction && isAboutEnd(document, draft)) return contradiction.message
  return archived(draft, path, {})
}

function archived(draft: Draft, path: string, answer: Answer): string | undefined {
  if (answer.state !== undefined || !ARCHIVE.test(path) || isEnded(draft)) return undefined
  return `it stands in an archive, but says ${statusFor(draft.state!)}`
}

/** Two words that both mean open work, or both ended work, do not need a question. */
function isAboutEnd({ source }: Document, draft: Draft): boolean {
  const line = new Reading(source).index.line('status')
  const read = line && readStatus(line.value)
  return read?.kind !== 'state' || isEnded({ state: read.state }) !== isEnded(draft)
}

/** The word in the front matter, else in the body. */
function statusSaid({ source, diagnostics }: Document): string | undefined {
  if (!diagnostics.some(({ code }) => code === 'status_word')) return undefined
  const reading = new Reading(source)
  return reading.frontText('status') ?? reading.index.line('status')?.value
}

function keyOf({ id, from, to, task, created_at }: Draft): string | undefined {
  if (from === undefined || !to || task === undefined || !isTaskId(task)) return undefined
  if (created_at === undefined || Number.isNaN(Date.parse(created_at))) return undefined
  const name = id === undefined ? undefined : parseName(id)
  // A second handoff of the same day has a number, and is not a copy of the first.
  const number = name?.ok ? (name.parts.copy ?? 1) : 1
  return [from, to, task, seconds(created_at).slice(0, 10), number].join(' ')
}

const notesOf = ({ diagnostics }: Document): string[] =>
  diagnostics
    .filter(({ code, severity }) => severity !== 'info' && !QUIET.has(code))
    .map(({ line, message }) => `line ${line}: ${message}`)
