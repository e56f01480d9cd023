import { Link } from 'wouter'

/** What an address names is not there: says so, and where one can go from here. */
export function Missing({ what, level = 1 }: { readonly what: string; readonly level?: 1 | 2 }) {
  const Heading = `h${level}` as const
  return (
    <div className="state" role="alert">
      <Heading className="wrap">There is no {what}</Heading>
      <p>The address may be misspelled, or belong to another workspace.</p>
      <p>
        Go to the <Link href="/">Board</Link>, or look for it with <b>Find</b> at the top.
      </p>
    </div>
  )
}
