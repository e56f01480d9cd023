import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { BATON, cleanEnv, type Where } from './command.ts'

/** Joins its own input and output to a new terminal, and the program to that terminal. */
const JOIN = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'
const SIZED = 'stty cols "$1" rows 24; tty; shift; exec "$@"'

/** The real command on a terminal of 24 lines that somebody looks at and types at while it runs. */
export function watchedTerminal(t: TestContext, where: Where, args: readonly string[], columns: number) {
  const command = ['/bin/sh', '-c', SIZED, 'sh', String(columns), process.execPath, BATON, ...args]
  const child = spawn('python3', ['-c', JOIN, ...command], {
    cwd: where.cwd,
    env: { TERM: 'xterm-256color', ...cleanEnv(where) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const closed = once(child, 'close')
  let sent = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    sent += text
  })
  const afterDevice = () => sent.slice(sent.indexOf('\n') + 1)
  return {
    /** Everything that the command and the terminal wrote. */
    sent: afterDevice,
    /** The lines that stand there now, those above the window too. A line that is too wide goes on below. */
    lines: () => screenAfter(afterDevice(), columns),
    type: (text: string) => child.stdin.write(text),
    resize: (to: number) =>
      spawnSync('stty', ['-F', sent.slice(0, sent.indexOf('\r\n')), 'cols', String(to)]),
    ended: async (): Promise<number> => (await closed)[0],
  }
}

const ESCAPE = String.fromCharCode(27)
const PART = new RegExp(`${ESCAPE}\\[(?<count>\\d*)(?<order>[A-Za-z])|[^]`, 'gu')

/** The screen of a terminal after these characters: line feed, carriage return, cursor up and clear below. */
function screenAfter(sent: string, columns: number): string[] {
  const lines: string[][] = [[]]
  let [row, column] = [0, 0]
  for (const { 0: part, groups } of sent.matchAll(PART)) {
    if (part === '\r') column = 0
    else if (groups?.order === 'A') row = Math.max(0, row - Number(groups.count || 1))
    else if (groups?.order === 'J') {
      lines.length = row + 1
      lines[row]!.length = Math.min(lines[row]!.length, column)
    } else if (groups?.order === undefined) {
      if (part === '\n' || column === columns) row += 1
      if (column === columns) column = 0
      lines[row] ??= []
      if (part !== '\n') lines[row]![column++] = part
    }
  }
  return lines.map((line) =>
    Array.from(line, (sign) => sign ?? ' ')
      .join('')
      .trimEnd(),
  )
}
