import { Link } from 'wouter'

/** Says how many of a list are shown, and leads to all of it. Nothing where all of it is shown. */
export function Cut(props: {
  readonly shown: number
  /** All that are known of; `isMore` when there are more than these. */
  readonly of: number
  readonly isMore?: boolean
  readonly href: string
}) {
  const { shown, of, isMore = false, href } = props
  if (shown >= of && !isMore) return null
  return (
    <p className="soft">
      {shown} of {of.toLocaleString('en')}
      {isMore ? ' or more' : ''}. <Link href={href}>Show all</Link>
    </p>
  )
}
