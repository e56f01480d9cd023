import { memo } from 'react'
import { Link } from 'wouter'
import type { Handoff } from '../../../../src/domain/handoffs/handoff.ts'
import { Badge, StateBadge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { spokenName, TONES } from '../../ui/words.ts'

/** The instant since which it is in its state, as far as the handoff tells. */
export function sinceOf({ state, sent_at, accepted_at, started_at, ended_at, updated_at }: Handoff): string {
  if (state === 'offered') return sent_at ?? updated_at
  if (state === 'accepted') return accepted_at ?? updated_at
  if (state === 'in_progress') return started_at ?? updated_at
  return ended_at ?? updated_at
}

/** Why it stands where it stands, if anybody said so. */
export const reasonOf = ({ blocked_on, error, rejection, need, waiting_for }: Handoff): string | undefined =>
  blocked_on ??
  rejection?.message ??
  error?.message ??
  (need === 'clarification' ? `${waiting_for ?? 'the sender'} is asked a question` : undefined)

/** A handoff in a few lines: what, from whom to whom, how it stands and why. Drawn again only when it has changed. */
export const HandoffTile = memo(function HandoffTile(props: {
  readonly handoff: Handoff
  /** Beginning of an address that opens it beside a list; without one its page opens. */
  readonly beside?: string
  /** A better reason than the handoff itself has. */
  readonly why?: string | undefined
  readonly isOpen?: boolean
}) {
  const { handoff, beside, isOpen } = props
  const { uid, id, title, from, to, state, type, waiting_for, priority, attempt, progress } = handoff
  const why = props.why ?? reasonOf(handoff)
  const href = beside === undefined ? `/handoffs/${encodeURIComponent(id)}` : beside + encodeURIComponent(id)
  return (
    <Link
      href={href}
      className={`tile ${TONES[state]}`}
      data-id={id}
      data-uid={uid}
      aria-current={isOpen ? 'true' : undefined}
    >
      <b dir="auto">{title}</b>
      <small>
        {id} · {from} to {spokenName(to)}
        {type === 'sequential' ? '' : ` · ${type}`}
      </small>
      {why !== undefined && (
        <small className="why" dir="auto">
          {why}
        </small>
      )}
      <span className="row">
        <StateBadge state={state} />
        {(priority === 'high' || priority === 'critical') && <Badge tone="bad">{priority}</Badge>}
        {attempt > 1 && <Badge tone="wait">attempt {attempt}</Badge>}
        {state === 'in_progress' && progress !== undefined && <small>{progress} %</small>}
        <small>
          {waiting_for === undefined || waiting_for === to ? '' : `waits for ${spokenName(waiting_for)} · `}
          <Time at={sinceOf(handoff)} />
        </small>
      </span>
    </Link>
  )
})
