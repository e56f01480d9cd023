import { Link, useLocation } from 'wouter'
import { useDocsPage } from '../api/docs.ts'
import { Missing } from '../ui/missing.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { Markdown } from '../ui/text/markdown.tsx'

/** A page of the documentation that came with this server. */
export function Docs() {
  const [path] = useLocation()
  const isFirst = /^\/docs\/?$/.test(path)
  const at = isFirst ? '/docs/README.md' : `${path}.md`
  const { data, error, isPending, refetch } = useDocsPage(at)
  if (isPending) return <Loading what="the page" />
  if (error) return <Failed error={error} again={refetch} />
  if (data === null) return <Missing what="such page of the documentation" />
  return (
    <article className="docs">
      {!isFirst && (
        <p>
          <Link href="/docs">All pages</Link>
        </p>
      )}
      <Markdown text={data} below={0} at={at} />
    </article>
  )
}
