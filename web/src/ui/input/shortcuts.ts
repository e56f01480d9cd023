import { useEffect, useRef } from 'react'
import { PAGES } from '../pages.ts'
import { isTyping } from './keys.ts'

interface Shortcut {
  /** `g b` is two keys, one after the other; `mod` is Ctrl, or Command on a Mac. */
  readonly keys: readonly string[]
  readonly does: string
  readonly where: string
}

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const

/** Every shortcut of the dashboard. Pages name one and say what it runs; the page of keys shows this table. */
export const SHORTCUTS = {
  find: { keys: ['mod+k', '/'], does: 'Find anything', where: 'Everywhere' },
  new: { keys: ['c'], does: 'New handoff', where: 'Everywhere' },
  help: { keys: ['?'], does: 'Show the keys', where: 'Everywhere' },
  go: { keys: PAGES.map(({ key }) => `g ${key}`), does: 'Go to a page', where: 'Everywhere' },
  next: { keys: ['j', 'ArrowDown'], does: 'Next one', where: 'Lists and inbox' },
  previous: { keys: ['k', 'ArrowUp'], does: 'The one before', where: 'Lists and inbox' },
  right: { keys: ['ArrowRight'], does: 'Next column', where: 'Lists and inbox' },
  left: { keys: ['ArrowLeft'], does: 'Column before', where: 'Lists and inbox' },
  close: { keys: ['Escape'], does: 'Close the panel', where: 'Lists and inbox' },
  approve: { keys: ['a'], does: 'Approve, or write the answer', where: 'Decisions' },
  decline: { keys: ['r'], does: 'Reject', where: 'Decisions' },
  question: { keys: ['q'], does: 'Ask', where: 'Decisions' },
  option: { keys: DIGITS, does: 'Choose an option', where: 'Decisions' },
  accept: { keys: ['y'], does: 'Accept', where: 'Handoff' },
  complete: { keys: ['v'], does: 'Accept as done', where: 'Handoff' },
  refuse: { keys: ['x'], does: 'Request changes', where: 'Handoff' },
  again: { keys: ['s'], does: 'Try again, or send again', where: 'Handoff' },
  reassign: { keys: ['t'], does: 'Reassign', where: 'Handoff' },
  edit: { keys: ['e'], does: 'Edit', where: 'Handoff' },
  comment: { keys: ['m'], does: 'Comment', where: 'Handoff' },
} as const satisfies Readonly<Record<string, Shortcut>>

export type ShortcutName = keyof typeof SHORTCUTS
/** Returns false where the key is not meant for it after all. */
type Handler = (key: string) => unknown
type Handlers = Readonly<Partial<Record<ShortcutName, Handler>>>

const NAMES = new Map(
  Object.entries(SHORTCUTS).flatMap(([name, { keys }]) =>
    keys.map((key) => [key, name as ShortcutName] as const),
  ),
)
/** The parts of the page that take keys, the newest last. */
const holders = new Set<() => Handlers>()
let leading = ''

/** This part of the page takes these keys while it is there. The newest part comes first. */
export function useShortcuts(handlers: Handlers, isOn = true): void {
  const latest = useRef(handlers)
  useEffect(() => {
    latest.current = handlers
  })
  useEffect(() => {
    if (!isOn) return
    const holder = () => latest.current
    holders.add(holder)
    return () => {
      holders.delete(holder)
    }
  }, [isOn])
}

/** The one listener. Keys that are typed into a field are text. */
export function followShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    const isMod = (ctrlKey || metaKey) && !altKey
    // A modal dialog has the keys for itself.
    if (event.defaultPrevented || document.querySelector('dialog:modal')) return
    if (!isMod && (altKey || ctrlKey || metaKey || isTyping(target))) return
    const pressed = isMod ? `mod+${key.toLowerCase()}` : leading === '' ? key : `${leading} ${key}`
    leading = !isMod && pressed === 'g' ? 'g' : ''
    const name = NAMES.get(pressed)
    if (name === undefined) return
    for (const holder of [...holders].reverse()) {
      const run = holder()[name]
      if (!run || run(key) === false) continue
      event.preventDefault()
      return
    }
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
const SYMBOLS: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowRight: '→',
  ArrowLeft: '←',
  Escape: 'Esc',
}

/** A key as it is written on the keyboard of this machine. */
export const keyLabel = (key: string): string =>
  SYMBOLS[key] ?? key.replace('mod+k', isMac ? '⌘ K' : 'Ctrl K')
