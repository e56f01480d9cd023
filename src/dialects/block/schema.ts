import { PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import { DRAFT } from '../json-schema.ts'

const AGENT_PATTERN = '^@[A-Za-z0-9][A-Za-z0-9._-]*$'
const agent = (description: string) => ({ type: 'string', pattern: AGENT_PATTERN, description })

/** Document 002 for editors. Stricter than the document's function where its field section is. */
const block = {
  $schema: DRAFT,
  title: 'Handoff block',
  type: 'object',
  required: ['handoff'],
  properties: {
    handoff: {
      type: 'object',
      required: ['phase', 'from', 'to', 'status'],
      properties: {
        phase: { enum: PHASES, description: 'The phase of the workflow that the sender worked in' },
        from: agent('The agent that ends its work, for example "@research-agent"'),
        to: {
          anyOf: [{ const: 'None' }, { type: 'string', pattern: AGENT_PATTERN }],
          description: 'The next agent, or "None" where this branch of the work ends',
        },
        status: { enum: STATUSES, description: "State of the sender's own work" },
        retry_count: { type: 'integer', minimum: 0, default: 0, description: 'Retries so far' },
        metrics: { type: 'object', description: 'Numbers and results, named by the agent' },
        dependencies: {
          type: 'array',
          items: { type: 'string' },
          default: [],
          description: 'Ids of tasks that this work depends on or affects, for example "task-15.3"',
        },
        on_failure: {
          type: 'object',
          description: 'Steps to take if the work of this block fails',
          properties: {
            retry: { type: 'integer', minimum: 0, description: 'Retries at most' },
            route_to: agent('Agent that gets the work when no retry is left'),
            notify: agent('Agent that is told of each failure'),
            escalate_after: {
              type: 'integer',
              minimum: 1,
              description: 'Failures until the delegator hears',
            },
            context: { type: 'string', description: 'Notes for the agent that handles the failure' },
          },
        },
        timestamp: {
          type: 'string',
          format: 'date-time',
          description: 'When the block was written, for example "2025-01-06T14:30:00Z"',
        },
        context: { type: 'object', description: 'Anything else that the next agent or the workflow needs' },
      },
    },
  },
} as const

export const schemas = { block }
