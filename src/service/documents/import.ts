import * as z from 'zod'
import type { Draft } from '../../dialects/draft.ts'
import { acknowledgmentGap } from '../../dialects/markdown/check.ts'
import type { ImportItem } from '../../domain/document-answers.ts'
import { BatonError } from '../../domain/errors.ts'
import type { State } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { type RecordInput, recordFields, type TaskUpdate } from '../../domain/tasks/inputs.ts'
import type { WritebackStatus } from '../../domain/tasks/writeback.ts'
import { describeIssues } from '../../domain/texts/issue-words.ts'
import { inWords } from '../../domain/texts/visible.ts'
import type { View } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { refuseSecrets } from '../secrets.ts'
import { Tasks } from '../tasks/tasks.ts'
import { Together } from '../together.ts'
import { refuse } from '../write.ts'
import { isWrong, type TextInput } from './check.ts'
import { obstacleTo, taskOf } from './handoff.ts'
import {
  artifactText,
  fileName,
  findKnown,
  type KnownDocument,
  type Piece,
  pathOf,
  sameDraft,
  sourceUid,
} from './identity.ts'
import { adoptHandoff, keepSource, sendHandoff } from './imported-handoff.ts'
import { workOn } from './text-work.ts'

export interface ImportInput extends TextInput {
  /** Somebody hands over by this document here and now: it is sent, with all rules of sending. */
  readonly asNew?: boolean
}

/** Takes every document of a text in, each whole or not at all, and none of them twice. */
export async function importText(
  deps: ServiceDeps,
  call: Call,
  input: ImportInput,
): Promise<readonly ImportItem[]> {
  const items: ImportItem[] = []
  // A repeated call finds what the first one made, so it needs no key.
  const bare = { actor: call.actor, ...present({ hold: call.hold }) }
  const { asNew, ...text } = input
  for (const piece of await workOn(call, 'pieces', { ...text, formats: deps.formats }, text.text))
    items.push(await importPiece(deps, bare, piece, asNew))
  return items
}

async function importPiece(deps: ServiceDeps, call: Call, piece: Piece, asNew = false): Promise<ImportItem> {
  const { document, line } = piece
  const about = { ...present({ dialect: document.dialect }), line }
  if (isWrong(document)) return { outcome: 'refused', ...about, ...firstError(document.diagnostics) }
  const { draft, form } = document
  if (!draft || (draft.acknowledgment && !draft.package && !draft.title))
    return { outcome: 'skipped', ...about, reason: `${formInWords(form)} is not a handoff of its own` }
  try {
    refuseSecrets({ ...draft.package, ...draft.record, text: piece.text })
    if (document.dialect === 'writeback') {
      if (document.carried.some(isDone)) refuse('invalid_input', UNVOUCHED)
      return { ...about, ...(await importRecord(deps, call, piece)) }
    }
    if (draft.to === null) return { outcome: 'skipped', ...about, reason: NOBODY_RECEIVES }
    const obstacle = obstacleTo(draft) ?? (isVersion2(document) ? acknowledgmentGap(draft) : undefined)
    if (obstacle !== undefined) refuse('invalid_input', obstacle)
    return { ...about, ...(await importHandoff(deps, call, piece, asNew)) }
  } catch (error) {
    // A store that does not answer is not the document's fault.
    if (!(error instanceof BatonError) || error.retry || error.code === 'internal') throw error
    return { outcome: 'refused', ...about, code: error.code, reason: error.message }
  }
}

/** Files from before document 000's second version have no keys for an acknowledgment. */
const isVersion2 = ({ dialect, form }: Piece['document']): boolean =>
  dialect === 'markdown' && form === 'handoff'

type ImportOutcome = Omit<ImportItem, 'line'>

async function importHandoff(
  deps: ServiceDeps,
  call: Call,
  piece: Piece,
  asNew: boolean,
): Promise<ImportOutcome> {
  const known = await findKnown(deps, piece)
  if (known) return compared(deps, call, piece, known)
  try {
    const { handoff, warnings } = isSent(piece, asNew)
      ? await sendHandoff(deps, call, piece)
      : { handoff: await adoptHandoff(deps, call, piece), warnings: [] }
    const { id, state, task } = handoff
    const reason = warnings.map(({ message }) => message).join('; ') || undefined
    return { outcome: 'imported', id, state, ...present({ task, reason }) }
  } catch (error) {
    if (!(error instanceof BatonError) || error.code !== 'conflict') throw error
    // Somebody took the same document in at the same moment.
    const made = await findKnown(deps, piece)
    if (!made) throw error
    return compared(deps, call, piece, made)
  }
}

/** Whether the document hands over here and now; any other state was reached elsewhere and is adopted. */
const isSent = ({ document: { draft } }: Piece, asNew: boolean): boolean =>
  asNew && [undefined, 'draft', 'offered', 'needs_input'].includes(draft?.state)

/** A document about a handoff that is here: the same again, another version of it, or another file about it. */
async function compared(
  deps: ServiceDeps,
  call: Call,
  piece: Piece,
  known: KnownDocument,
): Promise<ImportOutcome> {
  const { handoff, by, source } = known
  const about = { id: handoff.id, state: handoff.state, ...present({ task: handoff.task }) }
  const [here, there] = [fileName(piece.path), fileName(pathOf(source))]
  const isRenamed = here !== undefined && there !== undefined && here !== there
  if (isRenamed || by === 'facts')
    return { outcome: 'twin', ...about, names: twinNames(piece, known), reason: TWIN }
  if (by === 'source' || (await saysTheSame(deps, call, piece, known)))
    return { outcome: 'unchanged', ...about }
  const how = `change it with Baton, or see it with: baton show ${handoff.id}`
  return {
    outcome: 'differs',
    ...about,
    reason: `${handoff.id} is here already and says something else; ${how}`,
  }
}

/** A slot is input like any other and satisfies no guard: what was done must stand in the document's own keys. */
const isDone = (field: string): boolean => field === 'state' || field.split('.')[0] === 'record'
const UNVOUCHED =
  'the work is described only in x_baton, which proves nothing; write status, branch, commit_sha and summary as keys'
const NOBODY_RECEIVES = 'it says that nobody receives it, so there is nothing to hand over'
const TWIN = 'two documents hold the same handoff; keep one of them'

const twinNames = (piece: Piece, { handoff, source }: KnownDocument): readonly string[] => [
  pathOf(source) ?? handoff.id,
  piece.path ?? piece.document.draft?.id ?? handoff.id,
]

async function saysTheSame(
  deps: ServiceDeps,
  call: Call,
  piece: Piece,
  known: KnownDocument,
): Promise<boolean> {
  const { handoff, source } = known
  const kept = await artifactText(deps, source)
  if (kept !== undefined) {
    const input = { text: kept, path: pathOf(source), formats: deps.formats }
    const before = await workOn(call, 'pieces', input, kept)
    return before.some(({ document }) => sameDraft(document, piece.document))
  }
  const { isExportOf } = await import('./export.ts')
  return isExportOf(deps, handoff, piece)
}

async function importRecord(
  deps: ServiceDeps,
  call: Call,
  piece: Piece,
  isLast = false,
): Promise<ImportOutcome> {
  const kept = await deps.store.artifact(sourceUid(piece))
  if (kept) return { outcome: 'unchanged', ...present({ task: kept.description }) }
  try {
    const { task, record } = await makeRecord(deps, call, piece)
    return { outcome: 'imported', task, ...present({ record }) }
  } catch (error) {
    if (isLast || !(error instanceof BatonError) || error.retry) throw error
    // Maybe somebody took the same document in, or made its task, at the same moment.
    return importRecord(deps, call, piece, true)
  }
}

function firstError(diagnostics: readonly PlacedProblem[]): Partial<ImportItem> {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const [{ line, message } = { line: 1, message: 'it cannot be read' }] = errors
  return { code: 'invalid_input', reason: `line ${line}: ${message}`, diagnostics: errors.slice(0, 20) }
}

const formInWords = (form: string | undefined): string =>
  form === undefined ? 'this' : `this ${inWords(form)}`

/** Document 003's words for where a task is. */
const STATUS: Readonly<Partial<Record<State, WritebackStatus>>> = {
  draft: 'todo',
  offered: 'todo',
  accepted: 'in_progress',
  in_progress: 'in_progress',
  blocked: 'in_progress',
  completed: 'done',
}

/**
 * Takes a `task_update` or a `thought_record` in by the commands that it stands for, as one unit: a task that is
 * unknown is added, and done without a record is refused with the engine's own sentence.
 */
async function makeRecord(deps: ServiceDeps, { actor }: Call, piece: Piece) {
  const { draft } = piece.document
  const id = draft && taskOf(draft)
  if (!draft || id === undefined) return refuse('invalid_input', NO_TASK)
  const tasks = new Tasks(deps)
  const together = new Together(deps.store)
  const call = { actor, together }
  const known = await deps.store.task(id)
  const at = deps.now().toISOString()
  let record: string | undefined
  const said = piece.document.form === 'thought_record' ? recordOf(draft, actor.name) : undefined
  const written = async (): Promise<void> => {
    if (!said) await tasks.update(call, id, updateOf(draft))
    else if (draft.state !== 'completed' || known?.task.status === 'done')
      record = (await tasks.record(call, id, said)).uid
    else {
      const { status: _, ...work } = said
      record = (await tasks.complete(call, id, { ...work, progress: draft.progress })).task.record_id
    }
  }
  const keep = (view: View): void => {
    const step: Step = { deps, view, actor, at }
    const claimed_author = draft.from === actor.name ? undefined : draft.from
    const { uid } = view.task(id)!.task
    keepSource(step, piece, { stream: uid, description: id, ...present({ claimed_author }) })
  }
  await together.run([
    ...(known ? [] : [() => tasks.create(call, { id, title: draft.title ?? id })]),
    written,
    () => together.transact({ reads: {}, at, decide: keep }),
  ])
  return { task: id, record }
}

const NO_TASK = 'it does not say which task it is about; name it as task_id, for example P0.1.1'

/** A record from a document is as long as one from a call may be. */
function recordOf({ record = {}, from }: Draft, caller: string): RecordInput {
  const input = {
    ...record,
    blockers: record.blockers?.map((each) => (typeof each === 'string' ? { description: each } : each)),
    ...(from !== undefined && from !== caller && { on_behalf_of: from }),
  }
  const { error } = z.object(recordFields()).safeParse(input)
  return error ? refuse('invalid_input', describeIssues(error.issues)) : input
}

function updateOf({ state, progress, record }: Draft): TaskUpdate {
  const status = state === undefined ? undefined : STATUS[state]
  return present({ status, progress, notes: record?.notes?.slice(0, 4_000) })
}
