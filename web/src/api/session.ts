import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ask, Refusal } from './call.ts'
import { queries } from './queries.ts'

export interface Me {
  readonly actor: { readonly name: string; readonly kind: string }
  readonly scopes: readonly string[]
  /** The address of the repository on the web. */
  readonly repository?: string
}

/** Code of a refusal that is about the link, not about the session. */
export const LINK_REFUSED = 'link_refused'

/** Who this browser is for the server. A code in the address is used first, and taken out of it. */
export function useMe(): UseQueryResult<Me> {
  useLinks()
  return useQuery({
    queryKey: ['whoami'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const code = codeInAddress()
      const refusal = code === undefined ? undefined : await beginSession(code).then(nothing, toRefusal)
      // Whoever opens a used link again in a browser that is logged in stays so.
      const me = await ask<Me>('/v1/whoami').catch((error: unknown) => {
        throw refusal ?? error
      })
      if (me.actor.name !== person) forgetAnswers()
      person = me.actor.name
      return me
    },
  })
}

/** Answers are for the person who asked. */
let person: string | undefined
const forgetAnswers = (): void =>
  queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'whoami' })

/** A link that is opened in a tab where the dashboard is changes only what stands behind the `#`. */
function useLinks(): void {
  useEffect(() => {
    const onHash = () => {
      if (location.hash.startsWith('#login=')) void queries.resetQueries({ queryKey: ['whoami'] })
    }
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
}

const nothing = (): undefined => undefined
const toRefusal = (error: unknown): unknown =>
  error instanceof Refusal && error.status === 401
    ? new Refusal(error.status, LINK_REFUSED, error.message)
    : error

export async function logIn(code: string): Promise<void> {
  await beginSession(code)
  await queries.invalidateQueries({ queryKey: ['whoami'] })
}

/** The session may have begun again in another tab. */
export const checkSession = (): Promise<void> => queries.invalidateQueries({ queryKey: ['whoami'] })

export async function logOut(): Promise<void> {
  await ask('/v1/session/end', { method: 'POST' })
  forgetAnswers()
  await queries.resetQueries({ queryKey: ['whoami'] })
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

/** Whether the server lets this person do what needs the scope. */
export function useMay(scope: string): boolean {
  const { data } = useQuery<Me>({ queryKey: ['whoami'], enabled: false })
  return data?.scopes.some((each) => each === '*' || each === scope) ?? false
}
