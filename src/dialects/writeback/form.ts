import { type Data, isData, own, valueAt } from '../difference.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import type { Path, Source } from '../text/source.ts'
import { isTaskStatus } from './words.ts'

export const FORMS = ['task_update', 'thought_record'] as const
export type WritebackForm = (typeof FORMS)[number]

/** Where the fields stand: at the root, below the name of the tool, or in the arguments of a call. */
export interface FoundForm {
  readonly form: WritebackForm
  readonly path: Path
}

/** Names for the tool and for its arguments, as callers log them. */
const CALLS: readonly (readonly [name: Path, fields: Path])[] = [
  [['tool'], ['arguments']],
  [['name'], ['arguments']],
  [['tool'], ['input']],
  [['name'], ['input']],
  [['tool_name'], ['tool_input']],
  [['tool'], ['params']],
  [['tool'], ['args']],
  [
    ['params', 'name'],
    ['params', 'arguments'],
  ],
  [
    ['function', 'name'],
    ['function', 'arguments'],
  ],
]

const OF_RECORD = ['commit_sha', 'branch', 'summary', 'tests_run', 'files_changed']
const OF_UPDATE = ['status', 'progress', 'notes']
/** Keys of documents that also name a task. */
const OF_OTHERS = ['handoff_id', 'handoff', 'source', 'target', 'from_agent', 'to_agent', 'acknowledgment']

export function findForm(source: Source): FoundForm | undefined {
  const fields = source.kind === 'markdown' ? undefined : fieldsOf(source)
  const value = source.value
  if (!fields || !isData(value)) return undefined
  return asRoot(value) ?? asCall(value) ?? asBare(fields, value)
}

const isForm = (name: unknown): name is WritebackForm => FORMS.some((form) => form === name)

function asRoot(value: Readonly<Data>): FoundForm | undefined {
  const form = FORMS.find((name) => isData(own(value, name)))
  return form && { form, path: [form] }
}

function asCall(value: Readonly<Data>): FoundForm | undefined {
  for (const [name, path] of CALLS) {
    // Servers put their own name before the tool's: `baton.thought_record`, `mcp__baton__thought_record`.
    const tool = valueAt(value, name)
    const form = typeof tool === 'string' ? /[a-z]+_[a-z]+$/.exec(tool.slice(-40))?.[0] : undefined
    if (isForm(form) && isData(valueAt(value, path))) return { form, path }
  }
  return undefined
}

function asBare(fields: Fields, value: Readonly<Data>): FoundForm | undefined {
  const has = (key: string) => fields.has(key)
  if (OF_OTHERS.some(has)) return undefined
  if (!has('task_id')) return isShortUpdate(value) ? { form: 'task_update', path: [] } : undefined
  if (OF_RECORD.some(has) || isReinstatement(fields)) return { form: 'thought_record', path: [] }
  return OF_UPDATE.some(has) ? { form: 'task_update', path: [] } : undefined
}

/** The document's diagram writes `id` for `task_id`; an `id` alone is too common to mean that. */
function isShortUpdate(value: Readonly<Data>): boolean {
  const status = own(value, 'status')
  return (
    typeof own(value, 'id') === 'string' &&
    typeof status === 'string' &&
    isTaskStatus(status) &&
    Object.keys(value).every((key) => key === 'id' || OF_UPDATE.includes(key))
  )
}

/** The second shape of a record opens a task again. It has the keys of an update, without progress. */
export const isReinstatement = (fields: Fields): boolean =>
  fields.value('status') === 'todo' &&
  fields.has('notes') &&
  !fields.has('progress') &&
  !OF_RECORD.some((key) => fields.has(key))
