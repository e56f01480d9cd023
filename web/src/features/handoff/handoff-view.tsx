import { Link } from 'wouter'
import { isMissing } from '../../api/call.ts'
import { useOperation } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Folded } from '../../ui/folded.tsx'
import { later } from '../../ui/later.tsx'
import { Missing } from '../../ui/missing.tsx'
import { Changed, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { spokenName, told } from '../../ui/words.ts'
import { ProgramOutput } from '../runner/program-output.tsx'
import { Actions } from './actions.tsx'
import { AskedOf } from './asked.tsx'
import { Chain } from './chain.tsx'
import { isAsked } from './meanwhile.tsx'
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
  // A question that is to be answered here stands above, with all that was said.
  const isToAnswer = isAsked(full.data) && handoff.need === 'clarification'
  // A decision stands below all that it is about. The type stays when it is decided elsewhere, so the card stays too.
  const isDecided = handoff.type === 'gate' || handoff.type === 'escalation'
  const Heading = `h${level}` as const
  const isEvident =
    !isDecided || result !== undefined || [given.deliverables, given.checks].some((each) => each?.length)
  const beside = (
    <>
      {(isEvident || verifications.length > 0) && (
        <section className="card" aria-label="Result">
          <h2>Deliverables and evidence</h2>
          <Deliverables wanted={given.deliverables ?? []} declared={given.checks ?? []} result={result} />
          {result && <ResultView result={result} files={files} />}
          {verifications.map(({ verified_at, verified_by, pass, note }) => (
            <p key={verified_at}>
              <span className={`badge ${pass ? 'good' : 'bad'}`}>
                {told(pass ? 'verify_pass' : 'verify_fail')}
              </span>{' '}
              by {verified_by} <Time at={verified_at} />
              {note && (
                <>
                  : <bdi>{note}</bdi>
                </>
              )}
            </p>
          ))}
        </section>
      )}
      {acknowledgment && <Understood said={acknowledgment} />}
      <section className="card" aria-label="Talk">
        <h2>Conversation</h2>
        {!isToAnswer && <Thread items={thread} />}
        <Comment id={handoff.id} />
      </section>
    </>
  )
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
          {handoff.type === 'sequential' ? '' : ` · ${handoff.type}`} · {handoff.from} to{' '}
          {spokenName(handoff.to)}
          {handoff.task && (
            <>
              {' '}
              · task <Link href={`/tasks?open=${encodeURIComponent(handoff.task)}`}>{handoff.task}</Link>
            </>
          )}{' '}
          · changed <Time at={handoff.updated_at} />
          {handoff.waiting_for && ` · waits for ${spokenName(handoff.waiting_for)}`}
        </p>
        <Changed warning={full.data.warning} />
        <Standing handoff={handoff} />
      </header>
      {!isDecided && <AskedOf full={full.data} />}
      <Actions full={full.data} />
      <ProgramOutput full={full.data} />
      <div className="two">
        <div className="stack">
          <section className="card" aria-label="Package">
            <h2>Package</h2>
            <PackageView package={given} files={result ? undefined : files} folds={!isDecided} />
          </section>
          {isDecided && beside}
          {isDecided && <AskedOf full={full.data} />}
        </div>
        <div className="stack">
          {!isDecided && beside}
          <section className="card" aria-label="Timeline">
            <h2>Timeline</h2>
            <Timeline id={handoff.id} events={timeline} />
            <Attempts attempts={handoff.attempts} />
          </section>
          {!isPanel && <Chain full={full.data} />}
        </div>
      </div>
      {isPanel ? (
        // The list beside it asks for enough already.
        <Folded title="Chain and proof">
          <Chain full={full.data} />
          <Proof id={handoff.id} timeline={timeline} />
        </Folded>
      ) : (
        <>
          <Proof id={handoff.id} timeline={timeline} />
          <Source id={handoff.id} />
        </>
      )}
    </article>
  )
}
