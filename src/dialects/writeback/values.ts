import type { FieldProblem } from '../../domain/problem.ts'
import { TaskId } from '../../domain/tasks/task.ts'
import {
  branchProblem,
  doneProgressProblem,
  notesProblem,
  shaProblem,
  shortened,
  summaryProblem,
} from '../../domain/tasks/writeback-rules.ts'
import { type Data, isData } from '../difference.ts'
import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import { text as textSchema } from '../json-schema.ts'
import { codec, keyIn, NAME_LENGTH, texts } from '../table/codecs.ts'
import type { Codec } from '../table/row.ts'
import { isSha, isTaskStatus, RECORDED, STATUS_OF, stateFor, TASK_STATUSES } from './words.ts'

/** Shared by the values of one call while they are read, in the order of the rows. */
export interface Call {
  /** Whether it is a record, also one with the keys of an update. */
  readonly isRecord: boolean
  task?: string
  isDone?: boolean
}
export const neverSaid = (): undefined => undefined

/** The rules are the domain's: the calls of an agent are judged by the same. */
export function report(fields: Fields, found: FieldProblem | undefined, key = found?.field): void {
  if (found && key !== undefined) fields.report(found.severity, found.code, found.message, key)
}

export const taskId = codec<string, Call>(textSchema(), ({ fields, names, context }) => {
  const isTwice = fields.has('task_id') && fields.has('id')
  const task = isTwice ? fields.text('task_id') : fields.text(...names)
  const id = isTwice ? fields.text('id') : undefined
  if (task !== undefined && id !== undefined && task !== id) {
    const message = `task_id is ${task} and id is ${id}; keep task_id and remove id.`
    fields.report('error', 'ids_differ', message, 'id')
  }
  const found = task ?? id
  if (found === undefined) {
    const message = 'task_id is missing; write the id of the task, for example "P0.1.1".'
    fields.report('error', 'missing_field', message)
  } else if (!TaskId.safeParse(found).success) {
    const message = `${shortened(found)} is not the id of a task; write it without spaces, for example "P0.1.1".`
    fields.report('error', 'invalid_task_id', message, task === undefined ? 'id' : 'task_id')
  }
  const short = task?.slice(0, NAME_LENGTH)
  if (short !== undefined) context.task = short
  return short
})

/** A record keeps the word, because it tells a reinstatement; an update is told by the state alone. */
export const taskStatus = codec<Draft, Call>({ enum: TASK_STATUSES }, ({ fields, names, context }) => {
  const word = fields.text(...names)
  if (word === undefined) return undefined
  const state = stateFor(word)
  if (!isTaskStatus(word)) {
    const way =
      state === undefined
        ? `Write one of ${TASK_STATUSES.join(', ')}.`
        : `Write status: "${STATUS_OF[state]}"; it was read as ${state}.`
    fields.report('error', 'invalid_status', `Invalid status: ${shortened(word)}. ${way}`, 'status')
  }
  context.isDone = state === 'completed'
  if (state === undefined) return { record: { status: word } }
  return { state, ...(context.isRecord && { record: { status: STATUS_OF[state] } }) }
})

export const statusOfUpdate = ({ state, record }: Draft): string | undefined =>
  state === undefined ? record?.status : STATUS_OF[state]

export const statusOfRecord = (draft: Draft): string | undefined =>
  draft.state === RECORDED ? undefined : statusOfUpdate(draft)

/** Document 003: a number from 0 to 100, and 100 for a task that is done, whether it is said or not. */
export const progress = codec<number, Call>(
  { type: 'number', minimum: 0, maximum: 100 },
  ({ fields, names, context: { isDone = false } }) => {
    const found = fields.value(...names)
    if (!fields.has(...names)) return isDone ? 100 : undefined
    if (found === null) return undefined
    if (typeof found !== 'number' || found < 0 || found > 100) {
      const quotes = typeof found === 'string' ? ' without quotes' : ''
      const message = `progress is ${shortened(JSON.stringify(found) ?? '')}; write a number from 0 to 100${quotes}.`
      fields.report('error', 'invalid_progress', message, 'progress')
    } else if (isDone) report(fields, doneProgressProblem(found))
    const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  },
)

export const branch = codec<string, Call>(textSchema(), ({ fields, names, context: { task } }) => {
  const found = fields.text(...names)
  if (found !== undefined && task !== undefined) report(fields, branchProblem(found, task))
  return found
})

export const commit: Codec<string, Call> = {
  schema: { type: 'string', pattern: '^[0-9a-fA-F]{40}$' },
  write: (sha) => (isSha(sha) ? sha.toLowerCase() : sha),
  read: ({ fields, names }) => {
    const [key, sha] = [keyIn(fields, names), fields.text(...names)?.trim()]
    if (sha === undefined) return undefined
    report(fields, shaProblem(sha), key)
    if (!isSha(sha)) return sha
    const lower = sha.toLowerCase()
    if (typeof fields.value(...names) !== 'string') {
      const message = 'commit_sha is a number without quotes; write it in quotes.'
      fields.report('warning', 'sha_without_quotes', message, key)
    } else if (sha !== lower)
      fields.report('info', 'sha_in_capitals', `git writes hashes in lower case; write "${lower}".`, key)
    return lower
  },
}

export const lines: Codec<string[], Call> = { ...texts, schema: { type: 'array', items: textSchema() } }

export const summary = codec<string, Call>(textSchema(), ({ fields, names }) => {
  const found = fields.text(...names)
  if (found !== undefined) report(fields, summaryProblem(found))
  return found
})

export const summaryOf = ({ record, package: pack }: Draft): string | undefined =>
  record?.summary ?? pack?.summary ?? pack?.context

export function filesOf({ record, package: pack }: Draft): readonly string[] | undefined {
  const changed = (pack?.artifacts ?? []).filter(({ role }) => role === 'changed').map(({ path }) => path)
  return record?.files_changed ?? (changed.length > 0 ? changed : undefined)
}

const SAYS_NOTHING = /^(?:none|no|nothing|n\/a|-|\[\])\.?$/i
const isNothing = (value: unknown): boolean =>
  typeof value === 'string' && (value.trim() === '' || SAYS_NOTHING.test(value.trim()))

/** Objects, as the document has them; a text is taken as the issue. */
export const blockers: Codec<(string | Data)[], Call> = {
  schema: { type: 'array', items: { type: 'object' } },
  write: (list) => list.map((each) => (isData(each) ? each : { issue: each })),
  read: ({ fields, names }) => {
    const value = fields.value(...names)
    if (value === undefined || value === null) return undefined
    const list: readonly unknown[] = Array.isArray(value) ? value : isNothing(value) ? [] : [value]
    const warn = (code: string, message: string, ...path: (string | number)[]) =>
      fields.report('warning', code, message, 'blockers', ...path)
    if (!Array.isArray(value))
      warn(
        'not_a_list',
        'blockers is a list; write [] if there are none, else each blocker in { } between [ ].',
      )
    return list.flatMap((blocker, index) => {
      if (isData(blocker)) return [blocker]
      const path = Array.isArray(value) ? [index] : []
      if (isNothing(blocker)) {
        warn('blocker_is_text', 'write blockers: [] if there are none.', ...path)
        return []
      }
      const text = typeof blocker === 'string' ? blocker : JSON.stringify(blocker)
      const issue = JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text)
      const message = `a blocker is an object; write {"type": "…", "issue": ${issue}, "resolution": "…"}. The text was taken as the issue.`
      warn('blocker_is_text', message, ...path)
      return [{ issue: text }]
    })
  },
}

export const notes = codec<string, Call>({ type: 'string' }, ({ fields, names }) => {
  const found = fields.text(...names)
  if (found !== undefined) report(fields, notesProblem(found))
  return found
})

export const author = codec<string, Call>(undefined, ({ fields, names }) =>
  fields.agent(keyIn(fields, names))?.slice(0, NAME_LENGTH),
)
export const moment = codec<string, Call>(undefined, ({ fields, names }) => fields.time(keyIn(fields, names)))
