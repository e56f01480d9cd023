import { labelOf } from './body/body.ts'

/** How one key of document 000 is called elsewhere. */
export interface Spellings {
  /** Other keys in front matter, best first. Case, hyphens and spaces do not matter. */
  readonly keys: readonly string[]
  /** Labels in a body that are no key, best first. */
  readonly labels?: readonly string[]
  /** Names that say it only where nothing better does. */
  readonly weak?: readonly string[]
  /** Headings below which it stands, by their first words, best first. */
  readonly sections?: readonly string[]
}

// biome-ignore format: read as a table
const SPELLINGS = {
  handoff_id: { keys: ['id'] },
  from_agent: {
    keys: ['from', 'sender', 'source_agent', 'handed_off_by', 'delegated_by', 'created_by', 'assigned_by'],
    labels: ['handoff from', 'outgoing agent', 'previous agent', 'sending agent', 'prepared by', 'requested by'],
    weak: ['author', 'by', 'reporter'],
  },
  to_agent: {
    keys: ['to', 'assigned_to', 'assignee', 'recipient', 'receiver', 'target_agent', 'handed_off_to', 'delegated_to'],
    labels: ['handoff to', 'incoming agent', 'next agent', 'receiving agent', 'for'],
    weak: ['owner', 'target', 'agent'],
  },
  related_task: {
    keys: ['task', 'task_id', 'ticket', 'issue', 'spec', 'spec_id', 'story', 'bprd'],
    labels: ['task reference', 'related ticket', 'related issue', 'bprd id'],
  },
  status: { keys: ['state', 'handoff_status'], labels: ['current status', 'current state', 'statut'] },
  created_at: {
    keys: ['created', 'created_on', 'date_created', 'timestamp', 'date', 'handoff_date'],
    labels: ['generated', 'handed off', 'handed off at', 'time'],
  },
  started_at: { keys: ['started', 'started_on', 'start_date'] },
  updated_at: { keys: ['updated', 'last_updated', 'modified', 'last_modified', 'updated_on'] },
  expires_at: { keys: ['expires', 'expiry'], labels: ['expires if not acknowledged'] },
  target_completion: { keys: ['due', 'due_date', 'deadline', 'target_date', 'eta'] },
  title: { keys: ['subject'], labels: ['task title', 'summary line'] },
  purpose: {
    keys: ['objective', 'goal'],
    sections: ['purpose', 'objective', 'goal', 'delegation summary', 'why', 'reason for handoff', 'what needs to be done', 'description'],
  },
  context: {
    keys: ['background'],
    sections: ['context', 'background', 'current state', 'situation', 'executive summary', 'summary', 'overview', 'current status'],
  },
  deliverables: {
    keys: ['expected_deliverables'],
    sections: ['deliverables', 'expected deliverables', 'outputs', 'expected output', 'action items', 'tasks', 'remaining work', 'next steps', 'to do', 'todo'],
  },
  verification_criteria: {
    keys: ['acceptance_criteria', 'success_criteria', 'criteria', 'definition_of_done'],
    sections: ['verification criteria', 'acceptance criteria', 'success criteria', 'definition of done', 'return criteria', 'exit criteria', 'done when', 'verification'],
  },
  source_meeting: { keys: ['meeting'] },
  skill_web_node: { keys: ['skill'] },
  acknowledged_at: { keys: ['accepted_at', 'acknowledged'], labels: ['acknowledged on'] },
  acknowledged_by: { keys: ['accepted_by'] },
  acknowledgment_notes: { keys: ['acknowledgement_notes', 'ack_notes'] },
  completed_at: { keys: ['completed', 'completed_date', 'completed_on', 'date_completed'] },
  completion_verified_by: { keys: ['verified_by'] },
  completion_notes: { keys: ['reason'] },
  priority: { keys: ['prio', 'urgency'], labels: ['priority level'] },
} as const satisfies Record<string, Spellings>

export type NativeKey = keyof typeof SPELLINGS

/** The key of each field of a draft that has another name in document 000. */
// biome-ignore format: read as a table
const KEY_OF: Readonly<Record<string, string>> = {
  id: 'handoff_id', from: 'from_agent', to: 'to_agent', task: 'related_task', state: 'status',
  ack_deadline: 'expires_at', accepted_at: 'acknowledged_at', accepted_by: 'acknowledged_by',
  ack_notes: 'acknowledgment_notes', ended_at: 'completed_at', result: 'evidence',
  verification: 'verification_record', 'package.purpose': 'purpose', 'package.context': 'context',
  'package.deliverables': 'deliverables', 'package.criteria': 'verification_criteria',
}
const FIELD_OF = new Map(Object.entries(KEY_OF).map(([field, key]) => [key, field]))

export const keyOfField = (field: string): string => KEY_OF[field] ?? field
export const fieldOfKey = (key: string): string => FIELD_OF.get(key) ?? key

export const spellingsOf = (key: NativeKey): Spellings => SPELLINGS[key]

/** One form for `fromAgent`, `From-Agent` and `from agent`. */
export const normalKey = (key: string): string => labelOf(key).replaceAll(' ', '_')

/** Labels of a key in a body, best first. */
export function labelsOf(key: NativeKey): readonly string[] {
  const { keys, labels = [] } = spellingsOf(key)
  return [key, ...keys, ...labels].map(labelOf)
}
