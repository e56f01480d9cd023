import { DRAFT } from '../json-schema.ts'
import { TASK_STATUSES } from './words.ts'

const task_id = { type: 'string', minLength: 1, description: 'The task, for example "P0.1.1"' } as const
const taskStatus = { enum: TASK_STATUSES, description: 'State of the task' } as const
const metadata = { type: 'object', description: 'Anything that the document has no field for' } as const
const texts = (description: string) =>
  ({ type: 'array', items: { type: 'string', minLength: 1 }, description }) as const

const task_update = {
  $schema: DRAFT,
  title: 'Task update',
  type: 'object',
  required: ['task_id', 'status'],
  properties: {
    task_id,
    status: taskStatus,
    progress: { type: 'number', minimum: 0, maximum: 100, description: '100 for a task that is done' },
    notes: { type: 'string', description: 'The change, in one or two sentences' },
    metadata,
  },
  if: { properties: { status: { const: 'done' } }, required: ['status'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { progress: { const: 100 } } },
} as const

const completion = {
  required: ['branch', 'commit_sha', 'summary'],
  properties: {
    branch: { type: 'string', minLength: 1, description: 'For example "feature/p0-1-1-package-setup"' },
    commit_sha: { type: 'string', pattern: '^[0-9a-fA-F]{40}$', description: 'All 40 characters' },
    tests_run: texts('Test files and suites that were run'),
    summary: { type: 'string', minLength: 1, description: 'The work that was done, in 3 to 5 sentences' },
    blockers: {
      type: 'array',
      items: { type: 'object' },
      description: 'Empty if there are none, else for example {"type", "package", "issue", "resolution"}',
    },
    files_changed: texts('Paths that were created or modified'),
    related_thought_records: texts('Ids of earlier records that this one builds on'),
  },
} as const

const reinstatement = {
  required: ['status', 'notes'],
  properties: { status: { const: 'todo' }, commit_sha: false },
} as const

const thought_record = {
  $schema: DRAFT,
  title: 'Thought record',
  type: 'object',
  required: ['task_id'],
  properties: { task_id, status: taskStatus, notes: { type: 'string' }, metadata },
  anyOf: [completion, reinstatement],
} as const

export const schemas = { task_update, thought_record }
