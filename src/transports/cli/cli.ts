import { once } from 'node:events'
import { readEnvironment } from '../../config/config.ts'
import { BatonError, ERROR_CODES } from '../../domain/errors.ts'
import type { Output } from './io.ts'
import { main } from './main.ts'
import { isRead, isTerminal, pipeTo, pullStdin } from './terminal.ts'

const interrupted = new AbortController()
let isLasting = false
let isLeaving = false

let onAgain: (() => void) | undefined

function interrupt(): void {
  interrupted.abort()
  if (onAgain) process.once('SIGINT', onAgain)
}

/** The first Ctrl-C ends what waits or follows, the second the process. */
function last(): void {
  isLasting = true
  process.once('SIGINT', interrupt)
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
    process.exit(code === 'EPIPE' ? 0 : ERROR_CODES.internal.exit),
  )
  process.stderr.on('error', () => undefined)
}

/** A lasting command with a reader writes to a stream: waiting there does not hold up Ctrl-C. */
function piped(descriptor: 1 | 2): Output {
  const pipe = pipeTo(descriptor)
  const hasReader = isRead(descriptor)
  const stream = () => (descriptor === 1 ? process.stdout : process.stderr)
  return { write: (text) => (isLasting && hasReader ? stream() : pipe).write(text) }
}

/** Waits for a slow reader, so that output does not pile up in memory. */
async function drained(): Promise<void> {
  if (!isLasting || !isRead(1) || !process.stdout.writableNeedDrain) return
  await once(process.stdout, 'drain', { signal: interrupted.signal }).catch(() => undefined)
}

const terminals = { in: isTerminal(0), out: isTerminal(1), error: isTerminal(2) }

// Until main says otherwise: ending without an answer must not look like success.
process.exitCode = 13
void main(process.argv.slice(2), {
  stdout: terminals.out ? process.stdout : piped(1),
  // Opening a stream costs time, and most commands need neither of these.
  get stderr() {
    return terminals.error ? process.stderr : piped(2)
  },
  get stdin() {
    return process.stdin
  },
  ...(!terminals.in && { pull: pullStdin }),
  isTerminal: terminals.in && terminals.out && terminals.error,
  doubt: async (isTerminal = terminals.in) =>
    (await import('../../workspace/process-tree.ts')).doubtAbovePerson(isTerminal),
  above: async () => (await import('../../workspace/process-tree.ts')).processesAbove(),
  get columns() {
    return (terminals.out && process.stdout.columns) || 80
  },
  env: readEnvironment(),
  get cwd() {
    try {
      return process.cwd()
    } catch (error) {
      throw new BatonError('not_found', 'the folder you are in was removed; go to another one', {}, error)
    }
  },
  lasting: (again) => {
    onAgain = again
    if (!isLasting) last()
    return interrupted.signal
  },
  get isInterrupted() {
    return interrupted.signal.aborted
  },
  drained,
  leave: () => {
    isLeaving = true
  },
}).then((code) => {
  process.exitCode = code
  // Only the reader is waited for now: Ctrl-C ends that.
  process.off('SIGINT', interrupt)
  // Something may still be waiting for an answer that nobody wants any more.
  if (interrupted.signal.aborted || isLeaving) process.exit(code)
})
