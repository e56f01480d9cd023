import { useLocation, useSearchParams } from 'wouter'

/** The old names of filters in an address, which links of others still hold. */
const OLD = ['from', 'to', 'text'] as const

/** What the address of the board or the list says, and how it changes. */
export function useListAddress() {
  const [path] = useLocation()
  const [query, setQuery] = useSearchParams()
  const old = OLD.flatMap((name) => {
    const value = query.get(name)
    return value ? [name === 'text' ? value : `${name}:${value}`] : []
  })
  const text = [query.get('q') ?? '', ...old].filter(Boolean).join(' ')
  const set = (change: Readonly<Record<string, string | undefined>>, replace = true) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(change))
          if (value) next.set(name, value)
          else next.delete(name)
        return next
      },
      { replace },
    )
  const rest = new URLSearchParams(query)
  rest.delete('open')
  return {
    path,
    text,
    ask: (next: string) => set({ q: next, from: undefined, to: undefined, text: undefined, more: undefined }),
    open: query.get('open') ?? undefined,
    sort: query.get('sort') ?? undefined,
    more: new Set((query.get('more') ?? '').split(',').filter(Boolean)),
    set,
    /** An id after this opens it beside the list. */
    beside: `${path}?${rest.size > 0 ? `${rest}&` : ''}open=`,
  }
}

export type ListAddress = ReturnType<typeof useListAddress>

/** The address of a question in a view. */
export const addressOf = (path: string, query: string): string =>
  query === '' ? path : `${path}?${new URLSearchParams({ q: query })}`
