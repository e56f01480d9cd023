import { isKnownErrorCode } from '../domain/handoffs/retry.ts'
import { present } from '../domain/present.ts'
import { secretsIn, withoutSecrets } from '../domain/texts/secrets.ts'
import { changeTexts } from '../domain/texts/visible.ts'

export interface Failing {
  readonly code: string
  readonly message: string
  readonly details?: readonly object[]
}

/** The limits of `handoff_fail`. */
const MAX_MESSAGE = 8_000
const MAX_DETAILS = 200

/** Thrown by `work.fail`; carries its code to where the attempt is closed. */
export class WorkFailed extends Error {
  override readonly name = 'WorkFailed'
  readonly code: string
  readonly details: readonly object[] | undefined

  constructor(failing: Failing) {
    super(failing.message)
    this.code = failing.code
    this.details = failing.details
  }
}

/** Thrown by a handler whose work goes on: it is held as before, and nothing is handed in. */
export class WorkKept extends Error {}

/** The failure that an exception stands for: its own code where document 001 knows it, else PROCESSING_ERROR. */
export function toFailing(error: unknown): Failing {
  const { code, details } = (typeof error === 'object' && error !== null ? error : {}) as Partial<WorkFailed>
  const known = typeof code === 'string' && isKnownErrorCode(code) ? code : 'PROCESSING_ERROR'
  return {
    code: known,
    message: errorText(error) || 'the handler failed without saying why',
    ...(error instanceof WorkFailed && details && { details }),
  }
}

/** The message of an exception; empty if it has none. Anything can be thrown. */
function errorText(error: unknown): string {
  if (error === undefined || error === null) return ''
  try {
    if (typeof error !== 'object') return String(error)
    const { message, name } = error as Partial<Error>
    if (typeof message === 'string' && message !== '') return message
    if (error instanceof Error) return String(name)
    const text = JSON.stringify(error)
    return text === '{}' ? '' : text
  } catch {
    return ''
  }
}

/**
 * A failure that Baton takes whatever a handler said: it is the only word of it, and a refusal would lose the rest too.
 * Keys give way to their kind, half characters are replaced, and details that JSON cannot hold are left out.
 */
export function toWritable({ code, message, details }: Failing): Failing {
  const plain = details && plainDetails(details)
  return { code, message: cleaned(message.slice(0, 2 * MAX_MESSAGE)), ...present({ details: plain }) }
}

// Cut afterwards: half of a key is not known for one, and the name of a kind may be longer than what it stands for.
const cleaned = (text: string): string => withoutSecrets(text.toWellFormed()).slice(0, MAX_MESSAGE)

function plainDetails(details: readonly object[]): Failing['details'] {
  try {
    const plain: unknown[] = JSON.parse(JSON.stringify(details.slice(0, MAX_DETAILS)))
    const clean = changeTexts(plain, cleaned)
    return clean.every(isObject) && secretsIn(clean).length === 0 ? clean : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
