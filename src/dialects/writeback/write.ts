import type { DraftProblem, Native } from '../dialect.ts'
import { type Data, isData, keysOf, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { isSha, RECORDED, STATUS_OF, TASK_STATUSES } from './words.ts'

const OF_COMPLETION = [
  'branch',
  'commit_sha',
  'tests_run',
  'summary',
  'blockers',
  'files_changed',
  'related_thought_records',
] as const

/** Every key of the document's two tables, in their order. */
export const KEYS = {
  task_update: ['task_id', 'status', 'progress', 'notes'],
  thought_record: ['task_id', ...OF_COMPLETION, 'status', 'notes'],
} as const

/** The document has no place for anything else, so the slot brings its own key. */
export const SLOT = ['metadata', 'x_baton'] as const

export function toNative(draft: Draft): Native {
  const update = isUpdate(draft)
  const missing = missingIn(draft, update)
  const said = update ? updateOf(draft) : recordOf(draft)
  const value: Data = {}
  for (const key of KEYS[update ? 'task_update' : 'thought_record'])
    if (own(said, key) !== undefined) put(value, key, own(said, key))
  for (const key of extraKeys(draft)) put(value, key, own(draft.extra, key))
  return missing.length > 0 ? { ok: false, missing, value } : { ok: true, value }
}

export const print = (native: { readonly value: Record<string, unknown> }): string =>
  `${JSON.stringify(native.value, null, 2)}\n`

/** What a call of `thought_record` with these artifacts says it changed. */
export const changedFiles = (paths: readonly string[]): { path: string; role: 'changed' }[] =>
  paths.map((path) => ({ path, role: 'changed' }))

/** A record that says nothing of the work is an update, or opens the task again: the same keys. */
const isUpdate = ({ record }: Draft): boolean =>
  record !== undefined && !OF_COMPLETION.some((key) => record[key] !== undefined)

function missingIn(draft: Draft, update: boolean): DraftProblem[] {
  const missing: DraftProblem[] = []
  const ask = (field: string, reason: string) => missing.push({ field, reason })
  const { record } = draft
  if (draft.task === undefined) ask('task', 'writing back names the task')
  if (update) {
    if (draft.state === undefined && record?.status === undefined)
      ask('state', `an update says how the task stands: ${TASK_STATUSES.join(', ')}`)
    return missing
  }
  if (record?.branch === undefined) ask('record.branch', 'a record names the branch that holds the work')
  const sha = record?.commit_sha
  if (sha === undefined) ask('record.commit_sha', 'a record names the commit, and only git knows it')
  else if (!isSha(sha)) ask('record.commit_sha', `${sha.slice(0, 60)} is not all 40 characters of a commit`)
  if (summaryOf(draft) === undefined) ask('record.summary', 'a record says what was done')
  return missing
}

const summaryOf = ({ record, package: pack }: Draft): string | undefined =>
  record?.summary ?? pack?.summary ?? pack?.context

const updateOf = ({ task, state, progress, record }: Draft): Data => ({
  task_id: task,
  status: state === undefined ? record?.status : STATUS_OF[state],
  progress,
  notes: record?.notes,
})

function recordOf(draft: Draft): Data {
  const { task, state, record = {}, package: pack } = draft
  const changed = (pack?.artifacts ?? []).filter(({ role }) => role === 'changed').map(({ path }) => path)
  return {
    task_id: task,
    branch: record.branch,
    commit_sha: record.commit_sha?.toLowerCase(),
    tests_run: record.tests_run,
    summary: summaryOf(draft),
    blockers: record.blockers?.map((blocker) => (isData(blocker) ? blocker : { issue: blocker })),
    files_changed: record.files_changed ?? (changed.length > 0 ? changed : undefined),
    related_thought_records: record.related_thought_records,
    status: state === undefined ? record.status : state === RECORDED ? undefined : STATUS_OF[state],
    notes: record.notes,
  }
}

const ALL_KEYS: ReadonlySet<string> = new Set([...KEYS.task_update, ...KEYS.thought_record])

/** Keys of other formats that would mean something here, or that stood deeper, are left out. */
const extraKeys = ({ extra = {} }: Draft): string[] =>
  keysOf(extra).filter((key) => !ALL_KEYS.has(key) && key !== 'id' && !key.includes('.'))
