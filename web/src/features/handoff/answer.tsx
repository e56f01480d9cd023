import { useState } from 'react'
import { useOperation } from '../../api/queries.ts'
import type { Me } from '../../api/session.ts'
import { isComposing } from '../../ui/keys.ts'
import { type Keeping, useBegun } from '../../ui/use-kept.ts'
import { Meanwhile, settledBy } from './meanwhile.tsx'
import { Thread } from './thread.tsx'
import { useAct } from './use-act.ts'

/** What was asked, and room for the answer; the handoff goes on where it stopped. */
export function Answer(props: {
  readonly handoff: { readonly uid: string; readonly id: string }
  readonly me: Me
  /** It is asked no more, but somebody is at it. */
  readonly isKept: boolean
  readonly keeping: Keeping
}) {
  const { me, isKept, keeping } = props
  const { uid, id } = props.handoff
  const [text, setText] = useState('')
  const full = useOperation('handoff_get', { id })
  const settled = isKept ? settledBy(full.data, me) : undefined
  const done = () => {
    setText('')
    keeping.done(uid)
  }
  const act = useAct('handoff_answer', done)
  const isReady = text.trim() !== '' && !act.isPending && settled === undefined
  const send = () => {
    if (isReady) act.mutate({ id, text: text.trim() })
  }
  useBegun(keeping, uid, text !== '')
  return (
    <div className="stack">
      <Thread items={full.data?.thread ?? []} />
      {settled !== undefined && <Meanwhile what={settled} putAway={done} />}
      <label className="block">
        <span className="soft">Your answer</span>
        <textarea
          rows={2}
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
