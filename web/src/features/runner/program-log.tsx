import { useLayoutEffect, useRef } from 'react'
import './runner.css'

/** Nearer to the end than this, the reader wants to see what comes. */
const NEAR_PX = 40

/** Output that grows. It stays at its end, unless the reader has scrolled up. */
export function ProgramLog({ text, label }: { readonly text: string; readonly label: string }) {
  const log = useRef<HTMLPreElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    if (log.current && isAtEnd.current) log.current.scrollTop = log.current.scrollHeight
  }, [text])
  return (
    <pre
      ref={log}
      className="program-log"
      role="log"
      aria-label={label}
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX
      }}
    >
      {text === '' ? 'Nothing was printed yet.' : text}
    </pre>
  )
}
