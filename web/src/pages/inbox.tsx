import { useState } from 'react'
import { Link } from 'wouter'
import type { Handoff } from '../../../src/domain/handoff.ts'
import { useOperation } from '../api/queries.ts'
import type { Me } from '../api/session.ts'
import { Decision } from '../features/gate/decision.tsx'
import { Answer } from '../features/handoff/answer.tsx'
import { HandoffTile } from '../features/handoff/handoff-tile.tsx'
import { Points } from '../features/handoff/package-view.tsx'
import { Notices } from '../features/notice/notices.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'

/** What waits for this person: gates and decisions first, then questions, then work and news. */
export function Inbox({ me }: { readonly me: Me }) {
  const inbox = useOperation('handoff_inbox', { limit: 100 })
  const [active, activate] = useState<string>()
  if (inbox.isPending) return <Loading what="your inbox" />
  if (inbox.error) return <Failed error={inbox.error} again={inbox.refetch} />
  const { items, notices } = inbox.data
  const decisions = items.filter((h) => h.state === 'needs_input' && h.need !== 'clarification')
  const questions = items.filter((h) => h.state === 'needs_input' && h.need === 'clarification')
  const others = items.filter((h) => h.state !== 'needs_input')
  const current = decisions.find(({ uid }) => uid === active) ?? decisions[0]
  return (
    <div className="stack">
      <h1>Inbox of {me.actor.name}</h1>
      {items.length + notices.length === 0 && <Empty>Nothing waits for you.</Empty>}
      {decisions.map((handoff) => (
        <Waiting
          key={handoff.uid}
          handoff={handoff}
          isActive={handoff.uid === current?.uid}
          onFocus={() => activate(handoff.uid)}
        />
      ))}
      {questions.map((handoff) => (
        <section key={handoff.uid} className="card" aria-label={`Question about ${handoff.id}`}>
          <h2>
            {handoff.to} asks about{' '}
            <Link href={`/handoffs/${encodeURIComponent(handoff.id)}`}>{handoff.title}</Link>
          </h2>
          <Answer id={handoff.id} />
        </section>
      ))}
      {others.length > 0 && (
        <section>
          <h2>Work that is yours</h2>
          <div className="grid">
            {others.map((handoff) => (
              <HandoffTile key={handoff.uid} handoff={handoff} />
            ))}
          </div>
        </section>
      )}
      <Notices notices={notices} />
    </div>
  )
}

function Waiting(props: {
  readonly handoff: Handoff
  readonly isActive: boolean
  readonly onFocus: () => void
}) {
  const { handoff, isActive, onFocus } = props
  const { id, title, from, created_at, type, gate } = handoff
  const full = useOperation('handoff_get', { id })
  const asked = full.data?.package
  const items = asked?.validation_request?.items ?? []
  return (
    <section className="card" aria-label={`Decision on ${id}`} onFocus={onFocus}>
      <div className="row">
        <span className="badge wait">{type === 'gate' ? 'gate' : 'decision'}</span>
        <h2 className="grow">
          <Link href={`/handoffs/${encodeURIComponent(id)}`}>{gate?.name ?? title}</Link>
        </h2>
        <small>
          from {from} · <Time at={created_at} />
        </small>
      </div>
      {full.error && <Failed error={full.error} again={full.refetch} />}
      {asked?.summary && <p className="wrap">{asked.summary}</p>}
      <Points
        title={`${items.length} ${items.length === 1 ? 'point' : 'points'} to validate`}
        items={items}
      />
      <Points title="Artifacts" items={(asked?.artifacts ?? []).map(({ path }) => path)} />
      <Decision handoff={handoff} options={asked?.validation_request?.options} isActive={isActive} />
    </section>
  )
}
