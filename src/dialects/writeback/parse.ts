import { Package } from '../../domain/handoffs/package.ts'
import type { Interpretation } from '../dialect.ts'
import { type Data, isData, keysOf, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import type { Source } from '../text/source.ts'
import {
  checkBranch,
  checkCompletion,
  checkDone,
  checkNotes,
  checkProgress,
  checkSha,
  checkStatus,
  checkSummary,
  checkTask,
} from './check.ts'
import { findForm, isReinstatement } from './form.ts'
import { isSha, RECORDED, STATUS_OF, stateFor, TASK_STATUSES } from './words.ts'
import { changedFiles, KEYS, SLOT } from './write.ts'

const LONGEST_NAME = 200
const AUTHORS = ['by', 'agent', 'agent_id', 'author', 'recorded_by', 'from']
const TIME_KEYS = ['timestamp', 'created_at', 'recorded_at', 'inserted_at', 'completed_at', 'date']
const SHA_KEYS = ['commit_sha', 'commit', 'sha'] as const
const SAYS_NOTHING = /^(?:none|no|nothing|n\/a|-|\[\])\.?$/i

/** The keys of an update carry a record without anything of the work: `toNative` tells the forms apart by that. */
export function interpret(source: Source, form: string): Interpretation {
  const path = findForm(source)?.path ?? []
  const fields = fieldsOf(source, path)
  if (!fields) return { diagnostics: [] }
  const isUpdate = form === 'task_update' || isReinstatement(fields)
  const record: Data = {}
  const draft: Data = { record }
  readTask(fields, draft)
  readStatus(fields, draft, record, form)
  if (isUpdate) readProgress(fields, draft)
  else readRecord(fields, draft, record)
  const notes = fields.text('notes')
  if (notes !== undefined) {
    record.notes = notes
    checkNotes(fields, notes)
  }
  const blockers = own(record, 'blockers')
  if (draft.state === 'completed' && Array.isArray(blockers) && blockers.length > 0)
    checkDone(fields, blockers.length)
  if (!isUpdate) draft.state ??= RECORDED
  readOthers(fields, draft)
  readRest(fields, draft)
  placeKeys(fields, KEYS[isUpdate ? 'task_update' : 'thought_record'])
  return { draft: draft as Draft, diagnostics: fields.diagnostics, places: fields.places }
}

function readTask(fields: Fields, draft: Data): void {
  const both = fields.has('task_id') && fields.has('id')
  const task = both ? fields.text('task_id') : fields.text('task_id', 'id', 'task')
  checkTask(fields, task, both ? fields.text('id') : undefined)
  if (task !== undefined) draft.task = task.slice(0, LONGEST_NAME)
}

/** A record keeps the word, because it tells a reinstatement; an update is told by the state alone. */
function readStatus(fields: Fields, draft: Data, record: Data, form: string): void {
  const word = fields.text('status')
  checkStatus(fields, word)
  if (word === undefined) return
  const state = stateFor(word)
  if (state === undefined) record.status = word
  else if (form === 'thought_record') record.status = STATUS_OF[state]
  if (state !== undefined) draft.state = state
}

function readProgress(fields: Fields, draft: Data): void {
  const progress = fields.value('progress')
  const isDone = draft.state === 'completed'
  checkProgress(fields, progress, isDone)
  const number = typeof progress === 'string' && progress.trim() !== '' ? Number(progress) : progress
  if (typeof number === 'number' && Number.isFinite(number)) draft.progress = number
  // A task that is done is done in full, whether it is said or not.
  else if (isDone && !fields.has('progress')) draft.progress = 100
  if (!fields.has('status'))
    fields.report('warning', 'no_status', `status is missing; write one of ${TASK_STATUSES.join(', ')}.`)
}

function readRecord(fields: Fields, draft: Data, record: Data): void {
  const set = (key: string, value: unknown) => {
    if (value !== undefined) put(record, key, value)
  }
  const branch = fields.text('branch')
  set('branch', branch)
  if (branch !== undefined && typeof draft.task === 'string') checkBranch(fields, branch, draft.task)
  const key = SHA_KEYS.find((name) => fields.has(name)) ?? SHA_KEYS[0]
  const sha = fields.text(...SHA_KEYS)?.trim()
  if (sha !== undefined) checkSha(fields, key, sha, typeof fields.value(...SHA_KEYS) === 'string')
  set('commit_sha', sha !== undefined && isSha(sha) ? sha.toLowerCase() : sha)
  set('tests_run', fields.list('tests_run', 'tests'))
  const summary = fields.text('summary')
  set('summary', summary)
  if (summary !== undefined) checkSummary(fields, summary)
  set('blockers', readBlockers(fields))
  const files = fields.list('files_changed', 'files')
  set('files_changed', files)
  set('related_thought_records', fields.list('related_thought_records', 'related'))
  checkCompletion(fields, record)
  readPackage(draft, summary, files)
}

/** The same for readers that know nothing of records. */
function readPackage(draft: Data, summary: string | undefined, files: readonly string[] | undefined): void {
  const { shape } = Package()
  const pack: Data = {}
  const artifacts = files && changedFiles(files)
  if (summary !== undefined && shape.summary.safeParse(summary).success) pack.summary = summary
  if (artifacts?.length && shape.artifacts.safeParse(artifacts).success) pack.artifacts = artifacts
  if (keysOf(pack).length > 0) draft.package = pack
}

/** Objects, as the document has them; a text is taken as the issue. */
function readBlockers(fields: Fields): Data[] | undefined {
  const value = fields.value('blockers')
  if (value === undefined || value === null) return undefined
  const list: readonly unknown[] = Array.isArray(value) ? value : isNothing(value) ? [] : [value]
  if (!Array.isArray(value))
    fields.report(
      'warning',
      'not_a_list',
      'blockers is a list; write [] if there are none, else each blocker in { } between [ ].',
      'blockers',
    )
  return list.flatMap((blocker, index) => {
    if (isData(blocker)) return [blocker]
    const path = Array.isArray(value) ? ['blockers', index] : ['blockers']
    if (isNothing(blocker)) {
      fields.report('warning', 'blocker_is_text', 'write blockers: [] if there are none.', ...path)
      return []
    }
    const text = typeof blocker === 'string' ? blocker : JSON.stringify(blocker)
    const issue = JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text)
    const message = `a blocker is an object; write {"type": "…", "issue": ${issue}, "resolution": "…"}. The text was taken as the issue.`
    fields.report('warning', 'blocker_is_text', message, ...path)
    return [{ issue: text }]
  })
}

const isNothing = (value: unknown): boolean =>
  typeof value === 'string' && (value.trim() === '' || SAYS_NOTHING.test(value.trim()))

/** Who and when, which the document leaves to its database and agents write all the same. */
function readOthers(fields: Fields, draft: Data): void {
  const by = AUTHORS.find((key) => fields.has(key))
  const agent = by === undefined ? undefined : fields.agent(by)
  if (agent !== undefined) draft.from = agent.slice(0, LONGEST_NAME)
  const when = TIME_KEYS.find((key) => fields.has(key))
  const at = when === undefined ? undefined : fields.time(when)
  if (at !== undefined) draft.created_at = at
}

function readRest(fields: Fields, draft: Data): void {
  const extra: Data = {}
  const rest = fields.rest()
  for (const key of Object.keys(rest)) {
    const value = own(rest, key)
    const kept = key === SLOT[0] && isData(value) ? withoutSlot(value) : value
    if (kept !== undefined) put(extra, key, kept)
  }
  if (Object.keys(extra).length > 0) draft.extra = extra
}

function withoutSlot(metadata: Readonly<Data>): Data | undefined {
  const { [SLOT[1]]: _, ...rest } = metadata
  return Object.keys(rest).length > 0 ? rest : undefined
}

/** Where the fields of a call stand, also those that are not there yet. */
function placeKeys({ path, places }: Fields, keys: readonly string[]): void {
  for (const key of [...keys, SLOT[0]]) {
    const full = [...path, key]
    const found = places.get(full.join('.')) ?? full
    if (path.length > 0 || found !== full) places.set(key, found)
  }
}
