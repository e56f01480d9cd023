import { TYPES } from '../../domain/handoffs/handoff.ts'
import { GATE_TYPES } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import { PRIORITIES } from '../../domain/priority.ts'
import { DRAFT, mapping, type Schema, text } from '../json-schema.ts'
import { ARTIFACT_TYPES, DECISIONS, QUESTION_PRIORITIES, STATUSES, UNDERSTOOD } from './words.ts'

const texts = (description?: string): Schema => ({
  type: 'array',
  items: text(),
  ...(description && { description }),
})
const oneOf = (words: readonly string[], description?: string): Schema => ({
  enum: [...words],
  ...present({ description }),
})
const listOf = (items: Schema): Schema => ({ type: 'array', items })

const time: Schema = { type: 'string', format: 'date-time', description: 'For example 2024-01-15T14:30:00Z' }
const id: Schema = {
  type: 'string',
  pattern: '^HO-([0-9]{4}-)?[0-9]{3,}$',
  description: 'HO-2024-001 or HO-001; given when the package is sent',
}
const stepSchema: Schema = {
  type: ['string', 'number', 'null'],
  description: 'Step of the workflow; null: not in the main workflow',
}

const acknowledgment: Schema = {
  ...mapping(
    {
      received: { const: true },
      handoff_id: text(),
      from: text('The agent that sent the package'),
      by: text('The agent that received it'),
      at: time,
      understood: {
        oneOf: [
          mapping({ task: text('The task in your own words'), constraints: { type: ['string', 'array'] } }, [
            'task',
          ]),
          oneOf(UNDERSTOOD),
        ],
      },
      questions: texts(),
      blockers: texts('For example: Artifact docs/api.md not found'),
      starting: { type: 'boolean' },
      action: oneOf(['request_clarification']),
    },
    ['received', 'understood'],
  ),
}

const gateResponse: Schema = mapping(
  { decision: oneOf(DECISIONS), by: text('The person who decided'), at: time, comment: { type: 'string' } },
  ['decision'],
)

const context: Schema = mapping(
  {
    summary: text('The work so far, in two or three sentences'),
    background: text('More that the receiver must know'),
    decisions: listOf(
      mapping({ id: text('pending: not yet taken'), decision: text(), rationale: text() }, ['decision']),
    ),
    artifacts: listOf(
      mapping(
        {
          path: text('Relative to the project; a folder ends with /'),
          type: oneOf(ARTIFACT_TYPES),
          description: { type: 'string' },
        },
        ['path'],
      ),
    ),
    open_questions: listOf(
      mapping({ question: text(), priority: oneOf(QUESTION_PRIORITIES), context: { type: 'string' } }, [
        'question',
      ]),
    ),
  },
  ['summary'],
)

const handoff: Schema = mapping(
  {
    id,
    timestamp: time,
    type: oneOf(TYPES, 'Only needed where it does not follow from the rest'),
    status: oneOf(STATUSES),
    in_reply_to: text('The delegation that a return answers'),
    title: text(),
    priority: oneOf(PRIORITIES),
    task: text('The task, if its name is not that of the workflow'),
    project: text(),
    from: mapping({ agent: text(), step: stepSchema, role: text() }, ['agent']),
    to: mapping(
      {
        agent: text('human: a person decides'),
        reason: text('Why this agent'),
        step: stepSchema,
        role: text(),
      },
      ['agent'],
    ),
    gate: mapping({ type: oneOf(GATE_TYPES), name: text(), step: stepSchema }, ['type']),
    context,
    validation_request: mapping({
      items: texts('Points to validate'),
      options: mapping(Object.fromEntries(DECISIONS.map((decision) => [decision, text()]))),
    }),
    expectations: mapping({
      deliverable: text('The result expected from the receiver'),
      constraints: texts(),
      success_criteria: texts('Each can be measured'),
    }),
    workflow_state: mapping({
      name: text(),
      current_step: { type: 'number' },
      completed_steps: texts(),
      remaining_steps: texts(),
    }),
    x_baton: { type: 'object', description: 'Fields that Baton keeps for other formats' },
  },
  ['from', 'to', 'context'],
)

const stateEntry: Schema = mapping(
  { id: text(), timestamp: { type: 'string' }, from: text(), to: text(), status: oneOf(STATUSES) },
  ['id', 'from', 'to', 'status'],
)

const document = (title: string, schema: Schema): Schema => ({ $schema: DRAFT, title, ...schema })

/** The strict forms of document 004, for editors. What is read is wider. */
export const schemas: Readonly<Record<'package' | 'acknowledgment' | 'gate_response' | 'state', Schema>> = {
  package: document(
    'Handoff package',
    mapping({ handoff, acknowledgment, gate_response: gateResponse }, ['handoff']),
  ),
  acknowledgment: document(
    'Acknowledgment of a handoff package',
    mapping({ acknowledgment }, ['acknowledgment']),
  ),
  gate_response: document('Answer to a gate', mapping({ gate_response: gateResponse }, ['gate_response'])),
  state: document(
    'Handoffs of a project, state/current.json',
    mapping({ handoffs: listOf(stateEntry) }, ['handoffs']),
  ),
}
