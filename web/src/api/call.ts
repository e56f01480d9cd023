import type { OperationInput, OperationName, OperationOutput } from '../../../src/runner/operation-types.ts'
import { ROUTES } from './routes.ts'

/** A refusal of the server, in its own words. */
export class Refusal extends Error {
  readonly code: string
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** What was asked for is not there. A token that may see nothing of its kind is answered alike, but in other words. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Refusal && error.status === 404 && !('operation' in error.details)

export interface CallOptions {
  readonly signal?: AbortSignal
  /** The revision that is on the screen: the server refuses if it is another by now. */
  readonly rev?: number | undefined
}

/** Calls one operation of the server by its name. Every write has a key of its own, so that a retry is harmless. */
export async function call<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  { signal, rev }: CallOptions = {},
): Promise<OperationOutput<Name>> {
  const [method, path] = ROUTES[name]
  const rest: Record<string, unknown> = { ...input }
  const address = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(rest[field] ?? '')
    delete rest[field]
    return encodeURIComponent(value)
  })
  const request =
    method === 'GET'
      ? ask<OperationOutput<Name>>(`${address}${toQuery(rest)}`, { ...(signal && { signal }) })
      : ask<OperationOutput<Name>>(address, {
          method,
          headers: {
            'content-type': 'application/json',
            'idempotency-key': newKey(),
            ...(rev !== undefined && { 'if-match': `"${rev}"` }),
          },
          body: JSON.stringify(rest),
          ...(signal && { signal }),
        })
  return request.catch(inWordsOfPage)
}

/** The server speaks to programs about tokens; a person has a session. */
function inWordsOfPage(error: unknown): never {
  if (error instanceof Refusal && error.status === 401)
    throw new Refusal(401, error.code, 'Your session has ended. Nothing was sent; what you wrote stays.')
  if (error instanceof Refusal && error.code === 'conflict' && 'seen' in error.details)
    throw new Refusal(
      error.status,
      error.code,
      'It changed while you were looking. Nothing was sent. Read it as it is now, then send again.',
      error.details,
    )
  throw error
}

export async function ask<T>(address: string, init: RequestInit = {}): Promise<T> {
  let response: Response
  try {
    response = await fetch(address, init)
  } catch (error) {
    if (error instanceof DOMException) throw error
    throw new Refusal(0, 'unavailable', 'The server does not answer. Is it still running?')
  }
  const body = await response.json().catch(() => undefined)
  if (response.ok) return body as T
  throw new Refusal(
    response.status,
    body?.code ?? 'internal',
    body?.detail ?? `The server answered with status ${response.status}.`,
    body?.details,
  )
}

/** Unlike `randomUUID` this is there without TLS, too. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function toQuery(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) query.append(name, String(each))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
