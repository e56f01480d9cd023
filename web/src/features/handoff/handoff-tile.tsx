import { memo } from 'react'
import { Link } from 'wouter'
import type { Handoff } from '../../../../src/domain/handoffs/handoff.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { TONES } from '../../ui/words.ts'

/** A handoff in a few lines: what, from whom to whom, how it stands. Drawn again only when it has changed. */
export const HandoffTile = memo(function HandoffTile({ handoff }: { readonly handoff: Handoff }) {
  const { id, title, from, to, state, type, updated_at, waiting_for } = handoff
  return (
    <Link href={`/handoffs/${encodeURIComponent(id)}`} className={`tile ${TONES[state]}`}>
      <b>{title}</b>
      <small>
        {id} · {from} → {to}
        {type === 'sequential' ? '' : ` · ${type}`}
      </small>
      <div className="row">
        <StateBadge state={state} />
        <small>
          {waiting_for === undefined || waiting_for === to ? '' : `waits for ${waiting_for} · `}
          <Time at={updated_at} />
        </small>
      </div>
    </Link>
  )
})
