import { Link } from 'wouter'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { HandoffTile } from './handoff-tile.tsx'

/** The whole way from the first handoff to this one, and what came of it. */
export function Chain({ full }: { readonly full: OperationOutput<'handoff_get'> }) {
  const { path = [], handoff } = full
  const below = useOperation('handoff_list', { parent: handoff.uid, limit: 50 })
  const children = below.data?.items ?? []
  if (path.length + children.length === 0) return null
  return (
    <section className="card" aria-label="Chain">
      <h2>Chain</h2>
      {path.length > 0 && (
        <>
          <h3>Came from</h3>
          <ol className="path">
            {path.map(({ id, title, state }) => (
              <li key={id} className="wrap">
                <Link href={`/handoffs/${encodeURIComponent(id)}`} dir="auto">
                  {title}
                </Link>{' '}
                <small>{id}</small> <StateBadge state={state} />
              </li>
            ))}
          </ol>
        </>
      )}
      {children.length > 0 && <h3>Led to</h3>}
      {children.map((child) => (
        <HandoffTile key={child.uid} handoff={child} />
      ))}
      {below.data?.next && <p className="none">These are the newest 50.</p>}
    </section>
  )
}
