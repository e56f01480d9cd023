import type { Handoff } from '../../../../src/domain/handoffs/handoff.ts'
import { useOperation } from '../../api/queries.ts'
import { HandoffTile } from './handoff-tile.tsx'

/** Where it came from and what came of it. */
export function Chain({ handoff }: { readonly handoff: Handoff }) {
  const { uid, parent } = handoff
  const above = useOperation('handoff_get', { id: parent ?? uid }, { enabled: parent !== undefined })
  const below = useOperation('handoff_list', { parent: uid, limit: 50 })
  const children = below.data?.items ?? []
  if (parent === undefined && children.length === 0) return null
  return (
    <section className="card" aria-label="Chain">
      <h2>Chain</h2>
      {above.data && parent !== undefined && (
        <>
          <h3>Came from</h3>
          <HandoffTile handoff={above.data.handoff} />
        </>
      )}
      {children.length > 0 && <h3>Led to</h3>}
      {children.map((child) => (
        <HandoffTile key={child.uid} handoff={child} />
      ))}
    </section>
  )
}
