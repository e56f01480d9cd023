import { lazy, Suspense } from 'react'

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }))

/** Text that an agent wrote, with markdown and without anything that could act. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="wrap">{text}</p>}>
      <Markdown text={text} />
    </Suspense>
  )
}
