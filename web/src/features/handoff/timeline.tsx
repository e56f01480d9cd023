import { Link } from 'wouter'
import type { Attempt } from '../../../../src/domain/handoffs/handoff.ts'
import { inWords } from '../../../../src/domain/texts/visible.ts'
import { Time } from '../../ui/time.tsx'
import { told, toneOf } from '../../ui/words.ts'

interface Event {
  readonly at: string
  readonly act: string
  readonly by: string
  readonly auth: string
  readonly rev: number
  readonly hash: string
  readonly why?: string | undefined
}

/** An answer holds no more. */
const MOST = 200

/** Everything that was done, in its order, with who did it and how they showed who they are. */
export function Timeline({ id, events }: { readonly id: string; readonly events: readonly Event[] }) {
  return (
    <>
      <ol className="timeline">
        {events.map(({ at, act, by, auth, hash, why }) => (
          <li key={hash} className={toneOf(act)}>
            <b>{told(act)}</b> by <span title={`identified by ${auth}`}>{by}</span>{' '}
            <small title={hash}>
              <Time at={at} />
            </small>
            {why !== undefined && (
              <small className={toneOf(act) === 'bad' ? 'why' : 'soft wrap'} title={why} dir="auto">
                {why}
              </small>
            )}
          </li>
        ))}
      </ol>
      {events.length >= MOST && (
        <p className="soft">
          The first {MOST} events.{' '}
          <Link href={`/audit?about=${encodeURIComponent(id)}`}>Show all in the log</Link>
        </p>
      )}
    </>
  )
}

/** Each try at the work and how it ended. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  if (attempts.length < 2) return null
  return (
    <>
      <h3>Attempts</h3>
      <ol>
        {attempts.map(({ attempt, holder, outcome, error }) => (
          <li key={attempt} className="wrap">
            {holder}: {inWords(outcome ?? 'at work')}
            {error ? ` (${error.code}: ${error.message})` : ''}
          </li>
        ))}
      </ol>
    </>
  )
}
