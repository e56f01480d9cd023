import { BatonError, ERROR_CODES, type ErrorCode } from '../../domain/errors.ts'
import { WRITEBACK_REQUIRED } from '../../domain/tasks/writeback.ts'
import { inWords } from '../../domain/texts/visible.ts'
import { isOperationName } from '../../operations/index.ts'
import { typedAs } from './catalog.ts'
import { withContext } from './hint.ts'
import type { CommandLine } from './input/args.ts'
import type { Io } from './io.ts'
import { plainText, safeJson } from './screen/plain-text.ts'
import type { Screen } from './screen/screen.ts'
import { screenFor } from './shell.ts'

/** Tells of a failure on standard error and answers the exit code. */
export function tellFailure(failure: unknown, line: CommandLine, io: Io): number {
  const hint = (text: string) => withContext(text, line)
  const error = withCommand(toBatonError(failure), hint)
  const screen = screenFor(io, 'stderr', line.color)
  io.stderr.write(`${line.isJson ? failureJson(error) : failureText(error, screen, hint)}\n`)
  if (io.env.debug) io.stderr.write(`${stackOf(failure)}\n`)
  return ERROR_CODES[error.code].exit
}

/** Any failure as a BatonError: an unknown one is never reported as the caller's fault. */
function toBatonError(error: unknown): BatonError {
  if (error instanceof BatonError) return error
  const refused = systemRefusal(error)
  if (refused) return refused
  return new BatonError(
    'internal',
    'something went wrong inside Baton; set BATON_DEBUG=1 to see where, and please report it',
    {},
    error,
  )
}

/** A refusal of the file system is not a fault of Baton's, and the path says what to look at. */
// biome-ignore format: read as a table
const SYSTEM: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  EACCES:       ['not_allowed',   'is closed to you; check the permissions of it and of the folders above'],
  EPERM:        ['not_allowed',   'is closed to you; check the permissions of it and of the folders above'],
  EROFS:        ['not_allowed',   'is on a disk that cannot be written; name another place'],
  ENOTDIR:      ['invalid_input', 'cannot be used: a part of the path is a file and not a folder; name another place'],
  EISDIR:       ['invalid_input', 'is a folder and not a file; name another place'],
  EEXIST:       ['conflict',      'is in the way; name another place'],
  ENAMETOOLONG: ['invalid_input', 'is too long a name; name another place'],
  ELOOP:        ['invalid_input', 'is a symbolic link that cannot be followed; name another place'],
  ENOSPC:       ['unavailable',   'cannot be written: the disk is full; make room and try again'],
  EDQUOT:       ['unavailable',   'cannot be written: your share of the disk is full; make room and try again'],
}

function systemRefusal(error: unknown): BatonError | undefined {
  const { code = '', syscall, path } = (error ?? {}) as NodeJS.ErrnoException
  if (syscall === undefined || path === undefined || !Object.hasOwn(SYSTEM, code)) return undefined
  const [kind, reason] = SYSTEM[code]!
  return new BatonError(
    kind,
    `${path} ${reason} (${syscall}: ${code})`,
    { path, syscall, reason: code },
    error,
  )
}

/**
 * The refusal as the caller can act on it: a missing step is named by its command too, and `hint` completes the
 * commands. Document 003's own sentence stays as it is.
 */
function withCommand(error: BatonError, hint: (text: string) => string): BatonError {
  if (error.message === WRITEBACK_REQUIRED) return error
  const { missing } = error.details
  const name = typeof missing === 'string' && isOperationName(missing) ? missing : undefined
  const command = name && `baton ${typedAs(name)}`
  // A record needs more than can be guessed here.
  const advice = name === 'thought_record' ? `see: ${command} --help` : `type: ${command}`
  const isSaid = command === undefined || error.message.includes(command)
  const message = hint(isSaid ? error.message : `${error.message}; ${advice}`)
  return message === error.message ? error : new BatonError(error.code, message, error.details, error)
}

/** A refusal for programs: one JSON document. */
export function failureJson({ code, message, details, retry }: BatonError): string {
  return safeJson({ error: { code, message, details, retry } })
}

/** A refusal for people: a line with what stood in the way and the fix, and the things to choose from. */
function failureText(error: BatonError, screen: Screen, hint: (text: string) => string): string {
  const lines = [screen.marked(screen.cross, error.message)]
  const { candidates } = error.details
  if (Array.isArray(candidates))
    lines.push(screen.table(candidates.map((each) => candidateRow(each, screen))))
  // The sentence is document 003's own; a person has to hear how to go on as well.
  if (screen.isTerminal && error.message === WRITEBACK_REQUIRED)
    lines.push(
      screen.dim(
        hint(`next: baton task finish ${error.details.id}, or: baton thought record ${error.details.id}`),
      ),
    )
  return lines.join('\n')
}

type Candidate = Readonly<Record<'id' | 'title' | 'at', string>> & { readonly state?: string }

const candidateRow = ({ id, title, state = '', at }: Candidate, screen: Screen) => [
  { text: id, style: 'bold' as const },
  { text: title, fill: true },
  inWords(state),
  { text: screen.when(at), style: 'dim' as const },
]

/** The whole story, for whoever looks for a fault: this error and what caused it. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`
  return plainText(`${error.stack ?? error.message}${cause}`)
}
