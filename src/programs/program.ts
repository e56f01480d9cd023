import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Guarded, ProgramEnd } from './guard.ts'

export interface ProgramOptions extends Guarded {
  /** How a guard is started: this program itself, with the word for it. */
  readonly guard: readonly string[]
  readonly input: string
  readonly timeoutMs: number
  readonly outputBytes: number
  /** Told of its output as it comes. */
  readonly onOutput: (chunk: Buffer) => void
  /** Ends it and everything that it started. */
  readonly signal: AbortSignal
}

export interface ProgramRun {
  readonly end: ProgramEnd
  readonly output: string
  /** Why it was ended before its own end. */
  readonly ended?: 'late' | 'too much output' | 'stopped'
}

/** Time to end by itself when it is asked to. */
const GRACE_MS = 5_000
/** Time to read what was still in its pipes. */
const LAST_WORDS_MS = 2_000

/** Runs a program under its guard to the end, or to one of its limits. */
export function runProgram(options: ProgramOptions): Promise<ProgramRun> {
  const { guard, command, cwd, env, mark, signal } = options
  const [program = '', ...args] = guard
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
      // A session of its own: no terminal, and one group for all that it starts.
      detached: true,
    })
    const kill = (how: NodeJS.Signals): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, how)
      } catch {
        // It ended by itself in this moment.
      }
    }
    let ended: ProgramRun['ended']
    let grace: NodeJS.Timeout | undefined
    const stop = (why: NonNullable<ProgramRun['ended']>): void => {
      if (ended !== undefined) return
      ended = why
      kill('SIGTERM')
      // The guard ends with its channel, and takes along what has left the group.
      grace = setTimeout(() => child.connected && child.disconnect(), GRACE_MS)
    }
    const chunks: Buffer[] = []
    let length = 0
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        if (ended === 'too much output') return
        chunks.push(chunk)
        options.onOutput(chunk)
        length += chunk.length
        if (length > options.outputBytes) stop('too much output')
      })
    const timer = setTimeout(() => stop('late'), options.timeoutMs)
    const onAbort = (): void => stop('stopped')
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    let end: ProgramEnd = { code: 'SIGKILL' }
    child.on('message', (said: ProgramEnd & { readonly ready?: true }) => {
      if (!said.ready) end = said
      else if (child.connected) child.send({ command, cwd, env, mark } satisfies Guarded)
    })
    // A program need not read its brief.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input)
    const finish = (last: ProgramEnd): void => {
      clearTimeout(timer)
      clearTimeout(grace)
      signal.removeEventListener('abort', onAbort)
      const output = Buffer.concat(chunks).subarray(0, options.outputBytes).toString()
      resolve({ end: last, output, ...(ended !== undefined && { ended }) })
    }
    child.once('error', ({ message }) => finish({ reason: message }))
    // Not on `close`: it never comes when the channel was closed from here.
    child.once('exit', async () => {
      const closed = [child.stdout, child.stderr].map(
        (stream) => stream && !stream.closed && once(stream, 'close').catch(() => undefined),
      )
      await Promise.race([Promise.all(closed), sleep(LAST_WORDS_MS, undefined, { ref: false })])
      finish(end)
    })
  })
}
