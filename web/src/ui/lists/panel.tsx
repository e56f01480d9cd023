import { type ReactNode, useEffect, useRef } from 'react'
import { isComposing } from '../input/keys.ts'

/** Details beside the list, under an address of their own. Escape closes it; the focus goes back to where it was. */
export function Panel(props: {
  readonly label: string
  readonly title: ReactNode
  readonly isWide?: boolean
  readonly close: () => void
  readonly children: ReactNode
}) {
  const { label, title, isWide, close, children } = props
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement
    panel.current?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <section
      ref={panel}
      tabIndex={-1}
      className={`side ${isWide ? 'wide' : ''}`}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && !isComposing(event.nativeEvent)) close()
      }}
    >
      <div className="row">
        <h2 className="grow wrap">{title}</h2>
        <button type="button" className="quiet" onClick={close} aria-label={`Close: ${label}`}>
          Close
        </button>
      </div>
      {children}
    </section>
  )
}
