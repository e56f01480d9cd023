import { type ReactNode, useEffect, useRef } from 'react'
import { useShortcuts } from '../input/shortcuts.ts'

/**
 * Details beside the list, under an address of their own. Escape closes it, but not from within a field: somebody may
 * be writing. The focus goes back to where it was.
 */
export function Panel(props: {
  readonly label: string
  readonly title?: ReactNode
  /** In the place of a title. */
  readonly head?: ReactNode
  readonly isWide?: boolean
  readonly close: () => void
  /** Where the focus goes when it is closed; where it came from unless said. */
  readonly back?: () => HTMLElement | null
  readonly children: ReactNode
}) {
  const { label, title, head, isWide, close, back, children } = props
  const panel = useRef<HTMLElement>(null)
  const latest = useRef(back)
  useEffect(() => {
    latest.current = back
  })
  useShortcuts({ close })
  useEffect(() => {
    const before = document.activeElement
    panel.current?.focus()
    return () => {
      const to = latest.current?.() ?? before
      if (to instanceof HTMLElement && to.isConnected) to.focus()
    }
  }, [])
  useEffect(() => {
    // Newer browsers answer a promise, which is nothing to clean up.
    panel.current?.scrollTo(0, 0)
  }, [label])
  return (
    <section ref={panel} tabIndex={-1} className={`panel ${isWide ? 'wide' : ''}`} aria-label={label}>
      <div className="row panel-head">
        {head ?? (
          <h2 className="grow wrap" dir="auto">
            {title}
          </h2>
        )}
        <button type="button" className="quiet" onClick={close} title="Esc" aria-label={`Close: ${label}`}>
          Close
        </button>
      </div>
      {children}
    </section>
  )
}
