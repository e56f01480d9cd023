import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { codingAgentIn } from '../config/config.ts'
import { once, orElse } from '../domain/once.ts'

/** A process that runs. */
export interface Running {
  /** Its number with the instant of its start, which tells it from a later one with the same number. */
  readonly name: string
  /** The file of its program. */
  readonly program: string
  /** The session that its environment names. */
  readonly instance?: string | undefined
}

/** The processes above this one, nearest first; none where the system does not tell. */
export function processesAbove(): readonly Running[] {
  const above: Running[] = []
  for (let pid = process.ppid; pid > 1; ) {
    const found = processOf(pid)
    if (found === undefined) break
    above.push(found)
    pid = found.parent
  }
  return above
}

/** Whether the process of this name still runs. */
export const isRunning = (name: string): boolean => processOf(Number.parseInt(name, 10))?.name === name

function processOf(pid: number): (Running & { readonly parent: number }) | undefined {
  if (process.platform !== 'linux') return processTable().get(pid)
  try {
    const { parent, started, isOver } = processAt(pid)
    if (isOver) return undefined
    const instance = environmentAt(pid).BATON_INSTANCE
    return { parent, name: `${pid}-${started}`, program: programAt(pid), instance }
  } catch {
    return undefined
  }
}

// Zombies are left out.
const LINE = /^ *(\d+) +(\d+) +[^Z ]\S* +(\w+ \w+ +\d+ [\d:]+ \d+) +(.*)$/gm

/** All processes of a system that lists them by `ps`. */
const processTable = once(() => {
  const found = new Map<number, Running & { readonly parent: number }>()
  if (process.platform === 'win32') return found
  try {
    const args = ['-axo', 'pid=,ppid=,state=,lstart=,comm=']
    const text = execFileSync('ps', args, { encoding: 'utf8', env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } })
    for (const [, pid, parent, started, program] of text.matchAll(LINE)) {
      const name = `${pid}-${Date.parse(started!) / 1_000}`
      found.set(Number(pid), { parent: Number(parent), name, program: basename(program!.trim()) })
    }
  } catch {
    // Then nothing is known of any process.
  }
  return found
})

/** In clock ticks of Linux, of which a second has 100. */
const JUST_OPENED = 100

/**
 * Why it is in doubt that a person calls, though this process's own environment tells of no program: one above it is a
 * coding agent's or was started by `baton run`, or the terminal was opened for this command alone. Undefined where the
 * system tells nothing.
 */
export function doubtAbovePerson(isTerminal: boolean): string | undefined {
  try {
    const own = processAt('self')
    for (let { parent } = own; parent > 1; parent = processAt(parent).parent) {
      const environment = environmentAt(parent)
      const variable = codingAgentIn(environment) ?? (environment.BATON_INSTANCE && 'BATON_INSTANCE')
      if (variable) return `${variable} is set in a process above the command`
    }
    if (!isTerminal || own.terminal === 0) return undefined
    return own.started - processAt(own.session).started < JUST_OPENED
      ? 'the terminal was opened for this command alone'
      : undefined
  } catch {
    return undefined
  }
}

/** The name in parentheses may hold anything, so the fields are counted from its end. */
function processAt(pid: number | 'self') {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [parent = 0, session = 0, terminal = 0, started = 0] = [1, 3, 4, 19].map((at) => Number(fields[at]))
  // A killed process stays in the list until its parent or the system asks how it ended.
  return { parent, session, terminal, started, isOver: /^[ZX]/.test(fields[0] ?? '') }
}

/** Another user's program is not told. */
const programAt = (pid: number): string => orElse(() => basename(readlinkSync(`/proc/${pid}/exe`)), '')

/** The environment that a process began with; nothing where it is another user's. */
function environmentAt(pid: number): Record<string, string> {
  const pairs = orElse(() => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'), [])
  return Object.fromEntries(pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]))
}
