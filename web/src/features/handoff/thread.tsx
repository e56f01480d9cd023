import { useRef } from 'react'
import type { ThreadItem } from '../../../../src/domain/handoffs/package.ts'
import { useMay } from '../../api/session.ts'
import { useDraft } from '../../ui/input/drafts.ts'
import { useShortcuts } from '../../ui/input/shortcuts.ts'
import { Prose } from '../../ui/prose.tsx'
import { Time } from '../../ui/time.tsx'
import { useAct } from './use-act.ts'

/** Each question, answer and decision in order, with the name of its author. */
export function Thread({ items }: { readonly items: readonly ThreadItem[] }) {
  if (items.length === 0) return null
  return (
    <ol className="thread" aria-label="What was said">
      {items.map(({ kind, by, at, text, choice }, i) => (
        <li key={i}>
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

/** Says something without moving the work; sender and receiver are told. */
export function Comment({ id }: { readonly id: string }) {
  const [text, setText] = useDraft(`comment ${id}`)
  const field = useRef<HTMLTextAreaElement>(null)
  useShortcuts({ comment: () => field.current?.focus() })
  const act = useAct('handoff_comment', () => setText(''))
  const maySpeak = useMay('handoff:write')
  const isReady = text.trim() !== '' && !act.isPending
  if (!maySpeak) return null
  return (
    <form
      className="row"
      aria-label="Comment"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) act.mutate({ id, text: text.trim() })
      }}
    >
      <label className="whole block">
        <span className="soft">Comment</span>
        <textarea
          ref={field}
          rows={2}
          dir="auto"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <button type="submit" disabled={!isReady}>
        Comment
      </button>
      {act.error && (
        <p role="alert" className="failed whole">
          {act.error.message}
        </p>
      )}
    </form>
  )
}
