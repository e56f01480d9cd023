import { readEnvironment } from '../../config.ts'
import { BatonError } from '../../domain/errors.ts'
import { pullStdin } from './input/pull.ts'
import type { Output } from './io.ts'
import { main } from './main.ts'
import { isTerminal, pipeTo } from './terminal.ts'

const interrupted = new AbortController()
let isLeaving = false
const abort = () => interrupted.abort()
let isListening = false
/** The first Ctrl-C ends what waits or follows, the second the process. */
function listen(): void {
  if (!isListening && !interrupted.signal.aborted) process.once('SIGINT', abort)
  isListening = true
}
/** While a pipe is full nothing of ours runs, so that Ctrl-C must be the system's to answer. */
function piped(descriptor: 1 | 2): Output {
  const output = pipeTo(descriptor)
  return {
    write(text) {
      const wasListening = isListening
      process.off('SIGINT', abort)
      isListening = false
      output.write(text)
      if (wasListening) listen()
    },
  }
}
const terminals = { in: isTerminal(0), out: isTerminal(1), error: isTerminal(2) }

// Unless it says otherwise: to end without an answer is no success.
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
  columns: (terminals.out && process.stdout.columns) || 80,
  env: readEnvironment(),
  get cwd() {
    try {
      return process.cwd()
    } catch (error) {
      throw new BatonError('not_found', 'the folder you are in was removed; go to another one', {}, error)
    }
  },
  get signal() {
    listen()
    return interrupted.signal
  },
  leave: () => {
    isLeaving = true
  },
}).then((code) => {
  process.exitCode = code
  // Something may still be waiting for an answer that nobody wants any more.
  if (interrupted.signal.aborted || isLeaving) process.exit(code)
})
