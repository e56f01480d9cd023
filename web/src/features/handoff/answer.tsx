import { useRef } from 'react'
import { useOperation } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { useDraft } from '../../ui/input/drafts.ts'
import { isComposing } from '../../ui/input/keys.ts'
import { useShortcuts } from '../../ui/input/shortcuts.ts'
import { type Keeping, useBegun } from '../../ui/input/use-kept.ts'
import { say } from '../../ui/toast.tsx'
import { Meanwhile, settledBy } from './meanwhile.tsx'
import { Thread } from './thread.tsx'
import { useAct } from './use-act.ts'

/** What was asked, and room for the answer; the handoff goes on where it stopped. */
export function Answer(props: {
  readonly handoff: { readonly uid: string; readonly id: string }
  /** It is asked no more, but somebody is at it. */
  readonly isKept: boolean
  readonly keeping: Keeping
  /** Keys work for this one. */
  readonly isActive?: boolean
}) {
  const { isKept, keeping, isActive = false } = props
  const { uid, id } = props.handoff
  const [text, setText] = useDraft(`answer ${id}`)
  const field = useRef<HTMLTextAreaElement>(null)
  const mayAnswer = useMay('handoff:write')
  useShortcuts({ approve: () => field.current?.focus() }, isActive && mayAnswer)
  const full = useOperation('handoff_get', { id })
  const settled = isKept ? settledBy(full.data) : undefined
  const done = () => {
    setText('')
    keeping.done(uid)
  }
  const act = useAct('handoff_answer', () => {
    say(`Answered ${id}`, `/handoffs/${encodeURIComponent(id)}`)
    done()
  })
  // Nobody answers a question that is not on the screen yet.
  const isReady = text.trim() !== '' && full.data !== undefined && !act.isPending && settled === undefined
  const send = () => {
    if (isReady) act.mutate({ id, text: text.trim() })
  }
  useBegun(keeping, uid, text !== '')
  if (!mayAnswer) return <Thread items={full.data?.thread ?? []} />
  return (
    <div className="stack">
      <Thread items={full.data?.thread ?? []} />
      {settled !== undefined && <Meanwhile what={settled} putAway={done} />}
      <label className="block">
        <span className="soft">Your answer</span>
        <textarea
          ref={field}
          rows={2}
          dir="auto"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return
            event.preventDefault()
            send()
          }}
        />
      </label>
      <button type="button" className="main" disabled={!isReady} onClick={send}>
        Answer
      </button>
      {act.error && (
        <p role="alert" className="failed">
          {act.error.message}
        </p>
      )}
    </div>
  )
}
