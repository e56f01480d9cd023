import { present } from './present.ts'

/** How one failure shows on every surface. Adding a row is the whole job of adding an error. */
// biome-ignore format: read as a table
export const ERROR_CODES = {
  invalid_input:   { http: 400, rpc: -32602, exit: 2,  retry: false, title: 'The input is not valid' },
  not_found:       { http: 404, rpc: -32004, exit: 3,  retry: false, title: 'Not found' },
  not_allowed:     { http: 403, rpc: -32003, exit: 4,  retry: false, title: 'Not allowed' },
  wrong_state:     { http: 409, rpc: -32009, exit: 5,  retry: false, title: 'Not possible in this state' },
  conflict:        { http: 409, rpc: -32010, exit: 6,  retry: false, title: 'Conflict' },
  limit_exceeded:  { http: 429, rpc: -32011, exit: 7,  retry: true,  title: 'Limit exceeded' },
  unmet:           { http: 422, rpc: -32012, exit: 8,  retry: false, title: 'Conditions are not met' },
  timed_out:       { http: 408, rpc: -32013, exit: 9,  retry: true,  title: 'Timed out' },
  unavailable:     { http: 503, rpc: -32014, exit: 13, retry: true,  title: 'The store is not available' },
  too_large:       { http: 413, rpc: -32015, exit: 14, retry: false, title: 'Too large' },
  unauthenticated: { http: 401, rpc: -32001, exit: 15, retry: false, title: 'No valid credential' },
  failed:          { http: 424, rpc: -32016, exit: 16, retry: false, title: 'The handoff failed' },
  store_refused:   { http: 500, rpc: -32017, exit: 17, retry: false, title: 'The store cannot be used' },
  internal:        { http: 500, rpc: -32603, exit: 70, retry: false, title: 'Internal error' },
} as const satisfies Record<string, { http: number; rpc: number; exit: number; retry: boolean; title: string }>

export type ErrorCode = keyof typeof ERROR_CODES
export type ErrorDetails = Readonly<Record<string, unknown>>

/** Holds a class's name on its prototype. `batonpass/client` and every bundle have copies of the classes. */
const CLASS = Symbol.for('batonpass.error')

/** The one error that crosses a module boundary. Callers branch on `code`, never on the message. */
export class BatonError extends Error {
  /** The name of the class. */
  override readonly name: string = 'BatonError'
  /** One of `ERROR_CODES`. */
  readonly code: ErrorCode
  /** The values that the message is about, by their names. */
  readonly details: ErrorDetails

  /** An error of one copy of this class is an instance of all. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one asks for itself
    const { prototype } = this
    const name: unknown = Object.getOwnPropertyDescriptor(prototype, CLASS)?.value
    for (let at = value; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at)) {
      if (at === prototype) return true
      if (name !== undefined && Object.getOwnPropertyDescriptor(at, CLASS)?.value === name) return true
    }
    return false
  }

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = present(details)
  }

  /** Whether the same call may succeed later without a change by the caller. */
  get retry(): boolean {
    return ERROR_CODES[this.code].retry
  }
}

type Told = readonly [message: string, details?: ErrorDetails, cause?: unknown]

export const invalidInput = (...told: Told): BatonError => new BatonError('invalid_input', ...told)
export const notFound = (...told: Told): BatonError => new BatonError('not_found', ...told)
export const notAllowed = (...told: Told): BatonError => new BatonError('not_allowed', ...told)
export const wrongState = (...told: Told): BatonError => new BatonError('wrong_state', ...told)
export const conflict = (...told: Told): BatonError => new BatonError('conflict', ...told)
export const unavailable = (...told: Told): BatonError => new BatonError('unavailable', ...told)
export const storeRefused = (...told: Told): BatonError => new BatonError('store_refused', ...told)

/** For `catch`: answers `fallback` where the call was refused with one of these codes. All else is thrown on. */
export const onRefusal =
  <F>(fallback: F, ...codes: readonly ErrorCode[]) =>
  (error: unknown): F => {
    if (error instanceof BatonError && codes.includes(error.code)) return fallback
    throw error
  }

/** Document 000's error: an agent may not hold more open handoffs. */
export class HandoffLimitExceeded extends BatonError {
  /** The name of the class. */
  override readonly name = 'HandoffLimitExceeded'
  constructor(message: string, details: ErrorDetails = {}) {
    super('limit_exceeded', message, details)
  }
}

/** Document 001's error: the handoff that was waited for has failed. */
export class HandoffFailedException extends BatonError {
  /** The name of the class. */
  override readonly name = 'HandoffFailedException'
  constructor(message: string, details: ErrorDetails = {}) {
    super('failed', message, details)
  }
}

/** Document 001's error: nothing final happened before the deadline of a wait. */
export class HandoffTimeoutException extends BatonError {
  /** The name of the class. */
  override readonly name = 'HandoffTimeoutException'
  constructor(message: string, details: ErrorDetails = {}, cause?: unknown) {
    super('timed_out', message, details, cause)
  }
}

const CLASSES = { BatonError, HandoffLimitExceeded, HandoffFailedException, HandoffTimeoutException }
for (const [name, { prototype }] of Object.entries(CLASSES))
  Object.defineProperty(prototype, CLASS, { value: name })

/**
 * Document 001's sentence about a handoff as it stood when the wait was over. Work that was handed in and waits for
 * somebody's word says so: no longer wait helps it.
 */
export function timedOut(
  id: unknown,
  timeout_s: number,
  { state, waiting_for }: { readonly state?: unknown; readonly waiting_for?: unknown } = {},
  cause?: unknown,
): HandoffTimeoutException {
  const said = `Handoff ${id} timed out after ${timeout_s}s`
  if (state !== 'in_review') return new HandoffTimeoutException(said, { id, timeout_s }, cause)
  return new HandoffTimeoutException(
    `${said}; it is in review, and waits for ${waiting_for ?? 'somebody else than its receiver'} to verify it`,
    { id, timeout_s, state, waiting_for },
    cause,
  )
}

/** A refusal by pure code: compared as a value, thrown by the service. */
export interface Refusal {
  readonly ok: false
  readonly code: ErrorCode
  readonly message: string
  readonly details?: ErrorDetails
}

export const refusalOf = (code: ErrorCode, message: string, details: ErrorDetails = {}): Refusal => ({
  ok: false,
  code,
  message,
  details,
})

/** The error of the right class for a code, so that `instanceof` works for the documents' three names. */
export function toError(code: ErrorCode, message: string, details: ErrorDetails = {}): BatonError {
  if (code === 'limit_exceeded') return new HandoffLimitExceeded(message, details)
  if (code === 'failed') return new HandoffFailedException(message, details)
  if (code === 'timed_out') return new HandoffTimeoutException(message, details)
  return new BatonError(code, message, details)
}
