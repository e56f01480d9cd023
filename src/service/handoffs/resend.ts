import { isSeenPerson } from '../../domain/actor.ts'
import type { Actor } from '../../domain/agent.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { NewHandoff } from '../../domain/handoffs/inputs.ts'
import { stateWords } from '../../domain/handoffs/step-words.ts'
import { isOpen } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import type { ServiceDeps } from '../deps.ts'
import { refuse } from '../write.ts'

/** An ended handoff as it is sent again. The caller is its sender. */
export async function sentAgain(
  deps: ServiceDeps,
  actor: Actor,
  old: Handoff,
  to = old.to,
): Promise<NewHandoff> {
  const { uid, type, title, home, task, priority, timeout_s, retry, review, parent, silence, remind_s } = old
  if (actor.name !== old.from && !isSeenPerson(actor))
    refuse(
      'not_allowed',
      `${actor.name} may not send ${old.id} again; that is for its sender ${old.from} or a person`,
      { id: old.id, actor: actor.name },
    )
  refuseResend(old)
  const content = await deps.store.content(uid)
  const { type: kind, name, step } = old.gate ?? {}
  const gate = old.gate && present({ type: kind, name, step })
  return {
    ...content?.package,
    ...present({ task, timeout_s, retry, review, parent, silence, remind_s, gate }),
    ...{ to, title, type, home, priority, supersedes: uid },
  }
}

function refuseResend({ id, state, type, step }: Handoff): void {
  const no = (why: string) => refuse('wrong_state', `${id} ${why}`, { id, state })
  if (isOpen(state))
    no(
      `${stateWords(state)}; give it to another with: baton reassign ${id} <agent>, or end it with: baton cancel ${id}`,
    )
  if (type === 'return') no('carries a result; send the work again that it answers')
  if (step !== undefined) no('is a step of a workflow; see: baton workflow list')
}
