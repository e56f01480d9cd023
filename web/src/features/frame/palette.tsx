import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useOperation } from '../../api/queries.ts'
import { logOut } from '../../api/session.ts'
import { isComposing } from '../../ui/keys.ts'
import { PAGES } from '../../ui/pages.ts'
import { chooseTheme, THEMES } from '../../ui/theme.ts'

interface Choice {
  readonly label: string
  readonly run: () => unknown
}

/** Finds pages, handoffs and commands by a few letters. */
export function Palette({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [, go] = useLocation()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const found = useOperation('handoff_list', { text, limit: 8 }, { enabled: text.length > 1 })
  const isAsking = text.length > 1 && (found.isPending || found.isPlaceholderData)
  const [isEager, setEager] = useState(false)
  const isMeant = ({ label }: Choice) => label.toLowerCase().includes(text.trim().toLowerCase())
  const commands: readonly Choice[] = [
    ...PAGES.map(({ name, path }) => ({ label: name, run: () => go(path) })),
    { label: 'New handoff', run: () => go('/new') },
    ...THEMES.map((theme) => ({ label: `Theme: ${theme}`, run: () => chooseTheme(theme) })),
    { label: 'Log out', run: logOut },
  ]
  const handoffs = (text.length > 1 && !isAsking ? (found.data?.items ?? []) : []).map(({ id, title }) => ({
    label: `${id}  ${title}`,
    run: () => go(`/handoffs/${encodeURIComponent(id)}`),
  }))
  const choices = [...commands.filter(isMeant), ...handoffs]
  const take = (choice: Choice | undefined) => {
    close()
    choice?.run()
  }
  // Enter before the answer is there means what the answer will show.
  useEffect(() => {
    if (isEager && !isAsking) take(choices[at])
  })
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt((at + step + choices.length) % Math.max(1, choices.length))
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      if (isAsking && choices.length === 0) setEager(true)
      else take(choices[at])
    }
  }
  return (
    <dialog ref={dialog} className="palette" onClose={close} aria-label="Find and go">
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={choices[at] ? `choice-${at}` : undefined}
        aria-label="Page, handoff or command"
        placeholder="Page, handoff or command"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setAt(0)
          setEager(false)
        }}
        onKeyDown={onKey}
      />
      <div id="choices" role="listbox" aria-label="What was found" tabIndex={-1}>
        {choices.map((choice, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={choice.label}
            id={`choice-${i}`}
            role="option"
            aria-selected={i === at}
            tabIndex={-1}
            onClick={() => take(choice)}
          >
            {choice.label}
          </div>
        ))}
        {choices.length === 0 && <p className="none">{isAsking ? 'Searching …' : 'No results.'}</p>}
      </div>
    </dialog>
  )
}
