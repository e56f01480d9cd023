import { isSeenPerson } from '../actor.ts'
import type { Actor, Agent } from '../agent.ts'
import { type Command, decide, isEnd, isOpen, statesFor } from '../lifecycle.ts'
import type { Policy } from '../policy.ts'
import { rolesFor } from './guards.ts'
import type { Handoff } from './handoff.ts'
import { stateWords } from './step-words.ts'

/** Commands that a page offers; `override` says that some of them are meant for the sender. */
export const OFFERED = [
  'accept',
  'reject',
  'complete',
  'refuse',
  'amend',
  'reassign',
  'retry',
  'cancel',
  'answer',
  'approve',
] as const satisfies readonly Command[]
export const PERMITTED = [...OFFERED, 'resend', 'override'] as const
export type Permitted = (typeof PERMITTED)[number]

/** The steps that this caller may take with this handoff now. */
export function permitted(
  actor: Actor,
  handoff: Handoff,
  policy: Policy,
  agent: Agent | undefined,
): readonly Permitted[] {
  const { state, resume, superseded_by: next, from } = handoff
  const isSentAgain = isEnd(state) && next !== undefined
  const steps = OFFERED.map((command) => ({ command, ...rolesFor(command, actor, handoff, policy, agent) }))
  const isAsked = handoff.need === 'gate' || handoff.need === 'decision'
  const open = steps.filter(
    ({ command, roles }) =>
      !isSentAgain && (command !== 'approve' || isAsked) && decide(state, command, roles, resume).ok,
  )
  const isResendable =
    !isSentAgain && whyNotAgain(handoff) === undefined && (actor.name === from || isSeenPerson(actor))
  const isOver = open.some((step) => step.isOver) || (isResendable && actor.name !== from)
  return [
    ...open.map(({ command }) => command),
    ...(isResendable ? (['resend'] as const) : []),
    ...(isOver ? (['override'] as const) : []),
  ]
}

/** Why a handoff cannot be sent again, if so. */
export function whyNotAgain({ id, state, type, step }: Handoff): string | undefined {
  const isGiven = statesFor('reassign').includes(state)
  const other = isGiven ? `give it to another with: baton reassign ${id} --to <agent>, or ` : ''
  if (state === 'draft') return `${stateWords(state)}; send it with: baton send ${id}`
  if (isOpen(state)) return `${stateWords(state)}; ${other}end it with: baton cancel ${id}`
  if (type === 'return') return 'carries a result; send the work again that it answers'
  return step === undefined ? undefined : 'is a step of a workflow; see: baton workflow list'
}
