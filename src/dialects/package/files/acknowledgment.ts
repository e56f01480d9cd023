import type { FieldProblem } from '../../../domain/problem.ts'
import { keysOf } from '../../difference.ts'
import type { Draft } from '../../draft.ts'
import { UNSAID } from '../values.ts'

export type Acknowledgment = NonNullable<Draft['acknowledgment']>

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
