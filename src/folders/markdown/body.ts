import type { BodySection } from '../../dialects/markdown/render.ts'

export interface Renewal {
  /** What Baton may have written when file and engine last agreed. */
  readonly before: readonly BodySection[]
  readonly now: readonly BodySection[]
  /** Whether all that Baton wrote is known: it is not of files from before that was kept. */
  readonly isKnown: boolean
}

/**
 * A body in which somebody wrote: every section that is still as Baton wrote it becomes what Baton would write now,
 * what the front matter has no key for comes where the template has it, and all else stays byte for byte.
 */
export function renewed(given: string, { before, now, isKnown }: Renewal): string {
  const native = (text: string): string => (given.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text)
  const isSame = ({ name, text }: BodySection, others: readonly BodySection[]): boolean =>
    others.some((other) => other.name === name && other.text === text)
  let body = given
  const done = new Set<string>()
  for (const old of before.filter((each) => !isSame(each, now))) {
    const next = native(now.find(({ name }) => name === old.name)?.text ?? '')
    if (done.has(old.name) || (next !== '' && offsetOfText(body, next) >= 0)) continue
    const at = offsetOfText(body, native(old.text))
    if (at < 0) continue
    done.add(old.name)
    body = replaced(body, at, native(old.text), next)
  }
  for (const [i, section] of now.entries())
    if (section.isOnlyHere && !isSame(section, before) && (isKnown || !hasHeading(body, section)))
      body = withSection(body, section, now.slice(i + 1), native)
  return body
}

const headingOf = ({ text }: BodySection): string => text.split('\n', 1)[0] ?? ''

const hasHeading = (body: string, section: BodySection): boolean => endOfLine(body, headingOf(section)) >= 0

/** Where the section stands whole: from the start of a line to a blank line or the end. */
function offsetOfText(body: string, text: string): number {
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) {
    const rest = body.slice(at + text.length)
    if (isLine(body, at) && /^(?:\r?\n(?:\r?\n|$)|$)/.test(rest)) return at
  }
  return -1
}

function replaced(body: string, at: number, from: string, to: string): string {
  const rest = body.slice(at + from.length)
  return body.slice(0, at) + (to === '' ? rest.replace(/^(?:\r?\n)+/, '') : to + rest)
}

/** Whether a line of the document begins there; what an author quotes between fences is none. */
function isLine(body: string, at: number): boolean {
  if (at > 0 && body[at - 1] !== '\n') return false
  const fences = body.slice(0, at).match(/^ {0,3}(?:`{3,}|~{3,})/gm) ?? []
  return fences.length % 2 === 0
}

/** A section that has come since. Where its author has one of the same name, what is missing comes first in it. */
function withSection(
  body: string,
  section: BodySection,
  later: readonly BodySection[],
  native: (text: string) => string,
): string {
  const [heading = '', ...lines] = section.text.split('\n')
  const end = endOfLine(body, heading)
  if (end >= 0) {
    const missing = lines.filter((line) => endOfLine(body, line) < 0)
    return body.slice(0, end) + missing.map((line) => native(`\n${line}`)).join('') + body.slice(end)
  }
  const next = later
    .map(({ text }) => text.split('\n', 1)[0] ?? '')
    .find((each) => endOfLine(body, each) >= 0)
  if (next === undefined) return `${body.trimEnd()}${native(`\n\n${section.text}\n`)}`
  const at = endOfLine(body, next) - next.length
  return body.slice(0, at) + native(`${section.text}\n\n`) + body.slice(at)
}

/** Where a line of this text ends; -1 where there is none. */
function endOfLine(body: string, line: string): number {
  for (let at = body.indexOf(line); at >= 0; at = body.indexOf(line, at + 1)) {
    const end = at + line.length
    if (isLine(body, at) && /^(?:\r?\n|$)/.test(body.slice(end, end + 2))) return end
  }
  return -1
}
