import { useEffect, useRef, useState } from 'react'
import type { Handoff } from '../../../../src/domain/handoff.ts'
import { isTyping } from '../../ui/keys.ts'
import { useAct } from '../handoff/use-act.ts'

interface Offer {
  readonly choice: string
  readonly label: string
  readonly key: string
  readonly look: string
  readonly about?: string | undefined
}

const GATE: readonly Offer[] = [
  { choice: 'approve', label: 'Approve', key: 'a', look: 'main' },
  { choice: 'reject', label: 'Reject', key: 'r', look: 'danger' },
  { choice: 'question', label: 'Ask', key: 'q', look: '' },
]

type Options = Readonly<Record<string, string>> | undefined

function offersOf(handoff: Handoff, options: Options): readonly Offer[] {
  if (handoff.type === 'gate') return GATE.map((each) => ({ ...each, about: options?.[each.choice] }))
  return Object.entries(options ?? {}).map(([choice, about], i) => ({
    choice,
    label: choice,
    key: String(i + 1),
    look: '',
    about,
  }))
}

/**
 * A person's answer to a gate or an escalation. One key chooses and puts the cursor into the comment; Enter there, or
 * the button, sends it. Rejecting and asking need words: somebody must be able to act on them.
 */
export function Decision(props: {
  readonly handoff: Handoff
  readonly options?: Options
  /** Keys work for this one, among several on a page. */
  readonly isActive: boolean
}) {
  const { handoff, isActive } = props
  const [choice, choose] = useState<string>()
  const [comment, setComment] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const act = useAct('gate_decide')
  const offers = offersOf(handoff, props.options)
  useChoosing(isActive, offers, choose)
  useEffect(() => {
    if (choice !== undefined) field.current?.focus()
  }, [choice])
  const needsWords = choice === 'reject' || choice === 'question'
  const isReady = choice !== undefined && (!needsWords || comment.trim() !== '') && !act.isPending
  const send = () => {
    if (choice === undefined || !isReady) return
    act.mutate({ id: handoff.id, choice, ...(comment.trim() !== '' && { comment: comment.trim() }) })
  }
  return (
    <fieldset className="decision">
      <legend className="soft">Your decision on {handoff.id}</legend>
      <div className="row">
        {offers.map(({ choice: each, label, key, look, about }) => (
          <button
            key={each}
            type="button"
            className={look}
            aria-pressed={choice === each}
            title={about}
            onClick={() => choose(each)}
          >
            {label} {isActive && <kbd>{key}</kbd>}
          </button>
        ))}
      </div>
      {choice !== undefined && (
        <div className="stack">
          <label>
            <span className="soft">{needsWords ? 'Say what is to be done' : 'A comment, if you like'}</span>
            <textarea
              ref={field}
              rows={2}
              value={comment}
              onChange={({ target }) => setComment(target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') choose(undefined)
                if (event.key !== 'Enter' || event.shiftKey) return
                event.preventDefault()
                send()
              }}
            />
          </label>
          <button type="button" className="main" disabled={!isReady} onClick={send}>
            Send “{choice}”
          </button>
        </div>
      )}
      {act.error && (
        <p role="alert" className="failed">
          {act.error.message}
        </p>
      )}
    </fieldset>
  )
}

/** One key chooses, unless it is typed into a field. */
function useChoosing(isActive: boolean, offers: readonly Offer[], choose: (choice: string) => void): void {
  useEffect(() => {
    if (!isActive) return
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      const found = offers.find(({ key }) => key === event.key)
      if (!found) return
      event.preventDefault()
      choose(found.choice)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}
