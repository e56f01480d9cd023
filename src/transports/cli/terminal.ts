import { fstatSync, readSync, statSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { invalidInput } from '../../domain/errors.ts'
import type { Output } from './io.ts'

const PAUSE_MS = 5
const PIECE_BYTES = 65_536

/** Whether it is a terminal. isatty loads all of Node's sockets, so files and pipes are ruled out first. */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  const stats = fstatSync(descriptor)
  if (!stats.isCharacterDevice()) return false
  const isNowhere = stats.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev
  return !isNowhere && isatty(descriptor)
}

/** Writes to a file or a pipe in place. A stream does the same there, and takes milliseconds to load. */
export function pipeTo(descriptor: 1 | 2): Output {
  return { write: (text) => writeAll(descriptor, Buffer.from(text)) }
}

/** Whether there is a program at the other end, which may be slow; files and devices take all at once. */
export function isRead(descriptor: 1 | 2): boolean {
  const stats = fstatSync(descriptor)
  return stats.isFIFO() || stats.isSocket()
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let rest = bytes; rest.length > 0; )
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN') {
        // The pipe is non-blocking, and its reader is slower than we write.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
        continue
      }
      // Notes that nobody can read are dropped.
      if (descriptor === 2) return
      // A reader of only the first lines (head) closes the pipe: that is not a failure.
      if (code === 'EPIPE') process.exit(0)
      // Not `unavailable`: that says to repeat the call, and a handoff would be sent twice.
      throw invalidInput(
        `the answer could not be written to standard output (${code}), but the command ran. Before you repeat it, look at: baton list`,
        { reason: code },
        error,
      )
    }
}

/** The next piece of standard input, waited for in place; undefined at its end. A stream of it takes 7 ms to load. */
export function pullStdin(): Uint8Array | undefined {
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  for (;;)
    try {
      const length = readSync(0, piece, 0, PIECE_BYTES, null)
      return length === 0 ? undefined : piece.subarray(0, length)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EOF') return undefined
      // The pipe was made non-blocking by the process that gave it to us, so we must look again.
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
}
