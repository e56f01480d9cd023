import { BatonError, ERROR_CODES, type ErrorCode } from '../../domain/errors.ts'
import { present } from '../../domain/present.ts'

/** An error as RFC 9457 writes it, with the fields that every surface of Baton has. */
export interface ProblemDetails {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>
  readonly retry: boolean
}

export const PROBLEM_TYPE = 'application/problem+json'

/** A refusal must stay small even when thousands of fields are wrong. */
const MAX_DETAIL = 4_000
const MAX_ISSUES = 20
const MAX_ISSUES_LENGTH = 8_000

/** A failure as the caller may know it: all of ours, nothing of an unexpected one. */
export function toProblem(error: unknown): ProblemDetails {
  const known = withoutPlace(
    error instanceof BatonError ? error : new BatonError('internal', 'something broke inside Baton'),
  )
  const { http, retry, title } = ERROR_CODES[known.code]
  return {
    type: `urn:baton:error:${known.code}`,
    title,
    status: http,
    detail: known.message.length > MAX_DETAIL ? `${known.message.slice(0, MAX_DETAIL)}…` : known.message,
    code: known.code,
    details: withFewIssues(known.details),
    retry,
  }
}

/** Whether a failure is one of the store and says where that is: for the log of the server, not for its callers. */
export const isOfStore = (error: unknown): error is BatonError =>
  error instanceof BatonError &&
  error.details.store !== undefined &&
  (error.details.location !== undefined || error.details.file !== undefined)

/** The sentence for callers when only the operator can mend the failure. */
const OF_STORE: Partial<Record<ErrorCode, string>> = {
  unavailable: 'the store is not available for now; repeat the call',
  store_refused: 'the store cannot be used; the log of the server says why',
  internal: 'something broke inside Baton',
}

function withoutPlace(error: BatonError): BatonError {
  if (!isOfStore(error)) return error
  const { location, file, ...details } = error.details
  const general = details.moved ? undefined : OF_STORE[error.code]
  const told = general ?? error.message.replaceAll(` at ${location ?? file}`, '')
  return new BatonError(error.code, told, details)
}

export function problemResponse(error: unknown, given: { status?: number; headers?: object } = {}): Response {
  const problem = { ...toProblem(error), ...present({ status: given.status }) }
  const body = JSON.stringify(problem)
  const headers = new Headers({ 'content-type': PROBLEM_TYPE, ...lengthOf(body), ...given.headers })
  if (problem.code === 'unauthenticated') headers.set('www-authenticate', 'Bearer realm="baton"')
  if (problem.code === 'unavailable') headers.set('retry-after', '1')
  const { retry_after_s } = problem.details
  if (typeof retry_after_s === 'number') headers.set('retry-after', String(retry_after_s))
  // The rest of a body that nobody will read must not be taken for the next request.
  if (problem.code === 'too_large') headers.set('connection', 'close')
  return new Response(body, { status: problem.status, headers })
}

/** Stated, because the answer to HEAD has the length and not the body. */
export const lengthOf = (body: string) => ({ 'content-length': String(Buffer.byteLength(body)) })

function withFewIssues(details: BatonError['details']): BatonError['details'] {
  const { issues } = details
  if (!Array.isArray(issues)) return details
  let length = 0
  const few = issues.slice(0, MAX_ISSUES).filter((issue) => {
    length += JSON.stringify(issue).length
    return length <= MAX_ISSUES_LENGTH
  })
  return { ...details, issues: few }
}
