import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import { isMissing } from '../api/call.ts'
import { useOperation } from '../api/queries.ts'
import type { Me } from '../api/session.ts'
import { Actions } from '../features/handoff/actions.tsx'
import { AskedOf } from '../features/handoff/asked.tsx'
import { Chain } from '../features/handoff/chain.tsx'
import { Deliverables, PackageView, ResultView } from '../features/handoff/package-view.tsx'
import { Standing, Understood } from '../features/handoff/standing.tsx'
import { Comment, Thread } from '../features/handoff/thread.tsx'
import { Attempts, Timeline } from '../features/handoff/timeline.tsx'
import { StateBadge } from '../ui/badge.tsx'
import { Missing } from '../ui/missing.tsx'
import { Changed, Failed, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'

const Proof = lazy(async () => ({ default: (await import('../features/handoff/proof.tsx')).Proof }))
const Source = lazy(async () => ({ default: (await import('../features/handoff/source.tsx')).Source }))

/** Everything about one handoff: what travels, what came of it, what happened, and the proof. */
export function HandoffPage({ id, me }: { readonly id: string; readonly me: Me }) {
  const full = useOperation('handoff_get', { id })
  if (!full.data && isMissing(full.error)) return <Missing what={`handoff ${id}`} />
  if (!full.data)
    return full.error ? <Failed error={full.error} again={full.refetch} page={id} /> : <Loading what={id} />
  const { handoff, package: given, result, thread, verifications, timeline, acknowledgment } = full.data
  return (
    <article className="stack">
      <header>
        <div className="row">
          <h1 className="grow wrap">{handoff.title}</h1>
          <StateBadge state={handoff.state} />
        </div>
        <p className="soft wrap">
          {handoff.id}
          {handoff.type === 'sequential' ? '' : ` · ${handoff.type}`} · {handoff.from} → {handoff.to}
          {handoff.task && (
            <>
              {' '}
              · task <Link href={`/tasks?task=${encodeURIComponent(handoff.task)}`}>{handoff.task}</Link>
            </>
          )}{' '}
          · changed <Time at={handoff.updated_at} />
          {handoff.waiting_for && ` · waits for ${handoff.waiting_for}`}
        </p>
        <Changed warning={full.data.warning} />
        <Standing handoff={handoff} />
      </header>
      <AskedOf full={full.data} me={me} />
      <Actions full={full.data} />
      <div className="two">
        <section className="card" aria-label="Package">
          <h2>Package</h2>
          <PackageView package={given} />
        </section>
        <div className="stack">
          <section className="card" aria-label="Result">
            <h2>Deliverables and evidence</h2>
            <Deliverables wanted={given.deliverables ?? []} declared={given.checks ?? []} result={result} />
            {result && <ResultView result={result} />}
            {verifications.map(({ verified_at, verified_by, pass, note }) => (
              <p key={verified_at}>
                <span className={`badge ${pass ? 'good' : 'bad'}`}>{pass ? 'verified' : 'refused'}</span> by{' '}
                {verified_by} <Time at={verified_at} />
                {note ? `: ${note}` : ''}
              </p>
            ))}
          </section>
          {acknowledgment && <Understood said={acknowledgment} />}
          <section className="card" aria-label="Talk">
            <h2>Conversation</h2>
            <Thread items={thread} />
            <Comment id={handoff.id} />
          </section>
          <section className="card" aria-label="Timeline">
            <h2>Timeline</h2>
            <Timeline events={timeline} />
            <Attempts attempts={handoff.attempts} />
          </section>
          <Chain handoff={handoff} />
        </div>
      </div>
      <Suspense fallback={<Loading what="the proof" />}>
        <Proof id={handoff.id} timeline={timeline} />
        <Source id={handoff.id} />
      </Suspense>
    </article>
  )
}
