import { MARKDOWN_STATUSES } from '../../domain/handoffs/markdown-status.ts'
import { DRAFT } from '../json-schema.ts'

const TIME = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
  description: 'An instant in UTC to the second, for example 2026-02-21T14:30:00Z',
}
const AGENT_SCHEMA = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'An agent, without @',
}
const TEXT = { type: 'string', pattern: '\\S' }
const LINES = { type: 'array', minItems: 1, items: TEXT }
const ID_SCHEMA = {
  type: 'string',
  pattern: '^handoff-.+-BPRD-\\d{4}-\\d{4,}-\\d{8}(-\\d+)?$',
  description: 'handoff-{from_agent}-{to_agent}-{related_task}-{YYYYMMDD}, also the name of the file',
}
const TASK_SCHEMA = { type: 'string', pattern: '^BPRD-\\d{4}-\\d{4,}$' }
const STATUS_SCHEMA = { enum: MARKDOWN_STATUSES }
const COUNT = { type: 'integer', minimum: 0 }

const orNull = (schema: { readonly type: string }): object => ({ ...schema, type: [schema.type, 'null'] })

/** The required keys of document 000, by the document's own headings. */
export const REQUIRED_KEYS = {
  identification: ['handoff_id', 'from_agent', 'to_agent', 'related_task'],
  lifecycle: ['status', 'created_at', 'updated_at', 'expires_at'],
  content: ['title', 'purpose', 'context', 'deliverables', 'verification_criteria'],
  linkage: ['source_meeting', 'skill_web_node'],
  acknowledgment: ['acknowledged_at', 'acknowledged_by', 'acknowledgment_notes'],
  completion: ['completed_at', 'completion_verified_by', 'completion_notes'],
} as const

const PROPERTIES = {
  handoff_id: ID_SCHEMA,
  from_agent: AGENT_SCHEMA,
  to_agent: AGENT_SCHEMA,
  related_task: TASK_SCHEMA,
  status: STATUS_SCHEMA,
  created_at: TIME,
  updated_at: TIME,
  expires_at: TIME,
  target_completion: TEXT,
  title: TEXT,
  purpose: TEXT,
  context: TEXT,
  deliverables: LINES,
  verification_criteria: LINES,
  source_meeting: { type: ['string', 'null'] },
  skill_web_node: { type: ['string', 'null'] },
  acknowledged_at: orNull(TIME),
  acknowledged_by: orNull(AGENT_SCHEMA),
  acknowledgment_notes: { type: ['string', 'null'] },
  completed_at: orNull(TIME),
  completion_verified_by: orNull(AGENT_SCHEMA),
  completion_notes: { type: ['string', 'null'] },
  evidence: {
    type: 'array',
    items: {
      type: 'object',
      required: ['deliverable', 'evidence'],
      properties: { deliverable: TEXT, evidence: TEXT },
    },
  },
  verification_record: {
    type: 'object',
    required: ['verified_at', 'deliverable_checks'],
    properties: {
      verified_at: TIME,
      deliverable_checks: {
        type: 'array',
        items: {
          type: 'object',
          required: ['deliverable', 'status', 'evidence'],
          properties: {
            deliverable: TEXT,
            status: { enum: ['verified', 'refused'] },
            evidence: { type: 'string' },
          },
        },
      },
    },
  },
  rejection_reason: {
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        required: ['type', 'message'],
        properties: { type: TEXT, message: { type: 'string' } },
      },
    ],
  },
  rejected_at: TIME,
  rejected_by: AGENT_SCHEMA,
  supersedes: TEXT,
} as const

/** Keys that have a meaning in the front matter. All others are carried as they are. */
export const KNOWN_KEYS: ReadonlySet<string> = new Set(Object.keys(PROPERTIES))

/** For editors: what a strict document looks like. Reading tolerates more than this. */
export const schemas: Readonly<Record<'handoff' | 'index', Readonly<Record<string, unknown>>>> = {
  handoff: {
    $schema: DRAFT,
    $id: 'markdown-handoff',
    title: 'Front matter of a handoff, Agent Handoff Protocol v2',
    type: 'object',
    required: Object.values(REQUIRED_KEYS).flat(),
    properties: { ...PROPERTIES, x_baton: { type: 'object' } },
  },
  index: {
    $schema: DRAFT,
    $id: 'markdown-index',
    title: '_handoffs/_index.yaml, Agent Handoff Protocol v2',
    type: 'object',
    required: ['last_updated', 'active_handoffs', 'counts_by_agent', 'recently_completed'],
    properties: {
      last_updated: TIME,
      active_handoffs: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'from', 'to', 'task', 'status', 'created'],
          properties: {
            id: ID_SCHEMA,
            from: AGENT_SCHEMA,
            to: AGENT_SCHEMA,
            task: TASK_SCHEMA,
            status: STATUS_SCHEMA,
            created: TIME,
          },
        },
      },
      counts_by_agent: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          required: ['outgoing', 'incoming'],
          properties: { outgoing: COUNT, incoming: COUNT },
        },
      },
      recently_completed: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'completed_at'],
          properties: { id: ID_SCHEMA, completed_at: TIME },
        },
      },
    },
  },
}
