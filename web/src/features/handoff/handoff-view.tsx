import { Link } from 'wouter'
import { isMissing } from '../../api/call.ts'
import { useOperation } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { later } from '../../ui/later.tsx'
import { Missing } from '../../ui/missing.tsx'
import { Changed, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ProgramOutput } from '../runner/program-output.tsx'
import { Actions } from './actions.tsx'
import { AskedOf } from './asked.tsx'
import { Chain } from './chain.tsx'
import { Deliverables, PackageView, ResultView } from './package-view.tsx'
import { Standing, Understood } from './standing.tsx'
import { Comment, Thread } from './thread.tsx'
import { Attempts, Timeline } from './timeline.tsx'

const Proof = later(
  async () => (await import('./proof.tsx')).Proof,
  () => <Loading what="the proof" />,
)
const Source = later(async () => (await import('./source.tsx')).Source)

/** Everything about one handoff: the package, the result, the events and the proof. In a panel it is one column. */
export function HandoffView({ id, isPanel = false }: { readonly id: string; readonly isPanel?: boolean }) {
  const full = useOperation('handoff_get', { id })
  const level = isPanel ? 2 : 1
  if (!full.data && isMissing(full.error)) return <Missing what={`handoff ${id}`} level={level} />
  if (!full.data)
    return full.error ? <Failed error={full.error} again={full.refetch} page={id} /> : <Loading what={id} />
  const {
    handoff,
    package: given,
    result,
    thread,
    verifications,
    timeline,
    acknowledgment,
    files,
  } = full.data
  const Heading = `h${level}` as const
  return (
    <article className={`stack ${isPanel ? 'one' : ''}`}>
      <header>
        <div className="row">
          <Heading className="grow wrap" dir="auto">
            {handoff.title}
          </Heading>
          <StateBadge state={handoff.state} />
        </div>
        <p className="soft wrap">
          {handoff.id}
          {handoff.type === 'sequential' ? '' : ` · ${handoff.type}`} · {handoff.from} → {handoff.to}
          {handoff.task && (
            <>
              {' '}
              · task <Link href={`/tasks?open=${encodeURIComponent(handoff.task)}`}>{handoff.task}</Link>
            </>
          )}{' '}
          · changed <Time at={handoff.updated_at} />
          {handoff.waiting_for && ` · waits for ${handoff.waiting_for}`}
        </p>
        <Changed warning={full.data.warning} />
        <Standing handoff={handoff} />
      </header>
      <AskedOf full={full.data} />
      <Actions full={full.data} />
      <ProgramOutput full={full.data} />
      <div className="two">
        <section className="card" aria-label="Package">
          <h2>Package</h2>
          <PackageView package={given} files={result ? undefined : files} />
        </section>
        <div className="stack">
          <section className="card" aria-label="Result">
            <h2>Deliverables and evidence</h2>
            <Deliverables wanted={given.deliverables ?? []} declared={given.checks ?? []} result={result} />
            {result && <ResultView result={result} files={files} />}
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
          <Chain full={full.data} />
        </div>
      </div>
      <Proof id={handoff.id} timeline={timeline} />
      {!isPanel && <Source id={handoff.id} />}
    </article>
  )
}
