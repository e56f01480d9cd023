import { readdirSync, readFileSync } from 'node:fs'
import { orElse } from '../domain/once.ts'

/** A program that runs. */
export interface Running {
  /** A variable that stands in the environment of everything that the program starts. */
  readonly mark: string
  /** The process that leads its group; absent while it is being started. */
  readonly pid?: number | undefined
}

/** Runs beside a runner. When that dies, whatever way it dies, the channel closes, and its programs are ended. */
export function guard(): Promise<number> {
  return new Promise((resolve) => {
    let programs: readonly Running[] = []
    // A signal to the session is the runner's to answer.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
    process.on('message', (told: typeof programs) => (programs = told))
    process.once('disconnect', () => {
      for (const program of programs) endProgram(program)
      resolve(0)
    })
    process.send?.('ready')
  })
}

/** Ends the group of a program, and what has left the group. */
export function endProgram({ mark, pid }: Running): void {
  signalGroup(pid, 'SIGKILL')
  endMarked(mark)
}

export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  // It may have ended by itself in this moment.
  if (pid !== undefined) orElse(() => process.kill(-pid, signal), false)
}

/** Ends every process whose environment holds the mark, also one that has left the group. */
export function endMarked(mark: string): void {
  if (mark === '') return
  // A process may start another one while it is looked for.
  for (let round = 0; round < 10; round++) {
    const found = marked(mark)
    if (found.length === 0) return
    // One may have ended by itself in this moment.
    for (const pid of found) orElse(() => process.kill(pid, 'SIGKILL'), false)
  }
}

function marked(mark: string): readonly number[] {
  // Other systems have no such folder: there the group is all that can be found.
  return orElse(() => readdirSync('/proc'), [])
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => environmentOf(name).includes(mark))
    .map(Number)
}

const environmentOf = (pid: string): readonly string[] =>
  orElse(() => readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0'), [])
