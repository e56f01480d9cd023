import { type ReactNode, useEffect, useRef } from 'react'
import { keepDraft, useDraft } from './input/drafts.ts'
import { isComposing } from './input/keys.ts'

/**
 * Asks once more before something is done, with room for words. Enter sends, Escape takes it back; if it is refused,
 * what was written stays.
 */
export function Confirm(props: {
  readonly label: string
  /** Words that are needed; without it they may be left out. */
  readonly asks?: string | undefined
  /** What will happen, where the label alone does not say it. */
  readonly about?: string | undefined
  readonly isDanger?: boolean
  /** It takes no words. */
  readonly isWordless?: boolean
  readonly isPending: boolean
  /** Whether more that it needs is chosen. */
  readonly isReady?: boolean
  readonly error: Error | null
  /** Name under which the words outlive the page. */
  readonly keeps?: string | undefined
  readonly send: (words: string) => void
  readonly close: () => void
  /** Fields of its own, before the words. */
  readonly children?: ReactNode
}) {
  const { label, asks, about, isDanger, isWordless, isPending, isReady = true, error, send, close } = props
  const place = `confirm ${label} ${props.keeps ?? ''}`
  const [words, setWords] = useDraft(place)
  const isSent = useRef(false)
  useEffect(() => {
    if (error) isSent.current = false
  }, [error])
  useEffect(
    () => () => {
      if (isSent.current) keepDraft(place, '')
    },
    [place],
  )
  const isComplete = isReady && !isPending && (asks === undefined || words.trim() !== '')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const before = document.activeElement
    form.current?.querySelector<HTMLElement>('select, textarea, button')?.focus()
    return () => {
      // Nobody loses the field that was gone to meanwhile.
      const isFree = document.activeElement === document.body
      if (isFree && before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <form
      ref={form}
      className="card row whole"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isComplete) return
        isSent.current = true
        send(words.trim())
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
        // A panel around it stays open.
        event.preventDefault()
        close()
      }}
    >
      {about !== undefined && <p className="whole">{about}</p>}
      {props.children}
      {!isWordless && (
        <label className="whole block">
          <span className="soft">{asks ?? 'Note (optional)'} </span>
          <textarea
            rows={2}
            dir="auto"
            value={words}
            onChange={({ target }) => setWords(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return
              event.preventDefault()
              form.current?.requestSubmit()
            }}
          />
        </label>
      )}
      <button type="submit" className={isDanger ? 'danger' : 'main'} disabled={!isComplete}>
        {label}
      </button>
      <button type="button" className="quiet" onClick={close}>
        Back
      </button>
      {error && (
        <p role="alert" className="failed whole">
          {error.message}
        </p>
      )}
    </form>
  )
}
