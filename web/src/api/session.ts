import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { ask } from './call.ts'
import { queries } from './queries.ts'

export interface Me {
  readonly actor: { readonly name: string; readonly kind: string }
  readonly scopes: readonly string[]
}

/** Who this browser is for the server. A code in the address is used first, and taken out of it. */
export function useMe(): UseQueryResult<Me> {
  return useQuery({
    queryKey: ['whoami'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const code = codeInAddress()
      if (code !== undefined) await beginSession(code)
      return ask<Me>('/v1/whoami')
    },
  })
}

export async function logIn(code: string): Promise<void> {
  await beginSession(code)
  await queries.invalidateQueries({ queryKey: ['whoami'] })
}

export async function logOut(): Promise<void> {
  await ask('/v1/session/end', { method: 'POST' })
  queries.clear()
}

const beginSession = (code: string): Promise<unknown> =>
  ask('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })

/** The part behind `#` is sent to nobody; once used it must not stay in the history either. */
function codeInAddress(): string | undefined {
  const code = /^#login=([\w-]{1,200})$/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return code
}
