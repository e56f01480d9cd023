import { Link, useSearchParams } from 'wouter'
import { useOperation } from '../../api/queries.ts'
import { Scroll } from '../../ui/scroll.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

const PAGE = 50
const CURSOR = /^\d{1,15}$/

/** The log, the newest first. Where it is looked at stands in the address. */
export function LogTable({ entries }: { readonly entries: number }) {
  const [query, setQuery] = useSearchParams()
  const given = query.get('after') ?? ''
  const after = CURSOR.test(given) ? Number(given) : Math.max(0, entries - PAGE)
  const log = useOperation('audit_log', { limit: PAGE, cursor: String(after) })
  const go = (cursor: string | undefined) => setQuery(cursor === undefined ? {} : { after: cursor })
  if (log.isPending) return <Loading what="the log" />
  if (log.error && !log.data) return <Failed error={log.error} again={log.refetch} />
  const items = [...(log.data?.items ?? [])].reverse()
  return (
    <>
      {items.length === 0 && <Empty>Nothing has happened yet.</Empty>}
      <Scroll label="Entries">
        <table className="log">
          <thead>
            <tr>
              {['No.', 'What', 'By', 'About', 'When', 'Hash'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map(({ number, act, by, subject, at, hash }) => (
              <tr key={number}>
                <td className="number">{number}</td>
                <td>{act}</td>
                <td>{by}</td>
                <td className="mono cut" title={subject}>
                  {act.startsWith('handoff.') ? (
                    <Link href={`/handoffs/${encodeURIComponent(subject)}`}>{subject}</Link>
                  ) : (
                    subject
                  )}
                </td>
                <td>
                  <Time at={at} />
                </td>
                <td className="mono cut" title={hash}>
                  {hash}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <nav className="row" aria-label="Pages of the log">
        <button type="button" disabled={!log.data?.next} onClick={() => go(log.data?.next)}>
          Newer
        </button>
        <button type="button" disabled={after === 0} onClick={() => go(String(Math.max(0, after - PAGE)))}>
          Older
        </button>
        {given !== '' && (
          <button type="button" className="quiet" onClick={() => go(undefined)}>
            The newest
          </button>
        )}
      </nav>
    </>
  )
}
