import { type BatonError, conflict, invalidInput } from '../domain/errors.ts'
import { HASH_MARKS, withoutSection, withSection } from './section.ts'

/** A statement of a TOML file as far as an edit has to know it. */
interface Statement {
  readonly line: number
  readonly kind: 'table' | 'key'
  /** `mcp_servers.baton`, quotes taken away. */
  readonly name: string
}

/** The text with a table of ours at its end. Refuses a file that is not TOML or names the table itself. */
export function withTable(text: string, name: string, lines: string, file: string): string {
  const others = statementsOf(withoutSection(text, HASH_MARKS, file), file)
  const clash = others.find((each) => clashes(others, each, name))
  if (clash)
    throw conflict(
      `${file} says ${clash.name} itself (line ${clash.line}); remove that line, or leave this out`,
      { file, line: clash.line },
    )
  return withSection(text, `[${name}]\n${lines}`, HASH_MARKS, file)
}

export const withoutTable = (text: string, file: string): string => withoutSection(text, HASH_MARKS, file)

/** A table of that name or below it, or an inline value where the table would stand. */
function clashes(all: readonly Statement[], { kind, name, line }: Statement, wanted: string): boolean {
  if (kind === 'table') return `${name}.`.startsWith(`${wanted}.`)
  const table = all.findLast((other) => other.kind === 'table' && other.line < line)
  const whole = table === undefined ? name : `${table.name}.${name}`
  return `${whole}.`.startsWith(`${wanted}.`) || `${wanted}.`.startsWith(`${whole}.`)
}

/** Reads just enough of TOML to know where statements begin and that none is left open. */
export function statementsOf(text: string, file: string): readonly Statement[] {
  const found: Statement[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    at += /^[ \t\r\n]*/.exec(text.slice(at))![0].length
    if (at >= text.length) break
    if (text[at] === '#') {
      at = endOfLine(text, at)
      continue
    }
    const line = lineNumber(text, at)
    const head = text[at] === '[' ? TABLE.exec(text.slice(at)) : TOML_KEY.exec(text.slice(at))
    if (!head) throw broken(file, line, 'neither a table nor a key with a value')
    found.push({ line, kind: text[at] === '[' ? 'table' : 'key', name: tomlName(head.groups!.name!) })
    at += head[0].length
    if (found.at(-1)!.kind === 'key') at = endOfValue(text, at, file)
    const rest = /^[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/.exec(text.slice(at))
    if (!rest) throw broken(file, lineNumber(text, at), 'more on the line than one statement')
    at += rest[0].length
  }
  return found
}

const PART = /(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/.source
const DOTTED_NAME = `(?<name>${PART}(?:[ \\t]*\\.[ \\t]*${PART})*)`
const TABLE = new RegExp(`^\\[{1,2}[ \\t]*${DOTTED_NAME}[ \\t]*\\]{1,2}`)
const TOML_KEY = new RegExp(`^${DOTTED_NAME}[ \\t]*=[ \\t]*`)

const tomlName = (written: string): string =>
  (written.match(new RegExp(PART, 'g')) ?? []).map((part) => part.replace(/^["']|["']$/g, '')).join('.')

/** After a value; brackets may span lines, and strings hold anything. */
function endOfValue(text: string, from: number, file: string): number {
  let at = from
  let depth = 0
  while (at < text.length) {
    const sign = text[at]!
    if (sign === '"' || sign === "'") at = endOfString(text, at, file)
    else if (sign === '#') {
      if (depth === 0) break
      at = endOfLine(text, at)
    } else if (sign === '\n' && depth === 0) break
    else {
      if (sign === '[' || sign === '{') depth++
      if (sign === ']' || sign === '}') depth--
      if (depth < 0) throw broken(file, lineNumber(text, at), `${sign} closes nothing`)
      at++
    }
  }
  if (depth > 0) throw broken(file, lineNumber(text, from), 'a bracket that is never closed')
  if (text.slice(from, at).trim() === '') throw broken(file, lineNumber(text, from), 'a key without a value')
  return text[at - 1] === '\r' ? at - 1 : at
}

function endOfString(text: string, from: number, file: string): number {
  const quote = text[from]!
  const isLong = text.startsWith(quote.repeat(3), from)
  const close = isLong ? quote.repeat(3) : quote
  let at = from + close.length
  while (at < text.length && !text.startsWith(close, at)) {
    if (text[at] === '\n' && !isLong) break
    at += text[at] === '\\' && quote === '"' ? 2 : 1
  }
  if (!text.startsWith(close, at)) throw broken(file, lineNumber(text, from), 'a text that is never closed')
  at += close.length
  // A long text may end with quotes of its own.
  while (isLong && text[at] === quote) at++
  return at
}

const endOfLine = (text: string, at: number): number => {
  const feed = text.indexOf('\n', at)
  return feed === -1 ? text.length : feed
}

const lineNumber = (text: string, at: number): number => text.slice(0, at).split('\n').length

function broken(file: string, line: number, what: string): BatonError {
  return invalidInput(`${file} is not TOML (line ${line}: ${what}); repair it first, nothing was written`, {
    file,
    line,
  })
}
