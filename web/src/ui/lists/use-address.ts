import { useSearchParams } from 'wouter'
import { usePause } from '../input/pause.ts'

/** One field of the address, so that a view can be shared. Setting it to nothing takes it out, with its page. */
export function useAddress(
  name: string,
): [string | undefined, (value: string | undefined, replace?: boolean) => void] {
  const [query, setQuery] = useSearchParams()
  const set = (value: string | undefined, replace = false) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        if (name !== 'after' && name !== 'open') next.delete('after')
        if (value === undefined || value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace },
    )
  return [query.get(name) ?? undefined, set]
}

/** The same for a field that somebody types into. */
export function useTyped(name: string) {
  const [value = '', set] = useAddress(name)
  return usePause(value, set)
}
