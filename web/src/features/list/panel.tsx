import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useShortcuts } from '../../ui/input/shortcuts.ts'
import { later } from '../../ui/later.tsx'
import { Loading } from '../../ui/states.tsx'
import type { ListAddress } from './use-list-address.ts'

const HandoffView = later(
  async () => (await import('../handoff/handoff-view.tsx')).HandoffView,
  ({ id }) => <Loading what={id} />,
)

/** One handoff beside the list, under an address of its own. */
export function Panel({ address }: { readonly address: ListAddress }) {
  const { open, set } = address
  const panel = useRef<HTMLElement>(null)
  const close = () => {
    set({ open: undefined }, false)
    document.querySelector<HTMLElement>(`#content [data-id="${CSS.escape(open ?? '')}"]`)?.focus()
  }
  useShortcuts({ close }, open !== undefined)
  const isOpen = open !== undefined
  useEffect(() => {
    if (isOpen) panel.current?.focus()
  }, [isOpen])
  useEffect(() => {
    if (open !== undefined) panel.current?.scrollTo(0, 0)
  }, [open])
  if (open === undefined) return null
  return (
    <section className="panel" aria-label={`Details of ${open}`} tabIndex={-1} ref={panel}>
      <div className="row panel-head">
        <Link href={`/handoffs/${encodeURIComponent(open)}`} className="grow">
          Open as a page
        </Link>
        <button type="button" className="quiet" onClick={close}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      <HandoffView key={open} id={open} isPanel />
    </section>
  )
}
