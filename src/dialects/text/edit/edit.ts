import { stringify } from 'yaml'
import { once } from '../../../domain/once.ts'
import { readJson } from '../json/json.ts'
import type { EditPiece, Piece } from '../piece.ts'
import type { Change, Path } from '../source.ts'
import {
  type Branch,
  type Entry,
  entryOf,
  type Reading,
  sameData,
  type Tree,
  treeAt,
  valueAt,
} from '../tree.ts'
import { OLDER_READERS } from '../yaml/older-readers.ts'
import { plainCopy, withChange, wrapped } from './change.ts'
import {
  type BlockStyle,
  endOf,
  endOfTree,
  insertInBlock,
  printBlock,
  removeFromBlock,
  replaceInBlock,
} from './edit-block.ts'
import { type FlowStyle, insertInFlow, removeFromFlow, replaceInFlow } from './edit-flow.ts'
import { areSure, eolOf, indentAt, type Splice, spliced } from './splice.ts'

/** A piece as it stands after the changes so far. */
interface State {
  readonly content: string
  readonly reading: Reading
}

/** One change to be made in a piece. */
interface Job {
  readonly content: string
  readonly tree: Tree | undefined
  readonly path: Path
  readonly value: unknown
  /** What the piece must read as afterwards. */
  readonly wanted: unknown
  readonly styles: ReturnType<typeof stylesOf>
  readonly isJson: boolean
}

/** A line that may end the piece where it stands. */
const MARK_LINE = /^(?:---|\.\.\.|`{3}|~{3})/m

/** Every byte outside of the changes stays as it is. */
export const editPiece: EditPiece = (piece, text, changes) => {
  const before = text.slice(piece.start, piece.end)
  const eol = eolOf(text)
  let state: State = { content: before, reading: piece.reading }
  const all = changedAtOnce(piece, state, changes, eol)
  if (all) state = all
  else for (const change of changes) state = changedState(piece, state, change, eol)
  const { content, reading } = state
  if (content === before) return { text, piece }
  const written = piece.isBare ? `---${eol}${content.trimEnd()}${eol}---${eol}` : content
  const made = text.slice(0, piece.start) + written + text.slice(piece.end)
  if (piece.isBare || MARK_LINE.test(content)) return { text: made }
  const by = content.length - before.length
  const bodyAt = piece.bodyAt === undefined ? {} : { bodyAt: piece.bodyAt + by }
  return { text: made, piece: { ...piece, end: piece.end + by, reading, ...bodyAt } }
}

/** All changes by one reading; undefined where one of them stands in the way of another. */
function changedAtOnce(piece: Piece, { content, reading }: State, changes: readonly Change[], eol: string) {
  const tree = reading.tree()
  if (changes.length < 2 || tree === undefined) return undefined
  const isJson = piece.read === readJson
  const styles = stylesOf(content, tree, isJson, eol)
  const kept = lastKept(tree, changes)
  if (kept === 'elsewhere') return undefined
  let wanted = reading.value
  const splices: Splice[] = []
  const added: Splice[] = []
  for (const { path, value: given } of changes) {
    const value = plainCopy(given)
    const next = withChange(wanted, path, value)
    if (sameData(next, wanted)) continue
    wanted = next
    if (kept?.isRemoval(path, value)) continue
    const job = { content, tree, path, value, wanted, styles, isJson }
    const isLast = kept && sameData(path, kept.path)
    const made = isLast ? inserted(job, kept.branch, String(path.at(-1)), value) : edited(job, tree)
    if (!made?.length) return undefined
    if (kept && (isLast || kept.isBeside(path))) added.push(...made)
    else splices.push(...made)
  }
  if (kept && added.length > 0) {
    const { at } = added[0]!
    const text = added.map((each) => each.text).join('')
    if (added.some((each) => each.at !== at || each.end !== at) || at !== kept.end(content)) return undefined
    splices.push({ at: kept.entry.start, end: at, text: text.replace(/^,?\s*/, '') })
  }
  const sorted = splices.toSorted((a, b) => a.at - b.at)
  if (sorted.some(({ at }, i) => at < (sorted[i - 1]?.end ?? 0))) return undefined
  const text = spliced(content, sorted)
  if (!kept && reading.notes.length === 0 && areSure(sorted))
    return { content: text, reading: { value: wanted, notes: [], tree: once(() => piece.read(text).tree()) } }
  const next = { content: text, reading: piece.read(text) }
  const isClean = next.reading.notes.length <= reading.notes.length
  return isClean && sameData(next.reading.value, wanted) ? next : undefined
}

/**
 * Tries the smallest edit first and reads it back. Where the value is then another one than it should be
 * (an alias changed with its anchor, a text that needs another notation), the next larger part is rewritten.
 */
function changedState(piece: Piece, state: State, change: Change, eol: string): State {
  const { content, reading } = state
  const value = plainCopy(change.value)
  const wanted = withChange(reading.value, change.path, value)
  if (sameData(wanted, reading.value)) return state
  const isJson = piece.read === readJson
  const tree = reading.tree()
  const styles = stylesOf(content, tree, isJson, eol)
  let smallest: State | undefined
  for (const attempt of attempts(
    { content, tree, path: change.path, value, wanted, styles, isJson },
    reading,
  )) {
    const next = { content: attempt, reading: piece.read(attempt) }
    if (sameData(next.reading.value, wanted)) return next
    smallest ??= next
  }
  return smallest ?? state
}

/** A key that is taken away and set again by the last two changes: it stays the last one, below what is new beside it. */
function lastKept(tree: Tree, changes: readonly Change[]) {
  const [removal, { path }] = changes.slice(-2) as [Change, Change]
  if (removal.value !== undefined || !sameData(removal.path, path)) return undefined
  const above = path.slice(0, -1)
  const branch = treeAt(tree, above)
  if (branch?.kind !== 'map') return 'elsewhere'
  const entry = entryOf(branch, path.at(-1)!)
  if (!entry) return undefined
  if (entry !== branch.entries.at(-1)) return 'elsewhere'
  return {
    ...{ path, branch, entry },
    end: (text: string): number => (branch.flow ? entry.node.end : endOf(text, entry)),
    isRemoval: (at: Path, value: unknown): boolean => value === undefined && sameData(at, path),
    isBeside: (at: Path): boolean =>
      above.every((step, i) => at[i] === step) && !entryOf(branch, at[above.length]!),
  }
}

function* attempts(job: Job, { notes }: Reading): Generator<string> {
  const { content, tree, path, wanted, styles } = job
  if (tree !== undefined) {
    const plain = { ...styles, block: { ...styles.block, isPlain: true } }
    for (const style of job.isJson ? [styles] : [styles, plain]) {
      const splices = edited({ ...job, styles: style }, tree)
      if (splices) yield spliced(content, splices)
    }
    // What could not be read would be lost if more than this were written anew.
    if (notes.some(({ severity }) => severity === 'error')) return
    for (let depth = path.length - 1; depth > 0; depth--) {
      const parent = path.slice(0, depth)
      const splices = edited({ ...job, path: parent, value: valueAt(wanted, parent) }, tree)
      if (splices) yield spliced(content, splices)
    }
  }
  yield* job.isJson ? wholeJson(job) : wholeYaml(job)
}

function* wholeJson({ content, tree, wanted, styles }: Job): Generator<string> {
  const text = styles.flow.value(wanted, '')
  yield tree ? spliced(content, [{ at: tree.start, end: tree.end, text }]) : `${text}${styles.flow.eol}`
}

/** All of the piece anew; what stands above and below the value stays. */
function* wholeYaml({ content, tree, wanted, styles }: Job): Generator<string> {
  const isLines = content === '' || content.endsWith('\n')
  const printed = printBlock(wanted, styles.block)
  const lines = isLines ? printed : printed.trimEnd()
  if (tree === undefined) yield `${content}${isLines ? '' : styles.block.eol}${lines}`
  else {
    const indent = indentAt(content, tree.start)
    const text = printed.trimEnd().replace(/\n(?=[^\r\n])/g, `\n${indent}`)
    yield spliced(content, [{ at: tree.start, end: endOfTree(content, tree), text }])
  }
  yield lines
  yield printBlock(wanted, { ...styles.block, isPlain: true })
}

/** The smallest edit, or undefined where the path leads through something that cannot be edited in place. */
function edited(job: Job, root: Tree): Splice[] | undefined {
  const { path, value } = job
  let node = root
  let parent: Owner | undefined
  for (const [index, step] of path.entries()) {
    if (node.kind === 'scalar' || node.kind === 'alias') {
      if (value === undefined || !parent || node.kind === 'alias') return undefined
      return replaced(job, parent, wrapped(path.slice(index), value))
    }
    const entry = entryOf(node, step)
    if (entry === undefined) {
      if (value === undefined || (node.kind === 'list' && typeof step !== 'number')) return undefined
      const key = node.kind === 'list' ? undefined : String(step)
      return inserted(job, node, key, wrapped(path.slice(index + 1), value))
    }
    if (index === path.length - 1 && value === undefined) return removed(job, { branch: node, entry }, parent)
    parent = { branch: node, entry }
    node = entry.node
  }
  return parent && replaced(job, parent, value)
}

/** An entry and what it stands in. */
interface Owner {
  readonly branch: Branch
  readonly entry: Entry
}

function replaced({ content: text, styles }: Job, { branch, entry }: Owner, value: unknown): Splice[] {
  return branch.flow
    ? replaceInFlow({ text, branch, style: styles.flow }, entry, value)
    : replaceInBlock({ text, branch, style: styles.block }, entry, value)
}

function inserted({ content: text, styles }: Job, branch: Branch, key: string | undefined, value: unknown) {
  return branch.flow
    ? insertInFlow({ text, branch, style: styles.flow }, key, value)
    : insertInBlock({ text, branch, style: styles.block }, key, value)
}

function removed(job: Job, { branch, entry }: Owner, parent: Owner | undefined): Splice[] {
  const { content: text, styles } = job
  const index = branch.entries.indexOf(entry)
  if (branch.flow) return removeFromFlow({ text, branch, style: styles.flow }, index)
  if (branch.entries.length > 1) return removeFromBlock({ text, branch, style: styles.block }, index)
  const empty = branch.kind === 'list' ? [] : {}
  if (parent) return replaced(job, parent, empty)
  return [{ at: branch.start, end: endOfTree(text, branch), text: JSON.stringify(empty) }]
}

function stylesOf(content: string, tree: Tree | undefined, isJson: boolean, eol: string) {
  const block: BlockStyle = {
    eol,
    // A dash right below the first letter of its key.
    indentSeq: !/^([ \t]*)[\w"'-]+:[ \t]*\r?\n\1- /m.test(content),
    indent: 2,
  }
  return { block, flow: isJson ? jsonStyle(content, tree, eol) : yamlFlow(eol) }
}

function jsonStyle(content: string, tree: Tree | undefined, eol: string): FlowStyle {
  const first = tree && (tree.kind === 'map' || tree.kind === 'list') ? tree.entries[0] : undefined
  const isOneLine = first !== undefined && !content.slice(tree!.start, first.start).includes('\n')
  const unit = isOneLine ? undefined : unitOf(content, tree, first)
  const colon = isOneLine && !/":\s/.test(content) ? ':' : ': '
  const value = (item: unknown, indent: string) =>
    JSON.stringify(item, null, unit).replaceAll('\n', `${eol}${indent}`)
  return {
    eol,
    unit,
    value,
    entry: (key, item, indent) => `${JSON.stringify(key)}${colon}${value(item, indent)}`,
  }
}

function unitOf(content: string, tree: Tree | undefined, first: Entry | undefined): string {
  if (tree === undefined || first === undefined) return '  '
  const inner = indentAt(content, first.start)
  const outer = indentAt(content, tree.start)
  return inner.length > outer.length ? inner.slice(outer.length) : '  '
}

function yamlFlow(eol: string): FlowStyle {
  const print = (value: unknown) =>
    stringify(value, {
      collectionStyle: 'flow',
      flowCollectionPadding: false,
      lineWidth: 0,
      blockQuote: false,
      schema: OLDER_READERS,
    })
      .trimEnd()
      .slice(1, -1)
  return {
    eol,
    unit: undefined,
    value: (value) => print([value]),
    entry: (key, value) => print(Object.fromEntries([[key, value]])),
  }
}
