import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Call } from '../deps.ts'
import type { Receiver } from '../handoffs/receiver.ts'
import type { BlockSaid } from './found-blocks.ts'

/** States in which its receiver's word moves a handoff; others wait for somebody else. */
const MOVABLE: readonly Handoff['state'][] = ['offered', 'accepted', 'in_progress', 'blocked']
export const isMovable = ({ state }: Handoff): boolean => MOVABLE.includes(state)

type ReceiverStep = (receiver: Receiver, call: Call, uid: string) => Promise<unknown>

const ACCEPT: ReceiverStep = (receiver, call, uid) => receiver.accept(call, uid, { start: true })
const GO_ON: ReceiverStep = (receiver, call, uid) => receiver.heartbeat(call, uid, { blocked: false })

/**
 * The commands of the receiver that its block stands for. `retry`: the failed work is offered again at once, as the
 * next attempt.
 */
export function receiverSteps(
  given: Handoff,
  said: BlockSaid,
  retry?: { readonly title?: string },
): readonly ReceiverStep[] {
  if (!isMovable(given)) return []
  const begun = given.state === 'offered' || given.state === 'accepted' ? [ACCEPT] : []
  const isBlocked = given.state === 'blocked'
  const underWay = isBlocked ? [GO_ON] : begun
  switch (said.status) {
    case 'in_progress':
      return underWay
    case 'complete':
      return [...underWay, (to, call, uid) => to.submit(call, uid, { metadata: { ...said.metrics } })]
    case 'failed':
      return [...(retry ? underWay : begun), (to, call, uid) => to.fail(call, uid, failureOf(said), retry)]
    case 'blocked':
      return isBlocked
        ? []
        : [...begun, (to, call, uid) => to.heartbeat(call, uid, { blocked: blockedOn(said) })]
    default:
      return []
  }
}

const failureOf = ({ on_failure, from, phase }: BlockSaid) => ({
  code: 'BLOCK_FAILED',
  message: on_failure?.context ?? `${from} said that ${phase} failed`,
})

const blockedOn = ({ dependencies }: BlockSaid): string =>
  dependencies.length === 0 ? 'its block names no dependency' : dependencies.join(', ')
