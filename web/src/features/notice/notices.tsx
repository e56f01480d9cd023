import { Link } from 'wouter'
import type { Notice } from '../../../../src/domain/people/notice.ts'
import { Time } from '../../ui/time.tsx'
import { useAct } from '../handoff/use-act.ts'

/** News that needs no answer, until it is marked as seen. */
export function Notices({ notices }: { readonly notices: readonly Notice[] }) {
  const act = useAct('notice_ack')
  if (notices.length === 0) return null
  return (
    <section>
      <h2>News</h2>
      <ul className="plain">
        {notices.map(({ uid, kind, about_id, text, created_at }) => (
          <li key={uid} className="row">
            <span className="badge">{kind}</span>
            <span className="grow wrap">
              <Link href={`/handoffs/${encodeURIComponent(about_id)}`}>{about_id}</Link> {text}{' '}
              <small>
                <Time at={created_at} />
              </small>
            </span>
            <button
              type="button"
              className="quiet"
              onClick={() => act.mutate({ uid })}
              disabled={act.isPending}
            >
              Seen
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
