import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'

const PAUSE_MS = 200

/** One field of the address, so that a view can be shared. Setting it to nothing takes it out, with its page. */
export function useAddress(name: string): [string | undefined, (value: string | undefined) => void] {
  const [query, setQuery] = useSearchParams()
  const set = (value: string | undefined) =>
    setQuery((before) => {
      const next = new URLSearchParams(before)
      if (name !== 'after' && name !== 'open') next.delete('after')
      if (value === undefined || value === '') next.delete(name)
      else next.set(name, value)
      return next
    })
  return [query.get(name) ?? undefined, set]
}

/** The same for a field that somebody types into: one question for each pause. */
export function useTyped(name: string): {
  readonly value: string
  readonly onChange: (text: string) => void
} {
  const [value, set] = useAddress(name)
  const [draft, setDraft] = useState<string>()
  useEffect(() => {
    if (draft === undefined) return
    const timer = setTimeout(() => {
      set(draft)
      setDraft(undefined)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [draft])
  return { value: draft ?? value ?? '', onChange: setDraft }
}
