import type { FieldProblem } from '../../../domain/problem.ts'
import { keysOf } from '../../difference.ts'
import type { Draft } from '../../draft.ts'
import { UNSAID } from '../values.ts'

export type Acknowledgment = NonNullable<Draft['acknowledgment']>

/** Whether an acknowledgment answers this package, from whom it was sent to. */
export function checkAcknowledgment(answer: Draft, handoff: Draft): readonly FieldProblem[] {
  const { acknowledgment: said, accepted_by } = answer
  const found: FieldProblem[] = []
  const say = (isWrong: boolean, code: string, field: string, message: string) =>
    isWrong && found.push({ severity: 'error', code, field, message })
  const match = (field: string, name: string | undefined, meant: string | undefined, what: string) => {
    const isOther = name !== undefined && meant !== undefined && name !== meant
    say(isOther, 'acknowledgment_mismatch', field, `${name} does not match: ${what} ${meant}`)
  }
  if (said === undefined || keysOf(said).length === 0) {
    const message = 'there is no acknowledgment; answer the package first'
    say(true, 'missing_acknowledgment', 'acknowledgment', message)
    return found
  }
  const { understood, understanding = [], blockers = [], questions = [], starting } = said
  const asked = understood === 'partial' || understood === 'no'
  const isUntold = understood === 'yes' && (understanding[0] ?? '').trim() === ''
  const isSilent = asked && blockers.length + questions.length === 0
  const [task, missing, early] = [
    'say the task in your own words, as understood.task',
    'say what is not understood, as blockers or questions',
    'work that is not understood is not started; write starting: false',
  ] as const
  match('acknowledgment.from', said.from, handoff.from, 'the package came from')
  match('acknowledgment.handoff_id', said.handoff_id, handoff.id, 'the package is')
  match('accepted_by', accepted_by, handoff.to ?? undefined, 'the package is addressed to')
  say(isUntold, 'missing_understood_task', 'acknowledgment.understanding', task)
  say(understood === undefined, 'missing_understood', 'acknowledgment.understood', UNSAID)
  say(isSilent, 'missing_blockers', 'acknowledgment.blockers', missing)
  say(asked && starting === true, 'starting_not_understood', 'acknowledgment.starting', early)
  return found
}
