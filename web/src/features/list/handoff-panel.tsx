import { Link } from 'wouter'
import { later } from '../../ui/later.tsx'
import { Panel } from '../../ui/lists/panel.tsx'
import { Loading } from '../../ui/states.tsx'
import type { ListAddress } from './use-list-address.ts'
import { entryOf } from './use-stepping.ts'

const HandoffView = later(
  async () => (await import('../handoff/handoff-view.tsx')).HandoffView,
  ({ id }) => <Loading what={id} />,
)

/** One handoff beside the list. */
export function HandoffPanel({ address }: { readonly address: ListAddress }) {
  const { open, set } = address
  if (open === undefined) return null
  return (
    <Panel
      label={`Details of ${open}`}
      head={
        <Link href={`/handoffs/${encodeURIComponent(open)}`} className="grow">
          Open as a page
        </Link>
      }
      close={() => set({ open: undefined }, false)}
      back={() => entryOf(open)}
    >
      <HandoffView key={open} id={open} isPanel />
    </Panel>
  )
}
