import { isatty } from 'node:tty'
import { readEnvironment } from '../../config.ts'
import { BatonError } from '../../domain/errors.ts'
import { pullStdin } from './input/pull.ts'
import { main } from './main.ts'

const interrupted = new AbortController()
let isLeaving = false
// The first Ctrl-C ends what waits or follows, the second the process.
process.once('SIGINT', () => interrupted.abort())
// Whoever reads only the first lines (head) closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const code = await main(process.argv.slice(2), {
  stdout: process.stdout,
  // Opening a stream costs time, and most commands need neither of these.
  get stderr() {
    return process.stderr
  },
  get stdin() {
    return process.stdin
  },
  ...(!isatty(0) && { pull: pullStdin }),
  isTerminal: isatty(0) && isatty(1) && isatty(2),
  columns: process.stdout.columns || 80,
  env: readEnvironment(),
  get cwd() {
    try {
      return process.cwd()
    } catch (error) {
      throw new BatonError('not_found', 'the folder you are in was removed; go to another one', {}, error)
    }
  },
  signal: interrupted.signal,
  leave: () => {
    isLeaving = true
  },
})
process.exitCode = code
// Something may still be waiting for an answer that nobody wants any more.
if (interrupted.signal.aborted || isLeaving) process.exit(code)
