/** Goes through a list page by page; the browser's own back leads to the page before. */
export function Pager(props: {
  readonly label: string
  readonly next: string | undefined
  readonly after: string | undefined
  readonly go: (after: string | undefined) => void
}) {
  const { label, next, after, go } = props
  if (next === undefined && after === undefined) return null
  return (
    <nav className="row" aria-label={label}>
      <button type="button" disabled={after === undefined} onClick={() => go(undefined)}>
        First page
      </button>
      <button type="button" disabled={next === undefined} onClick={() => go(next)}>
        Next page
      </button>
    </nav>
  )
}
