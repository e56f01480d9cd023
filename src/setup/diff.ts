import { relative } from 'node:path'
import { type FileEdit, isChange } from './file-edit.ts'

export interface DiffLine {
  readonly kind: 'file' | 'added' | 'removed' | 'same' | 'gap'
  readonly text: string
}

const CONTEXT = 3
/** Above this the middle of two texts is shown as one block: comparing line by line would take seconds. */
const MOST_CELLS = 4_000_000

/** The changes that edits make, file by file, for people. */
export function diffOf(edits: readonly FileEdit[], from: string): readonly DiffLine[] {
  return edits.filter(isChange).flatMap((edit) => [heading(edit, from), ...changedLines(edit)])
}

export const SIGNS = { file: '', added: '+ ', removed: '- ', same: '  ', gap: '  ' } as const

export const changeOf = ({ before, after }: FileEdit): string =>
  before === undefined ? 'new' : after === undefined ? 'removed' : 'changed'

const heading = (edit: FileEdit, from: string): DiffLine => ({
  kind: 'file',
  text: `${relative(from, edit.path) || edit.path} (${changeOf(edit)}): ${edit.why}`,
})

function changedLines({ before, after }: FileEdit): readonly DiffLine[] {
  const all = compare(linesOf(before), linesOf(after))
  const isNear = all.map((_, at) =>
    all.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  )
  return all.flatMap((line, at) => {
    if (isNear[at]) return [line]
    return at === 0 || isNear[at - 1] ? [{ kind: 'gap' as const, text: '…' }] : []
  })
}

/** With the end of line told apart where it is not the usual one. */
function linesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  else lines.push('(no end of line)')
  return lines.map((line) => line.replaceAll('\r', '␍').replace('\ufeff', '␢'))
}

function compare(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...(tail === 0 ? [] : before.slice(-tail).map(same)),
  ]
}

function middle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text })
  const added = (text: string): DiffLine => ({ kind: 'added', text })
  if (before.length * after.length > MOST_CELLS) return [...before.map(removed), ...after.map(added)]
  const common = commonLengths(before, after)
  const lines: DiffLine[] = []
  let [a, b] = [0, 0]
  while (a < before.length || b < after.length) {
    if (a < before.length && b < after.length && before[a] === after[b]) {
      lines.push({ kind: 'same', text: before[a++]! })
      b++
    } else if (b === after.length || (a < before.length && common[a + 1]![b]! >= common[a]![b + 1]!))
      lines.push(removed(before[a++]!))
    else lines.push(added(after[b++]!))
  }
  return lines
}

/** How many lines two tails have in common, for each pair of tails. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly Uint32Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let a = before.length - 1; a >= 0; a--)
    for (let b = after.length - 1; b >= 0; b--)
      rows[a]![b] =
        before[a] === after[b] ? rows[a + 1]![b + 1]! + 1 : Math.max(rows[a + 1]![b]!, rows[a]![b + 1]!)
  return rows
}
