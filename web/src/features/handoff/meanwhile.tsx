import { ANYONE } from '../../../../src/domain/actor.ts'
import type { Handoff } from '../../../../src/domain/handoffs/handoff.ts'
import type { OperationOutput } from '../../../../src/runner/calls.ts'
import type { Me } from '../../api/session.ts'
import { told } from '../../ui/words.ts'

type Full = OperationOutput<'handoff_get'>

/** Whether this person is asked something: they, anybody, or they before another was asked too. */
export function isAsked({ state, waiting_for, escalated_to, to }: Handoff, { actor }: Me): boolean {
  const names = actor.kind === 'human' ? [actor.name, ANYONE] : [actor.name]
  const asked = [waiting_for, escalated_to, escalated_to && to]
  return state === 'needs_input' && asked.some((name) => name !== undefined && names.includes(name))
}

/** What became of a question, and by whom, once this person is no longer asked. */
export function settledBy(full: Full | undefined, me: Me): string | undefined {
  if (!full || isAsked(full.handoff, me)) return undefined
  const said = full.thread.at(-1)
  if (said?.kind === 'answer') return `answered by ${said.by}`
  const last = full.timeline.at(-1)
  return last && `${told(last.act)} by ${last.by}`
}

/** Tells whoever is at an answer that it is too late for it. */
export function Meanwhile({ what, putAway }: { readonly what: string; readonly putAway: () => void }) {
  return (
    <div role="alert" className="meanwhile row">
      <p className="grow wrap">
        <b>Meanwhile {what}.</b> Nothing was sent from here. What you wrote stays until you put it away.
      </p>
      <button type="button" onClick={putAway}>
        Put away
      </button>
    </div>
  )
}
