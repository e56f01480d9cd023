import { useState } from 'react'
import { useOperation } from '../../api/queries.ts'
import { Thread } from './thread.tsx'
import { useAct } from './use-act.ts'

/** What was asked, and room for the answer; the handoff goes on where it stopped. */
export function Answer({ id }: { readonly id: string }) {
  const [text, setText] = useState('')
  const full = useOperation('handoff_get', { id })
  const act = useAct('handoff_answer', () => setText(''))
  return (
    <div className="stack">
      <Thread items={full.data?.thread ?? []} />
      <label>
        <span className="soft">Your answer</span>
        <textarea rows={2} value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <button
        type="button"
        className="main"
        disabled={text.trim() === '' || act.isPending}
        onClick={() => act.mutate({ id, text: text.trim() })}
      >
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
