import type { Actor } from '../../../domain/actor.ts'
import { BatonError, notAllowed } from '../../../domain/errors.ts'
import { once } from '../../../domain/once.ts'
import { DEFAULT_POLICY } from '../../../domain/policy.ts'
import { present } from '../../../domain/present.ts'
import { loadOperation } from '../../../operations/index.ts'
import { createRemote } from '../../http/client/remote.ts'
import { lacksScope } from '../../http/server/auth.ts'
import type { Io } from '../io.ts'
import { instanceOf, type Session } from './session.ts'

/** A session with a server, which knows the caller by the token. */
export async function remoteSession(io: Io, as: string | undefined): Promise<Session> {
  const { url, token, agent } = io.env
  if (url === undefined || token === undefined)
    throw new BatonError(
      'unauthenticated',
      'BATON_URL names a server, and BATON_TOKEN is not set; make a token there with: baton token create --agent NAME --scope handoff:write',
    )
  const known = once(() => createRemote({ url, token }).whoami())
  const instance = await instanceOf(io, url, known)
  const remote = createRemote({ url, token, instance })
  const named = (as ?? agent)?.replace(/^@/, '').toLowerCase()
  const actor = async () => {
    const holder = await known()
    if (named !== undefined) demandSame(named, holder.name)
    return { ...holder, ...present({ instance }) }
  }
  return {
    policy: DEFAULT_POLICY,
    place: url,
    actor,
    async call(name, input, { key } = {}) {
      if (named !== undefined) await actor()
      try {
        const given = input as Record<string, unknown>
        return (await remote.call(name, given, present({ key }))) as never
      } catch (error) {
        if (!isHidden(error) || error.details.operation !== name) throw error
        throw withScope(error, await actor(), (await loadOperation(name)).scope)
      }
    },
    async *events({ onReady, ...options }) {
      const ready = once(() => onReady?.())
      try {
        yield* remote.events({ ...options, onState: (open) => open && ready() })
      } catch (error) {
        throw isHidden(error) ? withScope(error, await actor(), EVENTS_SCOPE) : error
      }
    },
    close: async () => undefined,
  }
}

/** The scope of the event stream, which is not an operation. */
const EVENTS_SCOPE = 'report:read'

const isHidden = (error: unknown): error is BatonError =>
  error instanceof BatonError && error.code === 'not_found'

/** A server says nothing of what a token may not read. Which scope a command needs is written down here too. */
const withScope = (error: BatonError, { name }: Actor, scope: string): BatonError =>
  new BatonError(
    error.code,
    `${error.message}: ${lacksScope(name, scope)}`,
    { ...error.details, scope },
    error,
  )

/** A token and `--as` must agree: who types a name must not act under another. */
function demandSame(named: string, holder: string): void {
  if (named !== holder)
    throw notAllowed(
      `the token belongs to ${holder}, and --as or BATON_AGENT says ${named}; leave out the name`,
      { token: holder, as: named },
    )
}
