import { ENGINE } from '../../domain/actor.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { again, take } from '../handoffs/attempts.ts'
import { move, type Step } from '../handoffs/moves.ts'
import type { BlockSaid } from './found-blocks.ts'

/** States in which its receiver's word moves a handoff; others wait for somebody else. */
const MOVABLE: readonly Handoff['state'][] = ['offered', 'accepted', 'in_progress', 'blocked']

/**
 * A handoff to the author of a block, moved by what the block says of the work. `retries`: the failed work is
 * offered again, as the next attempt.
 */
export function moveWork(step: Step, given: Handoff, said: BlockSaid, retries: boolean): Handoff {
  if (!MOVABLE.includes(given.state)) return given
  switch (said.status) {
    case 'in_progress':
      return underWay(step, given)
    case 'complete':
      return completed(step, underWay(step, given), said)
    case 'failed':
      return blockFailed(step, begun(step, given), said, retries)
    case 'blocked':
      return blocked(step, begun(step, given), said)
    default:
      return given
  }
}

function begun(step: Step, handoff: Handoff): Handoff {
  if (handoff.state === 'offered') return take(step, handoff, true)
  return handoff.state === 'accepted'
    ? move(step, handoff, 'start', { set: { started_at: step.at } })
    : handoff
}

function underWay(step: Step, given: Handoff): Handoff {
  const handoff = begun(step, given)
  return handoff.state === 'blocked' ? move(step, handoff, 'unblock', { unset: ['blocked_on'] }) : handoff
}

function completed(step: Step, handoff: Handoff, said: BlockSaid): Handoff {
  const content = step.view.content(handoff.uid)
  if (content)
    step.view.putContent(handoff.uid, {
      ...content,
      result: { metadata: { ...said.metrics }, submitted_at: step.at },
    })
  return move(step, handoff, 'complete', { progress: true, act: 'handoff.submit' })
}

function blocked(step: Step, handoff: Handoff, { dependencies }: BlockSaid): Handoff {
  if (handoff.state === 'blocked') return handoff
  const blocked_on = dependencies.length === 0 ? 'its block names no dependency' : dependencies.join(', ')
  return move(step, handoff, 'block', { set: { blocked_on }, fields: { blocked_on } })
}

function blockFailed(step: Step, handoff: Handoff, said: BlockSaid, retries: boolean): Handoff {
  const message = said.on_failure?.context ?? `${said.from} said that ${said.phase} failed`
  const error = { code: 'BLOCK_FAILED', message, severity: 'error' }
  const change = { set: { error }, fields: { error: message, error_code: error.code }, progress: true }
  if (!retries) return move(step, handoff, 'fail', change)
  // The rule for retries is the block's and was looked at: there is nothing to wait for.
  const under =
    handoff.state === 'blocked' ? move(step, handoff, 'unblock', { unset: ['blocked_on'] }) : handoff
  const waiting = move(step, under, 'retry_later', { ...change, set: { error, not_before: step.at } })
  return again({ ...step, actor: ENGINE }, waiting)
}
