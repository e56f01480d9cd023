import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { told } from '../../ui/words.ts'

type Full = OperationOutput<'handoff_get'>

/** Whether this person is asked something, as the server says. */
export const isAsked = ({ may }: Pick<Full, 'may'>): boolean =>
  may.includes('answer') || may.includes('approve')

/** What became of a question, and by whom, once this person is no longer asked. */
export function settledBy(full: Full | undefined): string | undefined {
  if (!full || isAsked(full)) return undefined
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
