import type { ThreadItem } from '../../../../src/domain/handoffs/package.ts'
import { Prose } from '../../ui/prose.tsx'
import { Time } from '../../ui/time.tsx'

/** Each question, answer and decision in order, with the name of its author. */
export function Thread({ items }: { readonly items: readonly ThreadItem[] }) {
  if (items.length === 0) return null
  return (
    <ol className="thread" aria-label="What was said">
      {items.map(({ kind, by, at, text, choice }) => (
        <li key={`${at} ${by} ${kind} ${text}`}>
          <small>
            {by} · {kind}
            {choice === undefined ? '' : `: ${choice}`} · <Time at={at} />
          </small>
          <Prose text={text} below={2} />
        </li>
      ))}
    </ol>
  )
}
