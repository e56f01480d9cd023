import type { Actor } from '../../../domain/agent.ts'
import { keyProblem } from '../../../domain/call-key.ts'
import { BatonError, invalidInput, notAllowed } from '../../../domain/errors.ts'
import { kindOf } from '../../../domain/policy.ts'
import { present } from '../../../domain/present.ts'
import { readTrace } from '../../../domain/trace.ts'
import type { Operation } from '../../../operations/operation.ts'
import type { Call } from '../../../service/deps.ts'
import type { Service } from '../../../service/service.ts'

export interface Caller {
  readonly actor: Actor
  readonly scopes: readonly string[]
  /** Which token it is; not the secret. */
  readonly token: string
}

const BEARER = /^Bearer +([\w-]{1,200})$/i
const INSTANCE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/

/** Gates and notices have no read operation of their own: they are read with the handoffs. */
const READ_WITH: Readonly<Record<string, string>> = { gate: 'handoff', notice: 'handoff' }

/** The caller, by the token alone. Every bad token gets the same answer, also one of a removed agent. */
export async function callerOf(service: Service, headers: Headers): Promise<Caller> {
  const given = headers.get('authorization')
  const session = given === null ? sessionCookie(headers) : undefined
  if (given === null && session === undefined)
    throw new BatonError(
      'unauthenticated',
      'this needs a token: send Authorization: Bearer …, made with: baton token create --agent NAME',
    )
  const secret = session ?? BEARER.exec(given ?? '')?.[1]
  const token = secret === undefined ? undefined : await (await service.tokens()).authenticate(secret)
  const agent = token && (await service.deps.store.agent(token.agent))
  if (!token || agent?.removed) throw unknownToken()
  const instance = instanceOf(headers)
  return {
    actor: {
      name: token.agent,
      kind: kindOf(service.deps.policy, token.agent, agent),
      auth: 'token',
      ...present({ instance }),
    },
    scopes: token.scopes,
    token: token.uid,
  }
}

export const unknownToken = (): BatonError =>
  new BatonError(
    'unauthenticated',
    'this token is unknown, expired or revoked; make a new one with: baton token create --agent NAME',
  )

/**
 * Refuses an operation that the token was not made for. Who may read its noun is told what is missing; for others
 * there is nothing there.
 */
export function authorise(op: Operation, { actor, scopes }: Caller): void {
  const noun = op.scope.slice(0, op.scope.indexOf(':'))
  const isGranted = grants(scopes, op.scope)
  if (!isGranted && !grants(scopes, `${READ_WITH[noun] ?? noun}:read`))
    throw new BatonError('not_found', 'there is nothing here that this token may see', { operation: op.name })
  // First what no scope would change.
  if (op.peopleOnly && actor.kind !== 'human')
    throw notAllowed(
      `only a person may do this, and ${actor.name} is of kind ${actor.kind}; ask a person to do it`,
      { operation: op.name, actor: actor.name },
    )
  if (isGranted) return
  throw notAllowed(lacksScope(actor.name, op.scope), {
    operation: op.name,
    scope: op.scope,
  })
}

export const lacksScope = (name: string, scope: string): string =>
  `the token of ${name} has no scope ${scope}; make one with: baton token create --agent ${name} --scope ${scope}`

/** Whether these scopes hold the wanted one: `*` is all, and writing includes reading. */
export const grants = (scopes: readonly string[], wanted: string): boolean =>
  scopes.some((scope) => scope === '*' || scope === wanted || scope.replace(/:write$/, ':read') === wanted)

export function toCall({ actor, scopes }: Caller, headers: Headers): Call {
  const key = headers.get('idempotency-key')
  const fault = key === null ? undefined : keyProblem('Idempotency-Key', key)
  if (fault !== undefined) throw new BatonError('invalid_input', fault)
  const rev = revisionOf(headers)
  const trace = readTrace(headers.get('traceparent'), headers.get('tracestate'))
  const may = (scope: string) => grants(scopes, scope)
  return { actor, may, ...(key !== null && { key }), ...present({ rev, trace }) }
}

/** The revision that the caller has seen, as it stands in `rev`: `If-Match: "7"`. */
function revisionOf(headers: Headers): number | undefined {
  const given = headers.get('if-match')
  if (given === null || given === '*') return undefined
  const rev = /^"(\d{1,9})"$/.exec(given)?.[1]
  if (rev === undefined)
    throw invalidInput(
      'If-Match takes the rev of the handoff or task that you have seen, in quotes: "7". The ETag of a response is for If-None-Match',
    )
  return Number(rev)
}

export const SESSION_COOKIE = 'baton_session'

/** The session secret that a browser got at login. Requests from other sites never come this far. */
export function sessionCookie(headers: Headers): string | undefined {
  const cookies =
    headers
      .get('cookie')
      ?.split(';')
      .map((each) => each.trim().split('=')) ?? []
  return cookies.find(([name, value]) => name === SESSION_COOKIE && /^[\w-]{1,200}$/.test(value ?? ''))?.[1]
}

function instanceOf(headers: Headers): string | undefined {
  const instance = headers.get('baton-instance')
  if (instance === null) return undefined
  if (!INSTANCE.test(instance))
    throw invalidInput('Baton-Instance is 1 to 100 letters, digits, dots, colons, dashes or underscores')
  return instance
}
