import { ERROR_KINDS } from '../../domain/handoffs/retry.ts'
import { present } from '../../domain/present.ts'
import { PRIORITIES } from '../../domain/priority.ts'
import { DRAFT, mapping, type Schema, text } from '../json-schema.ts'
import { LIFECYCLE } from './artifact.ts'
import { DEFAULT_TIMEOUT_S } from './check.ts'
import {
  FOLDER_OF,
  HANDOFF_ID,
  type HandoffForm,
  PHASES_OF,
  type QueueStatus,
  REQUIRED,
  STATUSES,
} from './names.ts'

const number = (description: string): Schema => ({ type: 'number', minimum: 0, description })
const whole = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
const texts = (description?: string): Schema => ({
  type: 'array',
  items: { type: 'string' },
  ...present({ description }),
})

const time: Schema = {
  type: 'string',
  format: 'date-time',
  description: 'UTC, for example 2026-01-13T10:00:00Z',
}
const id: Schema = {
  type: 'string',
  pattern: HANDOFF_ID.source,
  description: 'hoff-001-1705147200000; also the name of the file',
}
const agentId: Schema = {
  type: 'string',
  pattern: '^@[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'With @, for example @react-specialist',
}

const PHASE_TEXT = Object.entries(PHASES_OF)
  .map(([type, { from, to }]) => `${type}s ${from} to ${to}`)
  .join(', ')

const PROPERTIES: Readonly<Record<string, Schema>> = {
  handoff_id: id,
  timestamp: { ...time, description: 'When the request was made' },
  started_at: { ...time, description: 'When the specialist took it on' },
  timestamp_completed: time,
  completed_at: { ...time, description: 'The same as timestamp_completed' },
  timestamp_failed: time,
  failed_at: { ...time, description: 'The same as timestamp_failed' },
  execution_time_seconds: number('How long the work took'),
  context: mapping({
    project_id: text(),
    task_id: text(),
    tech_stack_artifact_id: text('An artifact that must be there before the work can begin'),
    tech_stack: { type: 'object' },
  }),
  expected_output: mapping({
    artifact_type: text('For example react-components'),
    schema: text('react-specialist.output.schema.json'),
    destination: text('Below the project; {timestamp} is filled in when the artifact is written'),
  }),
  timeout_seconds: { ...number('How long the work may take'), default: DEFAULT_TIMEOUT_S },
  priority: { enum: [...PRIORITIES], default: 'normal' },
  retry_policy: mapping({
    max_retries: { ...whole('Attempts are one more'), maximum: 100, default: 3 },
    retry_delay_seconds: { ...number('Before the second attempt'), default: 30 },
    backoff_multiplier: { type: 'number', minimum: 1, default: 2 },
  }),
  retry_available: { type: 'boolean' },
  retry_count: whole('Retries that were made: 0 at the first failure'),
  max_retries: whole('Of retry_policy'),
  not_before: { ...time, description: 'A retry is not picked up earlier' },
  retry_history: { type: 'array', items: { type: 'object' }, description: 'The errors of earlier attempts' },
  validation: mapping({
    status: { enum: ['passed', 'failed'] },
    typescript_errors: whole('Of the output'),
    eslint_warnings: whole('Of the output'),
    tests_passing: { type: 'boolean' },
    coverage_percentage: { type: 'number', minimum: 0, maximum: 100 },
    accessibility_violations: whole('Of the output'),
    errors: {
      type: 'array',
      description: 'Problems of the input',
      items: mapping({ field: text(), error: text(), schema_path: text() }, ['field', 'error']),
    },
  }),
  metadata: { type: 'object', description: 'Counts of any kind' },
  recovery_actions: texts('Steps before the next attempt'),
  next_steps: texts(),
  warnings: texts(),
  errors: texts(),
  x_baton: { type: 'object', description: 'Fields that Baton keeps for other formats' },
}

/** Mappings whose required keys depend on the form. */
const GROUPS: Readonly<Record<string, Schema>> = {
  source: side(),
  target: side(),
  input: {
    schema: text('react-specialist.input.schema.json'),
    data: { description: 'The data that the schema describes' },
  },
  output: {
    artifact_id: text('artifact-react-comp-1705147532000; also the name of the file'),
    artifact_path: text('Below the project, with /'),
    artifact_type: text(),
    schema_compliance: { enum: ['valid', 'invalid'] },
  },
  error: {
    code: { enum: Object.keys(ERROR_KINDS) },
    message: text(),
    severity: { type: 'string', default: 'error' },
    timestamp: time,
  },
}

function side(): Schema {
  return {
    agent_id: agentId,
    phase: { type: 'integer', description: PHASE_TEXT },
    agent_type: { enum: Object.keys(PHASES_OF) },
  }
}

/** The required keys come from the one table that the checks use. */
function form(of: HandoffForm, statuses: readonly QueueStatus[], title: string): Schema {
  const required = REQUIRED[of]
  const below = (key: string) =>
    required.flatMap(([top, inner]) => (top === key && inner !== undefined ? [String(inner)] : []))
  const groups = Object.entries(GROUPS).map(([key, properties]) => [key, mapping(properties, below(key))])
  return {
    $schema: DRAFT,
    title,
    description: `handoffs/${statuses.map((status) => FOLDER_OF[status]).join(' or ')}/{handoff_id}.json`,
    ...mapping({ ...PROPERTIES, status: { enum: [...statuses] }, ...Object.fromEntries(groups) }, [
      ...new Set(required.map(([top]) => String(top))),
    ]),
  }
}

const phaseStatus = mapping({ status: { enum: [...STATUSES] }, handoff_id: id, updated_at: time }, ['status'])

/** The strict forms of document 001, for editors. What is read is wider. */
export const schemas: Readonly<
  Record<HandoffForm | 'artifact' | 'project_context' | 'tech_stack' | 'phase_status', Schema>
> = {
  request: form('request', ['pending', 'in_progress'], 'Handoff request'),
  response: form('response', ['completed'], 'Handoff response'),
  failure: form('failure', ['failed'], 'Handoff failure'),
  artifact: {
    $schema: DRAFT,
    title: 'Artifact',
    description: 'artifacts/phase-NN-name/{artifact_id}.json',
    ...mapping(
      {
        artifact_id: text('Also the name of the file'),
        artifact_type: text(),
        phase: { type: 'integer', description: PHASE_TEXT },
        file: text('The produced file, where it is not this one'),
        sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the file' },
        dependencies: texts('Ids of artifacts that this one was made from'),
        lifecycle: { enum: [...LIFECYCLE] },
        created_at: time,
        handoff_id: id,
      },
      ['artifact_id'],
    ),
  },
  project_context: { $schema: DRAFT, title: 'context/project-context.json', type: 'object' },
  tech_stack: { $schema: DRAFT, title: 'context/tech-stack.json', type: 'object' },
  phase_status: {
    $schema: DRAFT,
    title: 'context/phase-status.json',
    ...mapping({
      phases: {
        type: 'object',
        patternProperties: { '^[0-9]{1,3}$': phaseStatus },
        additionalProperties: false,
      },
    }),
  },
}
