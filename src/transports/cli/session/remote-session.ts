import type { Environment } from '../../../config.ts'
import type { Actor } from '../../../domain/actor.ts'
import { BatonError } from '../../../domain/errors.ts'
import { DEFAULT_POLICY } from '../../../domain/policy.ts'
import { createRemote } from '../../http/remote.ts'
import type { Session } from './session.ts'

/** A session with a server, which knows the caller by the token. */
export function remoteSession(environment: Environment, as: string | undefined): Session {
  const { url, token, agent } = environment
  if (url === undefined || token === undefined)
    throw new BatonError(
      'unauthenticated',
      'BATON_URL names a server, and BATON_TOKEN is not set; make a token there with: baton token create --agent NAME --scope handoff:write',
    )
  const remote = createRemote({ url, token })
  const named = (as ?? agent)?.replace(/^@/, '').toLowerCase()
  let known: Promise<Actor> | undefined
  const actor = (): Promise<Actor> => {
    const asked = known ?? remote.whoami()
    known = asked
    return asked
  }
  return {
    policy: DEFAULT_POLICY,
    actor,
    async call(name, input, { key } = {}) {
      if (named !== undefined) demandSame(named, (await actor()).name)
      return remote.call(name, input as Record<string, unknown>, key === undefined ? {} : { key })
    },
    events: (options) => remote.events(options),
    close: async () => undefined,
  }
}

/** A token and `--as` must agree: who types a name must not act under another. */
function demandSame(named: string, holder: string): void {
  if (named !== holder)
    throw new BatonError(
      'not_allowed',
      `the token is that of ${holder}, and --as or BATON_AGENT says ${named}; leave the name out or take the token of ${named}`,
      {
        token: holder,
        as: named,
      },
    )
}
