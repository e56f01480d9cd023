import { lazy, Suspense } from 'react'

const Markdown = lazy(async () => ({ default: (await import('./text/markdown.tsx')).Markdown }))

/** Text that an agent wrote, with markdown and without anything that could act. `below` is the level of the heading above it. */
export function Prose({ text, below }: { readonly text: string; readonly below: number }) {
  return (
    <Suspense fallback={<p className="wrap">{text}</p>}>
      <Markdown text={text} below={below} />
    </Suspense>
  )
}
