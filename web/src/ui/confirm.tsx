import { useEffect, useRef, useState } from 'react'
import { isComposing } from './keys.ts'

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
  readonly error: Error | null
  readonly send: (words: string) => void
  readonly close: () => void
}) {
  const { label, asks, about, isDanger, isWordless, isPending, error, send, close } = props
  const [words, setWords] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const before = document.activeElement
    form.current?.querySelector<HTMLElement>('input, button')?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <form
      ref={form}
      className="card row whole"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isPending) send(words.trim())
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isComposing(event.nativeEvent)) close()
      }}
    >
      {about !== undefined && <p className="whole">{about}</p>}
      {!isWordless && (
        <label className="grow">
          <span className="soft">{asks ?? 'A note, if you like'} </span>
          <input value={words} onChange={({ target }) => setWords(target.value)} />
        </label>
      )}
      <button
        type="submit"
        className={isDanger ? 'danger' : 'main'}
        disabled={isPending || (asks !== undefined && words.trim() === '')}
      >
        {label}
      </button>
      <button type="button" className="quiet" onClick={close}>
        Not now
      </button>
      {error && (
        <p role="alert" className="failed whole">
          {error.message}
        </p>
      )}
    </form>
  )
}
