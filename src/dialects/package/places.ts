import type { Path } from '../text/source.ts'

/** Where a package says the fields of a draft. */
const PLACES: Readonly<Record<string, Path>> = {
  id: ['handoff', 'id'],
  type: ['handoff', 'type'],
  state: ['handoff', 'status'],
  from: ['handoff', 'from', 'agent'],
  from_step: ['handoff', 'from', 'step'],
  from_role: ['handoff', 'from', 'role'],
  to: ['handoff', 'to', 'agent'],
  to_step: ['handoff', 'to', 'step'],
  to_role: ['handoff', 'to', 'role'],
  to_reason: ['handoff', 'to', 'reason'],
  created_at: ['handoff', 'timestamp'],
  title: ['handoff', 'title'],
  priority: ['handoff', 'priority'],
  project: ['handoff', 'project'],
  task: ['handoff', 'workflow_state', 'name'],
  in_reply_to: ['handoff', 'in_reply_to'],
  workflow: ['handoff', 'workflow_state'],
  gate: ['handoff', 'gate'],
  'gate.response': ['gate_response'],
  acknowledgment: ['acknowledgment'],
  'acknowledgment.understanding': ['acknowledgment', 'understood'],
  accepted_by: ['acknowledgment', 'by'],
  accepted_at: ['acknowledgment', 'at'],
  ack_notes: ['acknowledgment', 'notes'],
  package: ['handoff', 'context'],
  'package.validation_request': ['handoff', 'validation_request'],
  'package.deliverables': ['handoff', 'expectations', 'deliverable'],
  'package.criteria': ['handoff', 'expectations', 'success_criteria'],
  'package.constraints': ['handoff', 'expectations', 'constraints'],
}

/** The path of a field such as `package.criteria.0` in a package, as far as there is one. There is one deliverable. */
export function pathOfField(field: string): Path {
  const keys = field.replace(/^(package\.deliverables)\.\d+$/, '$1').split('.')
  for (let length = keys.length; length > 0; length--) {
    const name = keys.slice(0, length).join('.')
    const place = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined
    if (place) return [...place, ...keys.slice(length).map(indexOrKey)]
  }
  return ['handoff']
}

const indexOrKey = (key: string): string | number => (/^\d{1,9}$/.test(key) ? Number(key) : key)
