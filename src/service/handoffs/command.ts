import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { stripVTControlCharacters } from 'node:util'

export type CommandEnd =
  /** `code` is the exit code, or the signal that ended it; `tail` the last words it said. */
  | { readonly kind: 'ended'; readonly code: number | string; readonly tail: string }
  | { readonly kind: 'late' }
  | { readonly kind: 'not_started'; readonly reason: string }

/** Characters of the output that are kept: the reason is nearly always at the end. */
const TAIL_LENGTH = 500
const OPERATORS = /^(?:[|&;<>]+|\d>.*)$|[$`]/

/**
 * A command line as its words, without a shell: quotes hold words together and nothing else is special. A line
 * that only a shell could run is refused, because run without one it would mean something else.
 */
export function toArguments(
  line: string,
): { readonly words: readonly string[] } | { readonly problem: string } {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  let plain = true
  const end = (): string | undefined => {
    if (word === undefined) return undefined
    if (plain && OPERATORS.test(word)) return word
    words.push(word)
    word = undefined
    plain = true
    return undefined
  }
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!
    if (quote) {
      if (char === quote) quote = undefined
      else if (char === '\\' && quote === '"' && i + 1 < line.length) word += line[++i]!
      else word += char
    } else if (char === '"' || char === "'") {
      quote = char
      plain = false
      word ??= ''
    } else if (/\s/.test(char)) {
      const operator = end()
      if (operator !== undefined) return needsShell(operator)
    } else if (char === '\\' && i + 1 < line.length) {
      word = (word ?? '') + line[++i]!
      plain = false
    } else word = (word ?? '') + char
  }
  if (quote) return { problem: `a ${quote} is not closed in: ${line}` }
  const operator = end()
  if (operator !== undefined) return needsShell(operator)
  return words.length > 0 ? { words } : { problem: 'the command is empty' }
}

const needsShell = (operator: string) => ({
  problem: `commands are run without a shell and "${operator}" needs one; put it in a script`,
})

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
let running = 0
const leave = (signal: NodeJS.Signals): never => process.exit(128 + constants.signals[signal])

/** A signal must end the commands too: without a listener, node stops before any cleanup runs. */
function begin(): void {
  running += 1
  if (running === 1)
    for (const signal of SIGNALS) if (process.listenerCount(signal) === 0) process.on(signal, leave)
}

function end(): void {
  running -= 1
  if (running === 0) for (const signal of SIGNALS) process.off(signal, leave)
}

/** Runs a program to its end or to the time limit; then it is ended with all that it started. */
export function runCommand(
  words: readonly string[],
  options: { readonly cwd: string; readonly timeLimitMs: number },
): Promise<CommandEnd> {
  const [program = '', ...args] = words
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that what it started ends with it.
      detached: true,
    })
    let tail = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        tail = (tail + chunk.toString()).slice(-TAIL_LENGTH)
      })
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It ended by itself in this moment.
      }
    }
    let late = false
    const timer = setTimeout(() => {
      late = true
      kill()
    }, options.timeLimitMs)
    process.once('exit', kill)
    begin()
    let isOver = false
    const finish = (how: CommandEnd): void => {
      if (isOver) return
      isOver = true
      end()
      clearTimeout(timer)
      process.off('exit', kill)
      resolve(late ? { kind: 'late' } : how)
    }
    child.once('error', (error) => finish({ kind: 'not_started', reason: error.message }))
    child.once('close', (code, signal) =>
      finish({
        kind: 'ended',
        code: code ?? signal ?? 'unknown',
        tail: stripVTControlCharacters(tail).trim(),
      }),
    )
  })
}
