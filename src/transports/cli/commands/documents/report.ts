import { oneLine, plainText } from '../../screen/plain-text.ts'
import type { Screen, Style } from '../../screen/screen.ts'
import { pad, widthOf } from '../../screen/width.ts'
import { count } from '../../views/words.ts'
import type { CheckedEntry } from './target-check.ts'
import type { FileProblem } from './target-file.ts'

const SEVERITY_STYLES: Readonly<Record<FileProblem['severity'], Style>> = {
  error: 'red',
  warning: 'yellow',
  info: 'blue',
}
const WIDTH = 120
/** A check of a few documents also shows those that were read; a check of many shows only problems. */
const FEW = 20

/** Findings as compilers print them, each with its line below, and a line that counts them. */
export function reportText(screen: Screen, entries: readonly CheckedEntry[]): string {
  const few = entries.length <= FEW
  const fine = few ? entries.filter(({ ok, dialect }) => ok && dialect !== null) : []
  const findings = entries.flatMap((entry) =>
    entry.diagnostics
      .filter(({ severity }) => severity !== 'info' || (few && entry.dialect !== null))
      .map((each) => findingText(screen, entry, each)),
  )
  return [...findings, ...fine.map((entry) => fineText(screen, entry)), countText(entries)].join('\n')
}

function findingText(screen: Screen, { file, lines }: CheckedEntry, found: FileProblem): string {
  const { severity, code, message, line, column } = found
  const place = screen.bold(`${plainText(file)}:${line}:${column}`)
  const head = screen.fit(
    `${place} ${screen.paint(SEVERITY_STYLES[severity], severity)} ${code}: ${oneLine(message)}`,
  )
  const text = lines[line]
  return text === undefined || text.trim() === ''
    ? head
    : `${head}\n${pointed(screen, text, column, SEVERITY_STYLES[severity])}`
}

/** The line with a caret below the place; of a line that is too long the part around it. */
function pointed(screen: Screen, text: string, column: number, style: Style): string {
  const width = screen.isTerminal ? Math.min(WIDTH, screen.columns - 6) : WIDTH
  const start = Math.max(0, Math.min(column - 1, text.length) - width / 2)
  const before = clean(text.slice(start, Math.max(start, column - 1)))
  const after = clean(text.slice(Math.max(start, column - 1), start + width))
  const [left, right] = [start > 0 ? '…' : '', start + width < text.length ? '…' : '']
  const caret = pad('', widthOf(left + before)) + screen.paint(style, '^')
  return `    ${screen.dim(`${left}${before}${after}${right}`.trimEnd())}\n    ${caret}`
}

/** One cell for each tab, so that the caret stands where it should. */
const clean = (text: string): string => plainText(text.replaceAll('\t', ' ')).replaceAll('\n', ' ')

function fineText(screen: Screen, { file, dialect, form, summary }: CheckedEntry): string {
  const { id, from, to, state, task } = summary
  const who = from === null && to === null ? null : `${from ?? '?'} → ${to ?? 'nobody'}`
  const facts = [form === null || form === dialect ? dialect : `${dialect} ${form}`, id, who, state, task]
  const said = facts.filter((fact) => fact !== null).map((fact) => oneLine(fact))
  return screen.fit(`${screen.tick} ${plainText(file)}: ${said.join(', ')}`)
}

/** `3 files, 4 documents, 1 error, 2 warnings` */
export function countText(entries: readonly CheckedEntry[]): string {
  const all = entries.flatMap(({ diagnostics }) => diagnostics)
  const of = (severity: FileProblem['severity']) => all.filter((each) => each.severity === severity).length
  return [
    count(new Set(entries.map(({ file }) => file)).size, 'file'),
    count(entries.filter(({ dialect }) => dialect !== null).length, 'document'),
    count(of('error'), 'error'),
    count(of('warning'), 'warning'),
  ].join(', ')
}
