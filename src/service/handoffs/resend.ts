import { isSeenPerson } from '../../domain/actor.ts'
import type { Actor } from '../../domain/agent.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { NewHandoff } from '../../domain/handoffs/inputs.ts'
import { whyNotAgain } from '../../domain/handoffs/permitted.ts'
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
  const why = whyNotAgain(old)
  if (why !== undefined) refuse('wrong_state', `${old.id} ${why}`, { id: old.id, state: old.state })
  const content = await deps.store.content(uid)
  const { type: kind, name, step } = old.gate ?? {}
  const gate = old.gate && present({ type: kind, name, step })
  return {
    ...content?.package,
    ...present({ task, timeout_s, retry, review, parent, silence, remind_s, gate }),
    ...{ to, title, type, home, priority, supersedes: uid },
  }
}
