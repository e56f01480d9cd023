import { Link } from 'wouter'
import type { Handoff } from '../../../../src/domain/handoffs/handoff.ts'
import type { Acknowledgment } from '../../../../src/domain/handoffs/package.ts'
import { HOME_RULES } from '../../../../src/domain/home.ts'
import { isOpen } from '../../../../src/domain/lifecycle.ts'
import { Time } from '../../ui/time.tsx'
import { spokenName } from '../../ui/words.ts'
import { Points } from './package-view.tsx'

const WORKING: readonly string[] = ['accepted', 'in_progress', 'blocked', 'needs_input']

/** Reasons that are kept with the refusals and are none. */
const WHY: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled',
  reassigned: 'Reassigned',
  given_back: 'Changes requested',
}

/** How it stands, where a state alone does not tell: what is in the way, why it ended, until when something counts. */
export function Standing({ handoff }: { readonly handoff: Handoff }) {
  const { blocked_on, rejection, error, progress, state, escalated_to, run, session } = handoff
  const isLive = isOpen(state)
  return (
    <>
      {blocked_on !== undefined && <Trouble title="Blocked">{blocked_on}</Trouble>}
      {rejection && (
        <Trouble title={`${WHY[rejection.type] ?? 'Rejected'} by ${rejection.by}`}>
          {rejection.message}
        </Trouble>
      )}
      {error && <Trouble title={error.code}>{error.message}</Trouble>}
      <p className="next wrap">
        <b>Next:</b> <Next handoff={handoff} />
      </p>
      <ul className="facts">
        {WORKING.includes(state) && progress !== undefined && (
          <li>
            <progress value={progress} max={100} aria-label="Progress" /> {progress} %
          </li>
        )}
        {isLive && <Until what="reminder" at={handoff.remind_at} />}
        {escalated_to !== undefined && <li>may be decided by {escalated_to} too</li>}
        {handoff.priority !== 'normal' && <li>priority {handoff.priority}</li>}
        {handoff.attempt > 1 && <li>attempt {handoff.attempt}</li>}
        {run !== undefined && (
          <li>
            part of <Link href={`/workflows/${encodeURIComponent(run)}`}>{session ?? 'a workflow'}</Link>
          </li>
        )}
        {HOME_RULES[handoff.home].format && <li>format: {handoff.home}</li>}
      </ul>
    </>
  )
}

/** The agent or person that is awaited, the time that is left, and the outcome without an answer. */
function Next({ handoff }: { readonly handoff: Handoff }) {
  const { state, from, to, need, waiting_for: awaited = to, ack_deadline, lease_until, not_before } = handoff
  switch (state) {
    case 'draft':
      return `${from} has not sent it yet.`
    case 'offered':
      return (
        <>
          {spokenName(to)} must accept it.
          <Limit what="Otherwise it expires" at={ack_deadline} />
        </>
      )
    case 'accepted':
    case 'in_progress':
    case 'blocked':
      return (
        <>
          {state === 'blocked'
            ? `${to} is blocked; its sender ${from} may reassign it.`
            : `${to} submits it.`}
          <Limit what="Without a heartbeat it times out" at={lease_until} />
        </>
      )
    case 'needs_input':
      return (
        <>
          {spokenName(awaited)} must {need === 'clarification' ? 'answer' : 'decide'}; then{' '}
          {need === 'clarification' ? to : from} goes on.
          <Limit what={`Without an answer ${silenceOf(handoff)}`} at={handoff.silence_at} />
        </>
      )
    case 'in_review':
      return (
        <>
          {spokenName(awaited)} accepts it as done, or requests changes from {to}.
          <Limit what="" at={undefined} />
        </>
      )
    case 'retry_wait':
      return (
        <>
          it is offered to {to} again {not_before ? <Time at={not_before} /> : 'soon'}.
        </>
      )
    case 'completed':
      return 'nothing; it is done.'
    default:
      return handoff.superseded_by === undefined ? (
        `nothing by itself; ${from} or a person may send it again.`
      ) : (
        <>
          it was sent again as{' '}
          <Link href={`/handoffs/${encodeURIComponent(handoff.superseded_by)}`}>{handoff.superseded_by}</Link>
          .
        </>
      )
  }
}

function Limit({ what, at }: { readonly what: string; readonly at: string | undefined }) {
  if (at === undefined) return ' There is no time limit.'
  return (
    <>
      {' '}
      {what} <Time at={at} />.
    </>
  )
}

/** What a missing answer leads to. Its sender alone can answer a question about the work. */
function silenceOf({ silence, need }: Handoff): string {
  if (silence?.policy === 'expire') return 'it expires'
  if (silence?.to === undefined) return 'the rule of the workspace applies'
  if (need === 'clarification') return `${silence.to} is told`
  return silence.policy === 'reassign' ? `it is reassigned to ${silence.to}` : `${silence.to} may decide too`
}

function Trouble({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <p className="trouble wrap">
      <b>{title}</b> <bdi>{children}</bdi>
    </p>
  )
}

function Until({ what, at }: { readonly what: string; readonly at: string | undefined }) {
  return at === undefined ? null : (
    <li>
      {what} <Time at={at} />
    </li>
  )
}

/** What the receiver said before it began. */
export function Understood({ said }: { readonly said: Acknowledgment }) {
  return (
    <section className="card" aria-label="Understanding">
      <h2>As {said.by} understood it</h2>
      <p>
        Understood: <b>{said.understood}</b>, {said.starting ? 'and began' : 'not begun yet'}{' '}
        <small>
          <Time at={said.at} />
        </small>
      </p>
      <Points title="In its own words" items={said.understanding ?? []} />
      <Points title="Questions" items={said.questions ?? []} />
      <Points title="In the way" items={said.blockers ?? []} />
    </section>
  )
}
