import { MAX_BLOCKS, MAX_OPEN_FENCES } from '../limits.ts'
import { type Line, lineAt } from '../lines.ts'
import { type NotationProblem, problemAt } from '../tree.ts'

/** What a block must say at its root to be one of ours. */
export const ROOT_KEYS = [
  'handoff',
  'acknowledgment',
  'gate_response',
  'thought_record',
  'task_update',
  'handback',
] as const

/** A piece of a text that may be YAML or JSON. */
export interface Block {
  readonly start: number
  readonly end: number
  readonly notation: 'yaml' | 'json'
  readonly notes: readonly NotationProblem[]
}

interface Fence {
  readonly sign: string
  readonly length: number
  readonly indent: number
  readonly info: string
  readonly line: Line
}

const FENCE = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})/
const ROOT_LINE = new RegExp(`^([ \\t]*)["']?(?:${ROOT_KEYS.join('|')})["']?[ \\t]*:`)
const BARE_LINE = new RegExp(`^(?:${ROOT_KEYS.join('|')}):[ \\t]*(?:#.*)?$`)
const MARKED_LINE = /^---[ \t]*$/

/** All blocks of a text from an offset on: in fences, after a last `---`, and bare ones at the left margin. */
export function blocksOf(text: string, from: number): readonly Block[] {
  const found: Block[] = []
  const open: Fence[] = []
  let marked = -1
  for (let at = from; at < text.length && found.length < MAX_BLOCKS; ) {
    const line = lineAt(text, at)
    at = line.next
    const first = text.charCodeAt(line.start)
    const fence = mayBeFence(text, line, first) ? fenceOf(text, line) : undefined
    if (fence) step(fence)
    else if (open.length === 0 && first === 0x2d && MARKED_LINE.test(text.slice(line.start, line.end)))
      marked = line.next
    else if (
      open.length === 0 &&
      BARE_LINE.test(text.slice(line.start, Math.min(line.end, line.start + 200)))
    ) {
      const block = bareBlock(text, line, marked)
      if (block) {
        found.push(block)
        at = block.end
      }
    }
  }
  while (open.length > 0) finish(open.pop()!, text.length, false)
  found.sort((a, b) => a.start - b.start)
  return found.length < MAX_BLOCKS ? found : capped(found.slice(0, MAX_BLOCKS))

  function step(fence: Fence): void {
    const top = open.at(-1)
    // Fences inside an indented text of a block are part of that text.
    if (top && isData(top) && fence.indent >= top.indent + 4) return
    if (top && fence.info === '' && fence.sign === top.sign && fence.length >= top.length) {
      open.pop()
      finish(top, fence.line.start, true)
      return
    }
    if (top && isData(top) && fence.info !== '' && fence.indent <= top.indent) {
      open.pop()
      finish(top, fence.line.start, false)
    }
    open.push(fence)
    if (open.length > MAX_OPEN_FENCES) open.shift()
  }

  function finish(fence: Fence, end: number, closed: boolean): void {
    const start = fence.line.next
    if (!isData(fence) || start >= end) return
    const notation = notationOf(text, fence, start, end)
    if (notation === undefined) return
    found.push({ start, end, notation, notes: closed ? [] : [unclosed(fence)] })
  }
}

function mayBeFence(text: string, line: Line, first: number): boolean {
  // A backtick or a tilde, a space or a tab, a list's sign or number.
  if (first === 0x60 || first === 0x7e) return true
  const indents = first === 0x20 || first === 0x09 || first === 0x2d || first === 0x2a || first === 0x2b
  if (!indents && !(first >= 0x30 && first <= 0x39)) return false
  const sign = text.slice(line.start, Math.min(line.end, line.start + 200))
  return sign.includes('```') || sign.includes('~~~')
}

function fenceOf(text: string, line: Line): Fence | undefined {
  const [whole, before, signs] =
    FENCE.exec(text.slice(line.start, Math.min(line.end, line.start + 200))) ?? []
  if (whole === undefined || before === undefined || signs === undefined) return undefined
  const rest = text.slice(line.start + whole.length, line.end)
  // Code within a line is no fence.
  if (rest.includes('`')) return undefined
  const [info = ''] = rest.slice(0, 100).trim().split(/\s/, 1)
  return { sign: signs[0]!, length: signs.length, indent: before.length, info: info.toLowerCase(), line }
}

/** Without a word, a fence may hold anything: what is in it decides. */
const isData = ({ info }: Fence): boolean => info === '' || /^\{?\.?(?:ya?ml|jsonc?|json5)\}?$/.test(info)

function notationOf(text: string, { info }: Fence, start: number, end: number) {
  const content = text.slice(start, end)
  const isJson = /^\s*[{[]/.test(content)
  if (info.includes('json') || (info === '' && isJson))
    return isJson && ROOT_KEYS.some((key) => content.includes(`"${key}"`)) ? 'json' : undefined
  return hasRootKey(content, info === '') ? 'yaml' : undefined
}

/** Whether a line with one of the keys stands as far left as the first line that says anything. */
function hasRootKey(content: string, mustBeFirst: boolean): boolean {
  let margin = -1
  for (let at = 0; at < content.length; ) {
    const line = lineAt(content, at)
    at = line.next
    const text = content.slice(line.start, Math.min(line.end, line.start + 200))
    if (text.trim() === '' || /^\s*(?:#|---|\.\.\.|%)/.test(text)) continue
    const indent = text.length - text.trimStart().length
    if (margin === -1) margin = indent
    if (indent <= margin && ROOT_LINE.test(text)) return true
    if (mustBeFirst) return false
  }
  return false
}

/** A key at the left margin and the indented lines below it; after a last `---`, all to the end. */
function bareBlock(text: string, line: Line, marked: number): Block | undefined {
  let end = line.next
  let hasContent = false
  for (let at = line.next; at < text.length; ) {
    const next = lineAt(text, at)
    const content = text.slice(next.start, next.end)
    if (/^[ \t]+\S/.test(content)) {
      hasContent = true
      end = next.next
    } else if (content.trim() !== '') break
    at = next.next
  }
  if (!hasContent) return undefined
  if (marked !== -1 && text.slice(marked, line.start).trim() === '' && isYamlToTheEnd(text, end))
    return { start: line.start, end: text.length, notation: 'yaml', notes: [] }
  return { start: line.start, end, notation: 'yaml', notes: [] }
}

function isYamlToTheEnd(text: string, from: number): boolean {
  for (let at = from; at < text.length; ) {
    const line = lineAt(text, at)
    if (!/^(?:[ \t#].*|[\w-]+:(?:[ \t].*)?|)$/.test(text.slice(line.start, line.end))) return false
    at = line.next
  }
  return true
}

function capped(found: readonly Block[]): readonly Block[] {
  const last = found.at(-1)!
  const message = `only the first ${MAX_BLOCKS} blocks of the text are read; split the text`
  const note = problemAt('error', 'too_many_blocks', message, last.start)
  return [...found.slice(0, -1), { ...last, notes: [...last.notes, note] }]
}

function unclosed({ line, sign, length }: Fence): NotationProblem {
  const message = `the block is not closed; write ${sign.repeat(length)} on a line of its own below it`
  return problemAt('warning', 'unclosed_fence', message, line.start)
}
