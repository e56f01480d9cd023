import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { inWords } from '../../../../src/domain/texts/visible.ts'
import { useOperation } from '../../api/queries.ts'
import type { Me } from '../../api/session.ts'
import { isComposing } from '../../ui/input/keys.ts'
import { PAUSE_MS } from '../../ui/input/pause.ts'
import { PAGES } from '../../ui/pages.ts'
import { chooseTheme, THEMES } from '../../ui/theme.ts'
import { Time } from '../../ui/time.tsx'
import { readQuery } from '../find/query.ts'
import { Match, pathOf } from '../list/list-table.tsx'
import { addressOf } from '../list/use-list-address.ts'
import { leave } from './log-out.ts'

interface Choice {
  readonly key: string
  readonly label: string
  readonly shown?: ReactNode
  readonly run: () => unknown
}

/** Finds handoffs, tasks, runs, agents, pages and commands. It takes the filters of the list. */
export function Palette({ me, close }: { readonly me: Me; readonly close: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [, go] = useLocation()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const asked = usePaused(text.trim())
  const { input, states, problem } = readQuery(asked, me.actor.name)
  const isAnswerable = asked.length > 1 && problem === undefined
  const found = useOperation(
    'handoff_list',
    { ...input, ...(states && { state: [...states] }), limit: 8 },
    { enabled: isAnswerable },
  )
  const isAsking = text.trim() !== asked || (isAnswerable && (found.isPending || found.isPlaceholderData))
  const [isEager, setEager] = useState(false)
  const wanted = text.trim().toLowerCase()
  const isMeant = ({ key, label }: Choice) =>
    label.toLowerCase().includes(wanted) || (key === '/audit' && 'log'.startsWith(wanted))
  const commands: readonly Choice[] = [
    ...PAGES.map(({ name, path }) => ({ key: path, label: name, run: () => go(path) })),
    { key: 'list', label: 'List', run: () => go('/list') },
    { key: 'new', label: 'New handoff', run: () => go('/new') },
    ...THEMES.map((theme) => ({
      key: theme,
      label: `Theme: ${theme}`,
      run: () => chooseTheme(theme),
    })),
  ]
  const out: Choice = { key: 'out', label: 'Log out', run: leave }
  const { items = [], found: hits } = (isAnswerable && !isAsking && found.data) || {}
  const results: readonly Choice[] = hits
    ? hits.map((hit) => ({
        key: hit.uid,
        label: `${hit.id}  ${hit.title}`,
        shown: (
          <>
            <span className="row">
              {hit.kind !== 'handoff' && <span className="badge">{hit.kind}</span>}
              <span className="grow">
                {hit.id === hit.title ? '' : `${hit.id}  `}
                <bdi>{hit.title}</bdi>
              </span>
              <small>
                {hit.state === undefined ? '' : `${inWords(hit.state)} · `}
                <Time at={hit.at} />
              </small>
            </span>
            <Match found={hit} />
          </>
        ),
        run: () => go(pathOf(hit)),
      }))
    : items.map(({ uid, id, title }) => ({
        key: uid,
        label: `${id}  ${title}`,
        run: () => go(`/handoffs/${encodeURIComponent(id)}`),
      }))
  const all: readonly Choice[] =
    results.length > 0
      ? [{ key: 'all', label: 'Show all in the list', run: () => go(addressOf('/list', asked)) }]
      : []
  // Whoever searches for the log must not be logged out.
  const choices = [...commands.filter(isMeant), ...results, ...all, ...[out].filter(isMeant)]
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
      if (isAsking && choices.every((each) => each === out) && wanted !== 'log out') setEager(true)
      else take(choices[at])
    }
  }
  const nothing = problem ?? (isAsking ? 'Searching …' : 'No results.')
  return (
    <dialog ref={dialog} className="palette" onClose={close} aria-label="Find and go">
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={choices[at] ? `choice-${at}` : undefined}
        aria-label="Words, filters, a page or a command"
        placeholder="Words, to:codex, state:failed, a page or a command"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setAt(0)
          setEager(false)
        }}
        onKeyDown={onKey}
      />
      <div id="choices" role="listbox" aria-label="Results" tabIndex={-1}>
        {choices.map((choice, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={choice.key}
            id={`choice-${i}`}
            role="option"
            aria-selected={i === at}
            tabIndex={-1}
            onClick={() => take(choice)}
          >
            {choice.shown ?? choice.label}
          </div>
        ))}
        {choices.length === 0 && <p className="none">{nothing}</p>}
      </div>
    </dialog>
  )
}

/** The text as it was at the last pause in typing. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}
