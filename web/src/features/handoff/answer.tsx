import { useState } from 'react'
import { useOperation } from '../../api/queries.ts'
import { Thread } from './thread.tsx'
import { useAct } from './use-act.ts'

/** What was asked, and room for the answer; the handoff goes on where it stopped. */
export function Answer({ id }: { readonly id: string }) {
  const [text, setText] = useState('')
  const full = useOperation('handoff_get', { id })
  const act = useAct('handoff_answer', () => setText(''))
  const send = () => {
    if (text.trim() !== '' && !act.isPending) act.mutate({ id, text: text.trim() })
  }
  return (
    <div className="stack">
      <Thread items={full.data?.thread ?? []} />
      <label className="block">
        <span className="soft">Your answer</span>
        <textarea
          rows={2}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            send()
          }}
        />
      </label>
      <button type="button" className="main" disabled={text.trim() === '' || act.isPending} onClick={send}>
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
