import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProgram, type Running, signalGroup } from './guard.ts'

export interface ProgramOptions {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** A variable of `env`. */
  readonly mark: string
  readonly guard: Guard
  readonly input: string
  readonly timeoutMs: number
  readonly outputBytes: number
  /** Told when it has been started. */
  readonly onStart: () => void
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

export interface ProgramEnd {
  /** The exit code, or the signal that ended it. */
  readonly code?: number | string
  /** It could not be started at all. */
  readonly reason?: string
}

/** Time to end by itself when it is asked to. */
const GRACE_MS = 5_000
/** Time to read what was still in its pipes. */
const LAST_WORDS_MS = 2_000

/** The guard of this process. It is told what runs. */
export class Guard {
  readonly #command: readonly string[]
  readonly #running = new Map<string, Running>()
  #started: Promise<ChildProcess> | undefined

  /** The command is this program itself, with the word for a guard. It starts ahead: work need not wait for it. */
  constructor(command: readonly string[]) {
    this.#command = command
    this.#tell().catch(() => undefined)
  }

  watch(program: Running): Promise<void> {
    this.#running.set(program.mark, program)
    return this.#tell()
  }

  forget({ mark }: Running): void {
    this.#running.delete(mark)
    if (this.#started) this.#tell().catch(() => undefined)
  }

  /** It ends with its channel, and what still runs with it. */
  async end(): Promise<void> {
    const child = await this.#started?.catch(() => undefined)
    // Then it is not replaced.
    this.#running.clear()
    if (child?.connected) child.disconnect()
  }

  async #tell(): Promise<void> {
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined
      throw error
    })
    const child = await this.#started
    child.send([...this.#running.values()], () => undefined)
  }

  async #start(): Promise<ChildProcess> {
    const [program = '', ...args] = this.#command
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached: true })
    let isReady = false
    const gone = once(child, 'exit').then(() => {
      this.#started = undefined
      // Programs that run get another guard; one that cannot start is tried again for the next program.
      if (isReady && this.#running.size > 0) this.#tell().catch(() => undefined)
    })
    isReady = await Promise.race([once(child, 'message').then(() => true), gone.then(() => false)])
    return child
  }
}

/** Runs a program under the guard to the end, or to one of its limits. */
export async function runProgram(options: ProgramOptions): Promise<ProgramRun> {
  const { guard, command, cwd, env, mark, signal } = options
  const [program = '', ...args] = command
  // Known before it starts: this process may die in between.
  await guard.watch({ mark })
  return new Promise((resolve) => {
    // A session of its own: no terminal, and one group for all that it starts.
    const child: ChildProcess = spawn(program, args, { cwd, env: { ...env }, stdio: 'pipe', detached: true })
    const running = { mark, pid: child.pid }
    guard.watch(running).catch(() => undefined)
    child.once('spawn', options.onStart)
    let ended: ProgramRun['ended']
    let grace: NodeJS.Timeout | undefined
    const stop = (why: NonNullable<ProgramRun['ended']>): void => {
      if (ended !== undefined) return
      ended = why
      signalGroup(child.pid, 'SIGTERM')
      grace = setTimeout(() => endProgram(running), GRACE_MS)
    }
    const chunks: Buffer[] = []
    let length = 0
    const streams = [child.stdout, child.stderr]
    for (const stream of streams)
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
    // A program need not read its brief.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input)
    const settle = (): void => {
      clearTimeout(timer)
      clearTimeout(grace)
      signal.removeEventListener('abort', onAbort)
    }
    const finish = (last: ProgramEnd): void => {
      guard.forget(running)
      settle()
      // Nobody reads what another process may still write there.
      for (const stream of streams) stream?.destroy()
      const text = Buffer.concat(chunks).subarray(0, options.outputBytes).toString()
      // Whole lines where it is cut: half a secret would not be known as one.
      const output = length > options.outputBytes ? text.slice(0, text.lastIndexOf('\n') + 1) : text
      resolve({ end: last, output, ...(ended !== undefined && { ended }) })
    }
    child.once('error', ({ message }) => finish({ reason: message }))
    // Not on `close`: what has left the group without the mark may hold its pipes for ever.
    child.once('exit', async (code, by) => {
      settle()
      // Anything still there was started by the program, and has no reader any more.
      endProgram(running)
      const closed = streams.map(
        (stream) => stream && !stream.closed && once(stream, 'close').catch(() => undefined),
      )
      await Promise.race([Promise.all(closed), sleep(LAST_WORDS_MS, undefined, { ref: false })])
      finish({ code: code ?? by ?? 'unknown' })
    })
  })
}
