import type { ReactNode } from 'react'

/** Room that may be wider than the page; whoever has no pointer reaches its hidden part by keys. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
