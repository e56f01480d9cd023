import { BatonError, ERROR_CODES } from '../../domain/errors.ts'
import { WRITEBACK_REQUIRED } from '../../domain/writeback.ts'
import { plainText, safeJson } from './screen/plain-text.ts'
import type { Screen } from './screen/screen.ts'

/** A person pressed Ctrl-C, as shells count it. */
export const INTERRUPTED = 130

/** Thrown where a question was left with Ctrl-C. */
export class Interrupted extends Error {}

/** What stood in the way, as an error of ours: an unknown failure never wears a caller's fault. */
export function toBatonError(error: unknown): BatonError {
  if (error instanceof BatonError) return error
  return new BatonError(
    'internal',
    'something went wrong inside Baton; set BATON_DEBUG=1 to see where, and please report it',
    {},
    error,
  )
}

export const exitCodeOf = (error: BatonError): number => ERROR_CODES[error.code].exit

/** A refusal for programs: one JSON document. */
export function failureJson({ code, message, details, retry }: BatonError): string {
  return safeJson({ error: { code, message, details, retry } })
}

/** A refusal for people: a line with what stood in the way and the fix, and the things to choose from. */
export function failureText(error: BatonError, screen: Screen): string {
  const lines = [screen.marked(screen.cross, error.message)]
  const { candidates } = error.details
  if (Array.isArray(candidates))
    lines.push(screen.table(candidates.map((each) => candidateRow(each, screen))))
  // The sentence is document 003's own; a person has to hear how to go on as well.
  if (screen.isTerminal && error.message === WRITEBACK_REQUIRED)
    lines.push(
      screen.dim(`next: baton task finish ${error.details.id}, or: baton thought record ${error.details.id}`),
    )
  return lines.join('\n')
}

interface Candidate {
  readonly id: string
  readonly title: string
  readonly state?: string
  readonly at: string
}

const candidateRow = ({ id, title, state = '', at }: Candidate, screen: Screen) => [
  { text: id, style: 'bold' as const },
  { text: title, fill: true },
  state.replaceAll('_', ' '),
  { text: screen.when(at), style: 'dim' as const },
]

/** The whole story, for whoever looks for a fault: this error and what caused it. */
export function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`
  return plainText(`${error.stack ?? error.message}${cause}`)
}
