import { useOperation } from '../../api/queries.ts'
import { Pager } from '../../ui/lists/pager.tsx'
import { useAddress } from '../../ui/lists/use-address.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

const PAGE = 50

/** Audit sessions and their seals, page by page, the newest first; each can be verified as a whole. */
export function Sessions({ verify }: { readonly verify: (session: string) => void }) {
  const [after, go] = useAddress('sessions')
  const sessions = useOperation('audit_sessions', {
    limit: PAGE,
    ...(after !== undefined && { cursor: after }),
  })
  if (sessions.isPending) return <Loading what="the sessions" />
  if (sessions.error && !sessions.data) return <Failed error={sessions.error} again={sessions.refetch} />
  const items = sessions.data?.items ?? []
  if (items.length === 0 && after === undefined)
    return (
      <Empty>
        No audit session yet. An agent begins one with <code>audit_session_start</code> and seals it with{' '}
        <code>merkle_finalize</code>.
      </Empty>
    )
  return (
    <>
      <ul className="plain">
        {items.map(({ id, by, state, started_at, seal }) => (
          <li key={id} className="row">
            <span className={`badge ${state === 'sealed' ? 'good' : 'busy'}`}>{state}</span>
            <span className="grow wrap">
              <b>{id}</b> by {by}, begun <Time at={started_at} />
              {seal && (
                <>
                  <br />
                  <small>
                    {seal.n} entries, sealed by {seal.by} <Time at={seal.at} /> · root{' '}
                    <span className="mono">{seal.root}</span>
                  </small>
                </>
              )}
            </span>
            <button type="button" onClick={() => verify(id)} aria-label={`Verify ${id}`}>
              Verify
            </button>
          </li>
        ))}
      </ul>
      <Pager label="Pages of sessions" next={sessions.data?.next} after={after} go={go} />
    </>
  )
}
