import { useEffect, useState } from 'react'

/** Somebody who types asks one question for each pause of this length. */
export const PAUSE_MS = 150

/** A field whose text is told after a pause; until then the field shows what was typed. */
export function usePause(value: string, tell: (text: string) => void) {
  const [draft, setDraft] = useState<string>()
  useEffect(() => {
    if (draft === undefined) return
    const timer = setTimeout(() => {
      tell(draft)
      setDraft(undefined)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [draft])
  return { value: draft ?? value, onChange: setDraft }
}
