import { needsAcknowledgment, unmetConditions } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Content, Result } from '../../domain/handoffs/package.ts'
import { returnedIn } from '../../domain/handoffs/package-fields.ts'
import { present } from '../../domain/present.ts'
import type { Problem } from '../../domain/problem.ts'
import { must, mustContent } from '../lookup.ts'
import { refuse, refuseUnmet } from '../write.ts'
import { refuseUnseen } from './edits.ts'
import { move, type Returned, type Step } from './moves.ts'

/** Ends a delegation by what its receiver sends back, and answers the return that the asker gets. */
export function returned(
  step: Step,
  uid: string,
  sent: Omit<Returned, 'uid'> & Partial<Returned>,
  lacking: readonly Problem[],
  checks: Result['checks'],
): Handoff {
  const { view, deps, at } = step
  const before = must(view, uid)
  const content = mustContent(view, uid)
  const { summary: note } = sent.package
  const result: Result = { ...present({ note, checks }), ...returnedIn(sent.package), submitted_at: at }
  const next: Content = { ...content, result }
  view.putContent(uid, next)
  refuseUnacknowledged(before, content)
  const started =
    before.state === 'accepted' ? move(step, before, 'start', { set: { started_at: at } }) : before
  const returns = { uid: deps.newUid(), ...sent }
  // Permission is checked before missing fields.
  move(step, started, 'complete', {
    fields: { note: result.note, ...present({ checks }) },
    progress: true,
    act: 'handoff.submit',
    returns,
  })
  refuseUnseen(before, content)
  refuseUnmet(before.id, 'completed', [...unmetConditions(before, next), ...lacking])
  return must(view, returns.uid)
}

/** Work of document 004 is not handed in by somebody who never said what it understood. */
export function refuseUnacknowledged(handoff: Handoff, { acknowledgment }: Content): void {
  if (handoff.state !== 'accepted' || !needsAcknowledgment(handoff)) return
  if (acknowledgment?.understood === 'yes' && acknowledgment.understanding?.length) return
  refuse(
    'unmet',
    `${handoff.id} was not acknowledged; say the task in your own words first: baton accept ${handoff.id} --understood "…"`,
    { id: handoff.id },
  )
}
