import { type ReactNode, useState } from 'react'

/** One line until somebody opens it. Its content is made, and the server is asked for it, only then. */
export function Folded({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const [isOpen, open] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div className="stack">{children}</div>}
    </details>
  )
}

/** More lines or points than these make a page that nobody scrolls through. */
const FEW = 30

/** The beginning of something long, and the button that shows the rest. */
export function useBeginning<T>(all: readonly T[], folds: boolean, what: string) {
  const [isAll, showAll] = useState(!folds)
  const isCut = !isAll && all.length > FEW
  const more = isCut && (
    <button type="button" onClick={() => showAll(true)}>
      Show all {all.length.toLocaleString('en')} {what}
    </button>
  )
  return { shown: isCut ? all.slice(0, FEW) : all, more }
}
