import type { FieldProblem } from '../../../domain/problem.ts'
import { type Data, isData, keysOf, own } from '../../difference.ts'
import type { Draft } from '../../draft.ts'
import type { Fields } from '../../fields.ts'
import { keepAt, keepRest } from '../extra.ts'
import { filled } from '../filled.ts'
import { Understood } from '../words.ts'

export type Acknowledgment = NonNullable<Draft['acknowledgment']>

const ROOT = 'acknowledgment'
const UNSAID = 'say what was understood: understood.task, or understood: partial'
const CLARIFY = 'request_clarification'

/** The parts of a draft that an acknowledgment gives. */
export function readAcknowledgment(fields: Fields, extra: Data): Partial<Draft> {
  const by = fields.agent('by', 'agent', 'receiver')
  const notes = fields.text('notes', 'note', 'comment')
  const at = fields.time('at', 'timestamp', 'acknowledged_at')
  const { understood, understanding } = readUnderstood(fields)
  const asked = understood === 'partial' || understood === 'no'
  if (!fields.has('understood')) fields.report('warning', 'missing_understood', UNSAID)
  const acknowledgment: Acknowledgment = filled({
    handoff_id: fields.text('handoff_id', 'handoff', 'id'),
    from: fields.agent('from'),
    at,
    understood,
    understanding,
    questions: fields.list('questions'),
    blockers: fields.list('blockers'),
    starting: readStarting(fields, asked),
  })
  readFixed(fields, extra, asked)
  keepRest(extra, fields, [ROOT])
  return filled({ acknowledgment, accepted_by: by, accepted_at: asked ? undefined : at, ack_notes: notes })
}

/** `understood` is a mapping with the task in the receiver's words, or one word. */
function readUnderstood(fields: Fields): Pick<Acknowledgment, 'understood' | 'understanding'> {
  if (!isData(fields.value('understood')))
    return filled({ understood: fields.word(Understood, 'understood') })
  const below = fields.below('understood')
  if (below === undefined) return {}
  const task = below.text('task')
  const constraints = Array.isArray(below.value('constraints'))
    ? (below.list('constraints') ?? [])
    : [below.text('constraints') ?? []].flat()
  if (task === undefined)
    fields.report(
      'error',
      'missing_understood_task',
      'understood.task is empty; say the task in your own words',
      'understood',
    )
  return { understood: 'yes', understanding: [...(task === undefined ? [] : [task]), ...constraints] }
}

function readStarting(fields: Fields, asked: boolean): boolean | undefined {
  const starting = fields.boolean('starting')
  if (!asked) return starting
  if (starting === true)
    fields.report(
      'warning',
      'starting_not_understood',
      'work that is not understood is not started; write starting: false, or say what was understood',
      'starting',
    )
  return false
}

/** `received` and `action` say nothing that the rest does not, unless they say something else. */
function readFixed(fields: Fields, extra: Data, asked: boolean): void {
  const received = fields.boolean('received')
  if (received === false) {
    keepAt(extra, [ROOT, 'received'], false)
    fields.report(
      'warning',
      'not_received',
      'an acknowledgment says received: true; leave it out if nothing was received',
      'received',
    )
  }
  const action = fields.text('action')
  if (action === undefined || (asked && action === CLARIFY)) return
  keepAt(extra, [ROOT, 'action'], action)
  if (action !== CLARIFY)
    fields.report(
      'warning',
      'unknown_action',
      `the action ${action} is not known; the only one is ${CLARIFY}`,
      'action',
    )
}

export function nativeAcknowledgment(draft: Draft): Data | undefined {
  const { acknowledgment: said, accepted_at, accepted_by, ack_notes } = draft
  if (said === undefined && accepted_at === undefined && accepted_by === undefined && ack_notes === undefined)
    return undefined
  const asked = said?.understood === 'partial' || said?.understood === 'no'
  return filled({
    received: own(own(draft.extra, ROOT), 'received') ?? true,
    handoff_id: said?.handoff_id,
    from: said?.from ?? draft.from,
    by: accepted_by,
    at: said?.at ?? accepted_at,
    understood: nativeUnderstood(said ?? {}, asked),
    questions: said?.questions,
    blockers: said?.blockers,
    starting: asked && said?.starting === false ? undefined : said?.starting,
    action: asked ? CLARIFY : undefined,
    notes: ack_notes,
  })
}

function nativeUnderstood({ understood, understanding = [] }: Acknowledgment, asked: boolean): unknown {
  const [task, ...rest] = understanding
  if (asked || task === undefined) return understood
  const constraints = rest.length > 1 ? rest : rest[0]
  return filled({ task, constraints })
}

/** Whether an acknowledgment answers this package, from whom it was sent to. */
export function checkAcknowledgment(answer: Draft, handoff: Draft): readonly FieldProblem[] {
  const said = answer.acknowledgment
  if (said === undefined || keysOf(said).length === 0)
    return [
      problem(
        'missing_acknowledgment',
        'acknowledgment',
        'there is no acknowledgment; answer the package first',
      ),
    ]
  const asked = said.understood === 'partial' || said.understood === 'no'
  const silent = (said.blockers ?? []).length + (said.questions ?? []).length === 0
  return [
    ...mismatch('acknowledgment.from', said.from, handoff.from, 'the package came from'),
    ...mismatch('acknowledgment.handoff_id', said.handoff_id, handoff.id, 'the package is'),
    ...mismatch('accepted_by', answer.accepted_by, handoff.to ?? undefined, 'the package is addressed to'),
    ...(said.understood === 'yes' && (said.understanding?.[0] ?? '').trim() === ''
      ? [
          problem(
            'missing_understood_task',
            'acknowledgment.understanding',
            'say the task in your own words, as understood.task',
          ),
        ]
      : []),
    ...(said.understood === undefined
      ? [problem('missing_understood', 'acknowledgment.understood', UNSAID)]
      : []),
    ...(asked && silent
      ? [
          problem(
            'missing_blockers',
            'acknowledgment.blockers',
            'say what is not understood, as blockers or questions',
          ),
        ]
      : []),
    ...(asked && said.starting === true
      ? [
          problem(
            'starting_not_understood',
            'acknowledgment.starting',
            'work that is not understood is not started; write starting: false',
          ),
        ]
      : []),
  ]
}

function mismatch(
  field: string,
  found: string | undefined,
  expected: string | undefined,
  what: string,
): FieldProblem[] {
  return found === undefined || expected === undefined || found === expected
    ? []
    : [problem('acknowledgment_mismatch', field, `${found} does not match: ${what} ${expected}`)]
}

const problem = (code: string, field: string, message: string): FieldProblem => ({
  severity: 'error',
  code,
  message,
  field,
})
