import { readFileSync } from 'node:fs'
import { codingAgentIn } from '../config/config.ts'

/** In clock ticks of Linux, of which a second has 100. */
const JUST_OPENED = 100

/**
 * Why it is in doubt that a person calls, though this process's own environment tells of no program: one above it is a
 * coding agent's, or the terminal was opened for this command alone. Undefined where the system tells nothing.
 */
export function doubtAbovePerson(isTerminal: boolean): string | undefined {
  try {
    const own = processAt('self')
    for (let { parent } = own; parent > 1; parent = processAt(parent).parent) {
      const variable = codingAgentIn(environmentAt(parent))
      if (variable !== undefined) return `${variable} is set in a process above the command`
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
  return { parent, session, terminal, started }
}

/** The environment that a process began with; nothing where it is another user's. */
function environmentAt(pid: number): Record<string, string> {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return Object.fromEntries(pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]))
  } catch {
    return {}
  }
}
