import type { Source } from '../text/source.ts'

const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:`{3}|~{3})/
const ROOT_LINE = '\nhandoff:'
const CLOSING = '\n```'
/** What stands further above than this belongs to something else; many blocks in a long text stay cheap. */
const MAX_SUMMARY = 64_000

/** The summary that a block ends: the text above it, as far as the block before. Below front matter, the text below. */
export function bodyOf(source: Source): string | undefined {
  if (source.kind === 'markdown') return source.body
  if (source.kind !== 'fence') return undefined
  const from = Math.max(0, source.start - MAX_SUMMARY)
  const text = source.text.slice(from, source.start)
  const start = text.length
  const line = lineAbove(text, start)
  const isFenced = FENCE.test(text.slice(line, start))
  const until = isFenced ? line : start
  const above = text.slice(endOfBlockBefore(text, until), until)
  const body = withoutBreak(withoutBreak(isFenced ? above : withoutRule(above)))
  return body.trim() === '' ? undefined : body
}

/** The text with a block below it, so that `bodyOf` gives the text again. */
export const withBlock = (body: string, block: string): string => `${body}\n\n${block}`

/** A text that holds a block itself would be read as that block; an empty or very long one not as it is. */
export const canStandAbove = (body: string): boolean =>
  body.length < MAX_SUMMARY && body.trim() !== '' && !/^\s*["']?handoff["']?\s*:/m.test(body)

const lineAbove = (text: string, start: number): number =>
  start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1

function withoutBreak(text: string): string {
  if (!text.endsWith('\n')) return text
  return text.slice(0, text.endsWith('\r\n') ? -2 : -1)
}

/** Without the `---` that a block without a fence stands below. */
function withoutRule(above: string): string {
  const text = above.trimEnd()
  return text.endsWith('\n---') ? text.slice(0, -'---'.length) : above
}

/** In a fence to its end; without one as long as the lines are indented. */
function endOfBlockBefore(text: string, until: number): number {
  const before = until < 2 ? -1 : text.lastIndexOf(ROOT_LINE, until - 2)
  if (before < 0) return 0
  const isFenced = FENCE.test(text.slice(lineAbove(text, before + 1), before))
  if (!isFenced) {
    const next = /\n(?=\S)/g
    next.lastIndex = before + 1
    return Math.min(until, (next.exec(text)?.index ?? until) + 1)
  }
  const closing = text.indexOf(CLOSING, before + 1)
  const end = closing < 0 ? -1 : text.indexOf('\n', closing + 1)
  return end < 0 ? until : Math.min(until, end + 1)
}
