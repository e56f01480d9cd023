/** The least important first. */
const LEVELS = ['info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]
export type LogFields = Readonly<Record<string, unknown>>
export type Log = (level: Level, event: string, fields?: LogFields) => void

export interface LogStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** One line for each event: JSON for programs, plain words on a terminal. A secret never gets into a line. */
export function createLog(stream: LogStream, now: () => Date = () => new Date(), least: Level = 'info'): Log {
  const format = stream.isTTY ? asWords : asJson
  return (level, event, fields = {}) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return
    stream.write(`${redact(format(now().toISOString(), level, event, fields))}\n`)
  }
}

function asJson(time: string, level: Level, event: string, fields: LogFields): string {
  return JSON.stringify({ time, level, event, ...fields })
}

function asWords(time: string, level: Level, event: string, fields: LogFields): string {
  const told = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return printable([time.slice(11, 19), ...(level === 'info' ? [] : [level]), event, ...told].join(' '))
}

/** Nothing that a caller wrote may steer the terminal of whoever reads the log. */
const printable = (line: string): string => line.replaceAll(/\p{C}+/gu, ' ')

/** Tokens, and the password of a store's address, whatever text they turned up in. */
function redact(line: string): string {
  return line.replaceAll(/baton_[\w-]{8,}/g, 'baton_…').replaceAll(/:\/\/[^/\s@"]+@/g, '://…@')
}
