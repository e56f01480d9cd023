import { ackDeadline } from '../../domain/handoffs/deadlines.ts'
import { MARKDOWN_STATUSES } from '../../domain/handoffs/markdown-status.ts'
import { isEnd } from '../../domain/lifecycle.ts'
import type { Data } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Row, type SaidField, tableFor, type ValueOf } from '../table/row.ts'
import { saidBy } from '../table/write.ts'
import { seconds } from '../text/time.ts'
import { labelOf } from './body/body.ts'
import * as is from './kinds.ts'
import { handoffId, isTaskId } from './names.ts'
import { statusFor } from './status.ts'

/** What this dialect says of a key beside the others. `also` has other keys in front matter, whatever their case. */
interface Special {
  /** Labels in a body that are no key, best first. */
  readonly labels?: readonly string[]
  /** Names that say it only where nothing better does. */
  readonly weak?: readonly string[]
  /** Headings below which it stands, by their first words, best first. */
  readonly sections?: readonly string[]
  /** The key is needed and may be null: until it is set `later`, or where there is nothing to `link`. */
  readonly blank?: 'link' | 'later'
  /** The step that takes an edit of it. */
  readonly step?: 'send' | 'accept' | 'submit' | 'verify' | 'reject'
}
type Form = 'handoff'
type Rest = Special & Partial<Omit<Row<string, Form>, 'fields' | 'kind' | 'key' | 'as'>>
interface MarkdownRow<F extends string = string> extends Row<F, Form>, Special {
  // biome-ignore lint/suspicious/noExplicitAny: `row` has checked the type of each kind.
  readonly as: is.Kind<any>
}

const { row: plain, table } = tableFor<Form>()

function row<F extends SaidField>(
  field: F,
  key: string,
  as: is.Kind<ValueOf<F>>,
  rest: Rest = {},
): MarkdownRow<F> {
  const { asked, blank, step, live = step ? 'step' : 'fixed', fits = asked && isSaid } = rest
  const base = { ...plain(field, key, as, rest), ...rest, as, live, ...(fits && { fits }) }
  const orNull = (draft: Draft): unknown => saidBy(base, draft) ?? null
  return blank ? { ...base, need: NEED, from: orNull, schema: { type: [as.schema?.type, 'null'] } } : base
}

const isSaid = (value: unknown): boolean =>
  typeof value !== 'object' ? value !== '' : Array.isArray(value) && value.length > 0
const NEED = ['handoff'] as const

/** Document 000, in its order. `from` gives what follows from other fields. */
// biome-ignore format: read as a table
const WRITTEN = [
  row('id', 'handoff_id', is.told(is.ID), { need: NEED, example: 'handoff-grok-claude-BPRD-2026-0042-20260221', from: idOf, also: ['id'], lossy: 'the id names sender, receiver, task and day' }),
  row('from', 'from_agent', is.agentName, { need: NEED, example: 'grok', asked: 'the agent who hands over',
    also: ['from', 'sender', 'source_agent', 'handed_off_by', 'delegated_by', 'created_by', 'assigned_by'],
    labels: ['handoff from', 'outgoing agent', 'previous agent', 'sending agent', 'prepared by', 'requested by'],
    weak: ['author', 'by', 'reporter'] }),
  row('to', 'to_agent', is.receiverName, { need: NEED, example: 'claude', asked: 'the one agent who receives; the format has no handoff to nobody',
    also: ['to', 'assigned_to', 'assignee', 'recipient', 'receiver', 'target_agent', 'handed_off_to', 'delegated_to'],
    labels: ['handoff to', 'incoming agent', 'next agent', 'receiving agent', 'for'],
    weak: ['owner', 'target', 'agent'] }),
  row('task', 'related_task', is.told(is.TASK), { need: NEED, example: 'BPRD-2026-0042', asked: 'the task as BPRD-YYYY-NNNN', fits: (task) => isTaskId(String(task)),
    also: ['task', 'task_id', 'ticket', 'issue', 'spec', 'spec_id', 'story', 'bprd'],
    labels: ['task reference', 'related ticket', 'related issue', 'bprd id'] }),

  row('state', 'status', is.stateWord, { need: NEED, example: 'Active', asked: `the status: ${MARKDOWN_STATUSES.join(', ')}`, live: 'step',
    also: ['state', 'handoff_status'], labels: ['current status', 'current state', 'statut'] }),
  row('created_at', 'created_at', is.instant, { need: NEED, example: '2026-02-21T14:30:00Z', asked: 'when it was made',
    also: ['created', 'created_on', 'date_created', 'timestamp', 'date', 'handoff_date'],
    labels: ['generated', 'handed off', 'handed off at', 'time'] }),
  row('updated_at', 'updated_at', is.instant, { need: NEED, example: '2026-02-21T14:30:00Z', from: ({ created_at, updated_at }) => written(updated_at ?? created_at), live: 'follows',
    also: ['updated', 'last_updated', 'modified', 'last_modified', 'updated_on'] }),
  row('ack_deadline', 'expires_at', is.instant, { need: NEED, example: '2026-02-21T18:30:00Z', from: expiryOf, step: 'send',
    also: ['expires', 'expiry'], labels: ['expires if not acknowledged'] }),
  row('target_completion', 'target_completion', is.bodyText, { live: 'author', also: ['due', 'due_date', 'deadline', 'target_date', 'eta'] }),

  row('title', 'title', is.titleText, { need: NEED, example: 'the subject', asked: 'the subject, in a few words', live: 'amend',
    also: ['subject'], labels: ['task title', 'summary line'] }),
  row('package.purpose', 'purpose', is.bodyText, { need: NEED, example: 'why it is handed over', asked: 'why it is handed over', from: purposeOf, live: 'amend',
    also: ['objective', 'goal'],
    sections: ['purpose', 'objective', 'goal', 'delegation summary', 'why', 'reason for handoff', 'what needs to be done', 'description'] }),
  row('package.context', 'context', is.bodyText, { need: NEED, example: 'facts for the receiver', asked: 'facts for the receiver', from: ({ package: pack }) => pack?.context ?? pack?.summary, live: 'amend',
    also: ['background'],
    sections: ['context', 'background', 'current state', 'situation', 'executive summary', 'summary', 'overview', 'current status'] }),
  row('package.deliverables', 'deliverables', is.textLines, { need: NEED, example: '["what must be handed in"]', asked: 'the results to hand in', live: 'amend',
    also: ['expected_deliverables'],
    sections: ['deliverables', 'expected deliverables', 'outputs', 'expected output', 'action items', 'tasks', 'remaining work', 'next steps', 'to do', 'todo'] }),
  row('package.criteria', 'verification_criteria', is.textLines, { need: NEED, example: '["how it is verified"]', asked: 'how it is verified', live: 'amend',
    also: ['acceptance_criteria', 'success_criteria', 'criteria', 'definition_of_done'],
    sections: ['verification criteria', 'acceptance criteria', 'success criteria', 'definition of done', 'return criteria', 'exit criteria', 'done when', 'verification'] }),

  row('package.links.meeting', 'source_meeting', is.frontText, { blank: 'link', example: 'meetings/… or null', live: 'amend', also: ['meeting'] }),
  row('package.links.skill', 'skill_web_node', is.frontText, { blank: 'link', example: 'skills/… or null', live: 'amend', also: ['skill'] }),

  row('accepted_at', 'acknowledged_at', is.instant, { blank: 'later', live: 'follows', also: ['accepted_at', 'acknowledged'], labels: ['acknowledged on'] }),
  row('accepted_by', 'acknowledged_by', is.agentName, { blank: 'later', step: 'accept', also: ['accepted_by'] }),
  row('ack_notes', 'acknowledgment_notes', is.frontText, { blank: 'later', step: 'accept', also: ['acknowledgement_notes', 'ack_notes'] }),

  row('ended_at', 'completed_at', is.told(is.TIME), { blank: 'later', live: 'follows', from: ({ state, ended_at }) => (state === 'completed' ? written(ended_at) : undefined),
    also: ['completed', 'completed_date', 'completed_on', 'date_completed'] }),
  row('verification.verified_by', 'completion_verified_by', is.told(is.AGENT), { blank: 'later', step: 'verify', from: verifierOf, also: ['verified_by'], lossy: 'the key is null until the end' }),
  row('result.note', 'completion_notes', is.told(), { blank: 'later', step: 'submit', also: ['reason'] }),

  row('result.evidence', 'evidence', is.told(is.EVIDENCE), { step: 'submit' }),
  row('verification', 'verification_record', is.told(is.RECORD), { step: 'verify', from: recordOf }),
  row('rejection', 'rejection_reason', is.told(is.REASON), { step: 'reject', from: reasonOf }),
  row('rejection.at', 'rejected_at', is.told(is.TIME), { live: 'follows', from: ({ rejection, state, ended_at }) => written(rejection?.at ?? (state && statusFor(state) === 'Rejected' ? ended_at : undefined)) }),
  row('rejection.by', 'rejected_by', is.told(is.AGENT), { step: 'reject' }),
  row('supersedes', 'supersedes', { ...is.bodyText, find: ({ top }) => top?.text('supersedes') }, {}),
]
/** Keys that are read and never written. */
// biome-ignore format: read as a table
const READ = [
  row('from_role', 'from_role', is.roleName, { live: 'author' }),
  row('to_role', 'to_role', is.roleName, { live: 'author' }),
  row('priority', 'priority', is.priorityWord, { also: ['prio', 'urgency'], labels: ['priority level'] }),
  row('project', 'project', is.projectId, {}),
  row('started_at', 'started_at', is.instant, { also: ['started', 'started_on', 'start_date'] }),
]
export const ROWS: readonly MarkdownRow[] = [...WRITTEN, ...READ]

type Pack = NonNullable<Draft['package']>
/** A text, or lines, each with what stands in parentheses behind it. */
type Lines = string | readonly (readonly (string | undefined)[])[] | undefined

/** Fields that only the body says, below these headings. */
// biome-ignore format: read as a table
export const IN_BODY = {
  'package.constraints':    ['Constraints', ({ constraints }) => constraints?.map((each) => [each])],
  'package.summary':        ['In Brief', ({ context, summary }) => (context === undefined ? undefined : summary?.trim())],
  'package.decisions':      ['Decisions', ({ decisions }) => decisions?.map((each) => [each.decision, each.rationale])],
  'package.open_questions': ['Open Questions', ({ open_questions }) => open_questions?.map((each) => [each.question, each.context])],
  'package.artifacts':      ['Artifacts', ({ artifacts }) => artifacts?.map((each) => [`\`${each.path}\``, each.description])],
} as const satisfies Record<string, readonly [string, (pack: Pack) => Lines]>

const NO_KEY = 'the format has no key for it'
const inText = 'only as text in the body'
const inBody = Object.fromEntries(Object.keys(IN_BODY).map((field) => [field, inText])) as Record<
  keyof typeof IN_BODY,
  string
>

// biome-ignore format: read as a table
export const TABLE = table({
  rows: WRITTEN,
  lost: {
    ...inBody, 'package.links': 'only a meeting and a skill have keys', 'verification.note': NO_KEY,
    body: 'below the keys',
    uid: NO_KEY, type: NO_KEY, to_reason: NO_KEY, from_phase: NO_KEY, to_phase: NO_KEY, phase: NO_KEY, from_step: NO_KEY, to_step: NO_KEY,
    project: NO_KEY, priority: NO_KEY, in_reply_to: NO_KEY, started_at: NO_KEY, from_role: inText, to_role: inText, timeout_s: NO_KEY,
    retry_count: NO_KEY, retry: NO_KEY, retry_available: NO_KEY, review: NO_KEY, not_before: NO_KEY, on_failure: NO_KEY, error: NO_KEY, input_schema: NO_KEY,
    output_schema: NO_KEY, expected_output: NO_KEY, gate: NO_KEY, acknowledgment: NO_KEY, record: NO_KEY, workflow: NO_KEY, metrics: NO_KEY,
    depends_on: NO_KEY, next_steps: NO_KEY, progress: NO_KEY, 'package.data': NO_KEY, 'package.input': NO_KEY, 'package.checks': NO_KEY,
    'package.validation_request': NO_KEY, 'result.output': NO_KEY, 'result.artifacts': NO_KEY, 'result.decisions': NO_KEY, 'result.validation': NO_KEY,
    'result.schema_compliance': NO_KEY, 'result.checks': NO_KEY, 'result.metadata': NO_KEY, 'result.next_steps': NO_KEY, 'result.submitted_at': NO_KEY,
  },
})

const ROW_OF: ReadonlyMap<string, MarkdownRow> = new Map(ROWS.map((each) => [each.key, each]))
const LABELS = new Map(
  ROWS.map(({ key, also = [], labels = [] }) => [key, [key, ...also, ...labels].map(labelOf)] as const),
)

export const markdownRow = (key: string): MarkdownRow => ROW_OF.get(key)!
/** The key and its other spellings in front matter, best first. */
export const namesOf = (key: string): readonly string[] => [key, ...(markdownRow(key).also ?? [])]
/** Labels of a key in a body, best first. */
export const labelsOf = (key: string): readonly string[] => LABELS.get(key) ?? []
/** One form for `fromAgent`, `From-Agent` and `from agent`. */
export const normalKey = (key: string): string => labelOf(key).replaceAll(' ', '_')
/** Keys that have a meaning when they are written. All others are carried as they are. */
export const KNOWN_KEYS: ReadonlySet<string> = new Set(WRITTEN.map(({ key }) => key))

const written = (at: string | undefined): string | undefined => (at === undefined ? undefined : seconds(at))

/** An id of another dialect does not do: here it names the sender, the receiver, the task and the day. */
function idOf({ id, from, to, task, created_at }: Draft): string | undefined {
  if (id !== undefined && /^handoff-/i.test(id)) return id
  if (from === undefined || !to || task === undefined || created_at === undefined) return id
  return handoffId({ from, to, task, created_at: seconds(created_at) })
}

export function expiryOf({ ack_deadline, created_at, state }: Draft): string | undefined {
  if (ack_deadline !== undefined || created_at === undefined || Number.isNaN(Date.parse(created_at)))
    return written(ack_deadline)
  return written(ackDeadline('markdown', state === 'draft' ? 'draft' : 'offered', created_at))
}

export function purposeOf({ package: pack, to_reason }: Draft): string | undefined {
  return pack?.purpose ?? to_reason ?? (pack?.deliverables?.join('; ') || undefined)
}

/** Who refused work has verified no completion: the key is null until the end. */
function verifierOf({ state, verification }: Draft): string | undefined {
  const isGivenBack = verification?.pass === false && state !== undefined && !isEnd(state)
  return (!isGivenBack && verification?.verified_by) || undefined
}

function recordOf({ verification, ended_at }: Draft): Data | undefined {
  if (!verification) return undefined
  const { verified_at, deliverable_checks } = verification
  if (deliverable_checks.length === 0 && verified_at === ended_at) return undefined
  return { verified_at: seconds(verified_at), deliverable_checks }
}

/** A bare text is a reason of the type `other`. */
function reasonOf({ state, rejection, error }: Draft): unknown {
  if (rejection) {
    const { type, message } = rejection
    return type === 'other' ? message || undefined : { type, message }
  }
  if (state === 'failed') return { type: 'failure', message: error?.message ?? 'failed' }
  return state === 'cancelled' ? { type: 'cancelled', message: 'cancelled' } : undefined
}
