import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { CHOICES, type Choice } from '../../../src/domain/gate.ts'
import type { Handoff } from '../../../src/domain/handoff.ts'
import type { OperationOutput } from '../../../src/runner/calls.ts'
import { useOperation } from '../api/queries.ts'
import type { Me } from '../api/session.ts'
import { Decision } from '../features/gate/decision.tsx'
import { Answer } from '../features/handoff/answer.tsx'
import { HandoffTile } from '../features/handoff/handoff-tile.tsx'
import { Points } from '../features/handoff/package-view.tsx'
import { Notices } from '../features/notice/notices.tsx'
import { isTyping } from '../ui/keys.ts'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'

/** What waits for this person: gates and decisions first, then questions, then work and news. */
export function Inbox({ me }: { readonly me: Me }) {
  const inbox = useOperation('handoff_inbox', { limit: 100 })
  const [active, activate] = useState<string>()
  const decisions = (inbox.data?.items ?? []).filter(
    (h) => h.state === 'needs_input' && h.need !== 'clarification',
  )
  const current = decisions.find(({ uid }) => uid === active) ?? decisions[0]
  useStepping(decisions, current, activate)
  if (!inbox.data)
    return inbox.error ? <Failed error={inbox.error} again={inbox.refetch} /> : <Loading what="your inbox" />
  const { items, notices } = inbox.data
  const questions = items.filter((h) => h.state === 'needs_input' && h.need === 'clarification')
  const others = items.filter((h) => h.state !== 'needs_input')
  return (
    <div className="stack narrow">
      <h1>Inbox of {me.actor.name}</h1>
      {items.length + notices.length === 0 && (
        <Empty>
          Nothing waits for you. Gates, questions and work that is yours appear here by themselves.
        </Empty>
      )}
      {decisions.map((handoff) => (
        <Waiting
          key={handoff.uid}
          handoff={handoff}
          asked={inbox.data.gates?.find(({ uid }) => uid === handoff.uid)}
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

/** `j` and `k` go from one decision to the next. */
function useStepping(
  decisions: readonly Handoff[],
  current: Handoff | undefined,
  activate: (uid: string) => void,
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      if (step === 0 || !current || isTyping(event.target) || event.ctrlKey || event.metaKey) return
      const next = decisions[decisions.indexOf(current) + step]
      if (!next) return
      activate(next.uid)
      document.getElementById(next.uid)?.scrollIntoView({ block: 'nearest' })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [decisions, current, activate])
}

type Asked = NonNullable<OperationOutput<'handoff_inbox'>['gates']>[number]

/** One decision. The list tells enough to choose one; the one whose turn it is shows all of its package. */
function Waiting(props: {
  readonly handoff: Handoff
  readonly asked: Asked | undefined
  readonly isActive: boolean
  readonly onFocus: () => void
}) {
  const { handoff, asked, isActive, onFocus } = props
  const { id, title, from, created_at, type, gate } = handoff
  const full = useOperation('handoff_get', { id }, { enabled: isActive })
  const given = full.data?.package
  const summary = given?.summary ?? asked?.summary
  const items = given?.validation_request?.items ?? asked?.items ?? []
  const artifacts = given ? (given.artifacts ?? []).map(({ path }) => path) : (asked?.artifacts ?? [])
  return (
    <section
      id={handoff.uid}
      className={`card ${isActive ? 'active' : ''}`}
      aria-label={`Decision on ${id}`}
      onFocus={onFocus}
    >
      <div className="row">
        <span className="badge wait">{type === 'gate' ? 'gate' : 'decision'}</span>
        <h2 className="grow">
          <Link href={`/handoffs/${encodeURIComponent(id)}`}>{gate?.name ?? title}</Link>
        </h2>
        <small>
          from {from} · <Time at={created_at} />
        </small>
      </div>
      {full.error && !full.data && <Failed error={full.error} again={full.refetch} />}
      {summary && <p className="wrap">{summary}</p>}
      <Points
        title={`${items.length} ${items.length === 1 ? 'point' : 'points'} to validate`}
        items={items}
      />
      <Points title="Artifacts" items={artifacts} />
      <Decision
        handoff={handoff}
        options={given ? given.validation_request?.options : ownWords(asked)}
        isActive={isActive}
      />
    </section>
  )
}

/** Without the words that every answer has anyway. */
const ownWords = (asked: Asked | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(asked?.options ?? {}).filter(([key, words]) => CHOICES[key as Choice] !== words),
  )
