import { type Line, lineAt } from '../lines.ts'
import { isMapping, type NotationProblem, problemAt, type Reading } from '../tree.ts'
import { readYaml } from '../yaml/yaml.ts'

export interface FrontMatter {
  /** The YAML between the marks. */
  readonly start: number
  readonly end: number
  readonly bodyAt: number
  readonly reading: Reading
}

const MARK = /^---[ \t]*$/
/** Errors that leave no doubt about where the front matter ends. */
const BEARABLE = ['duplicate_key', 'unclosed_front_matter']
/** Nothing, a comment, or the fence that some put around the whole document. */
const MAY_STAND_ABOVE = /^(?:|<!--[^>]*-->|(?:`{3,}|~{3,}) ?(?:markdown|md|ya?ml)?)$/
const MAX_ABOVE = 200
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/
/** What a line at the left margin looks like in YAML. */
const YAML_LINE = /^(?:[ \t].*|#.*|- .*|-|\s*|["']?[\w@./ -]{1,80}["']?:(?:[ \t].*)?)$/

/** The front matter of a text, when its first line is `---`. A rule above a sentence is none. */
export function frontMatterOf(text: string): FrontMatter | undefined {
  const first = firstLine(text)
  const front = first && frontMatterFrom(text, first)
  if (front === undefined) return undefined
  const { value } = front.reading
  return isMapping(value) || value === undefined || hasErrors(front) ? front : undefined
}

function frontMatterFrom(text: string, first: Line): FrontMatter {
  const closing = closingLine(text, first.next)
  if (closing !== undefined) {
    const closed = piece(text, first.next, closing.start, closing.next)
    if (!hasErrors(closed)) return closed
    const cut = unclosed(text, first)
    return cut.end < closing.start && !hasErrors(cut) ? cut : closed
  }
  return unclosed(text, first)
}

/** The line `---` that opens front matter; some lines may stand above. */
export function firstLine(text: string): Line | undefined {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  for (; at < text.length; ) {
    const line = lineAt(text, at)
    const content = text.slice(line.start, line.end)
    if (MARK.test(content)) return line
    if (content.length > MAX_ABOVE || !MAY_STAND_ABOVE.test(content.trim())) return undefined
    at = line.next
  }
  return undefined
}

export function closingLine(text: string, from: number): Line | undefined {
  for (let at = from; at < text.length; ) {
    const line = lineAt(text, at)
    const sign = text[line.start]
    if ((sign === '-' || sign === '.') && CLOSING.test(text.slice(line.start, line.end))) return line
    at = line.next
  }
  return undefined
}

function piece(
  text: string,
  start: number,
  end: number,
  bodyAt: number,
  notes: readonly NotationProblem[] = [],
): FrontMatter {
  const reading = readYaml(text.slice(start, end))
  return { start, end, bodyAt, reading: { ...reading, notes: [...notes, ...reading.notes] } }
}

function hasErrors({ reading }: FrontMatter): boolean {
  return reading.notes.some(({ severity, code }) => severity === 'error' && !BEARABLE.includes(code))
}

/** Ends at the first line that cannot be YAML, or where a heading follows a blank line. */
function unclosed(text: string, first: Line): FrontMatter {
  let end = first.next
  let blankAt = -1
  for (let at = first.next; at < text.length; ) {
    const line = lineAt(text, at)
    const content = text.slice(line.start, Math.min(line.end, line.start + 500))
    const isBlank = content.trim() === ''
    if (!YAML_LINE.test(content) || (blankAt !== -1 && /^#{1,6} /.test(content))) break
    if (isBlank && blankAt === -1) blankAt = line.start
    if (!isBlank) {
      blankAt = -1
      end = line.next
    }
    at = line.next
  }
  const message = 'the front matter is not closed; write --- on a line of its own below its last key'
  const at = first.start - first.next
  return piece(text, first.next, end, end, [problemAt('error', 'unclosed_front_matter', message, at)])
}
