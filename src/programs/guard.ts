import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The program that a guard starts. It stands in no argument list, where every user of the machine could read it. */
export interface Guarded {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** A variable of `env` that stands in the environment of everything that the program starts. */
  readonly mark: string
}

export interface ProgramEnd {
  /** The exit code, or the signal that ended it. */
  readonly code?: number | string
  /** It could not be started at all. */
  readonly reason?: string
}

/**
 * Runs one program and ends with it. It leads the group of processes that the program belongs to: when the runner dies,
 * whatever way it dies, the channel closes, and the guard takes everything with it that the program has started.
 */
export function guard(): Promise<number> {
  return new Promise((resolve) => {
    let mark = ''
    const endAll = (): never => {
      endMarked(mark)
      process.kill(-process.pid, 'SIGKILL')
      return process.exit(1)
    }
    process.once('disconnect', endAll)
    // The runner asks the whole group to stop; the guard stays to say how it ended.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
    process.once('message', (asked: Guarded) => {
      mark = asked.mark
      const [program = '', ...args] = asked.command
      const child = spawn(program, args, { cwd: asked.cwd, env: { ...asked.env }, stdio: 'inherit' })
      const tell = (end: ProgramEnd): void => {
        // Anything still there was started by the program, and has no reader any more.
        endMarked(mark)
        process.send?.(end, () => {
          process.off('disconnect', endAll)
          resolve(0)
        })
      }
      child.once('error', ({ message }) => tell({ reason: message }))
      child.once('exit', (code, signal) => tell({ code: code ?? signal ?? 'unknown' }))
    })
    process.send?.({ ready: true })
  })
}

/** Ends every process whose environment holds the mark, also one that has left the group. */
export function endMarked(mark: string): void {
  if (mark === '') return
  // A process may start another one while it is looked for.
  for (let round = 0; round < 10; round++) {
    const found = marked(mark)
    if (found.length === 0) return
    for (const pid of found)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself in this moment.
      }
  }
}

function marked(mark: string): readonly number[] {
  return listed('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => environmentOf(name).includes(mark))
    .map(Number)
}

/** Other systems have no such folder: there the group is all that can be found. */
function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    return []
  }
}
