import { readEnvironment } from '../../config.ts'
import { BatonError } from '../../domain/errors.ts'
import { pullStdin } from './input/pull.ts'
import { main } from './main.ts'
import { isTerminal, pipeTo } from './terminal.ts'

const interrupted = new AbortController()
let isLeaving = false
// The first Ctrl-C ends what waits or follows, the second the process.
process.once('SIGINT', () => interrupted.abort())
const terminals = { in: isTerminal(0), out: isTerminal(1), error: isTerminal(2) }

void main(process.argv.slice(2), {
  stdout: terminals.out ? process.stdout : pipeTo(1),
  // Opening a stream costs time, and most commands need neither of these.
  get stderr() {
    return terminals.error ? process.stderr : pipeTo(2)
  },
  get stdin() {
    return process.stdin
  },
  ...(!terminals.in && { pull: pullStdin }),
  isTerminal: terminals.in && terminals.out && terminals.error,
  columns: (terminals.out && process.stdout.columns) || 80,
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
}).then((code) => {
  process.exitCode = code
  // Something may still be waiting for an answer that nobody wants any more.
  if (interrupted.signal.aborted || isLeaving) process.exit(code)
})
