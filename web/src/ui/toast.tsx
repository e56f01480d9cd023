import { useSyncExternalStore } from 'react'
import { Link } from 'wouter'

interface Toast {
  readonly text: string
  readonly href: string
}

/** Long enough to read it and to go to it. */
const SHOWN_MS = 8_000
const listeners = new Set<() => void>()
let toast: Toast | undefined
let timer: ReturnType<typeof setTimeout> | undefined

function show(next: Toast | undefined): void {
  toast = next
  for (const listener of listeners) listener()
}

/** Says for a few seconds what was done, with a link to it. */
export function say(text: string, href: string): void {
  clearTimeout(timer)
  show({ text, href })
  timer = setTimeout(() => show(undefined), SHOWN_MS)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function ToastRoom() {
  const shown = useSyncExternalStore(subscribe, () => toast)
  return (
    <div className="toast-room" role="status">
      {shown && (
        <p className="toast wrap" dir="auto">
          {shown.text} · <Link href={shown.href}>View</Link>{' '}
          <button type="button" className="quiet" aria-label="Dismiss" onClick={() => show(undefined)}>
            ×
          </button>
        </p>
      )}
    </div>
  )
}
