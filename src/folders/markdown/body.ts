import type { BodySection } from '../../dialects/markdown/render.ts'

export interface Renewal {
  /** What Baton may have written when file and engine last agreed. */
  readonly before: readonly BodySection[]
  readonly now: readonly BodySection[]
}

/**
 * A body in which somebody wrote: every section that is still as Baton wrote it becomes what Baton would write now,
 * what the front matter has no key for comes where the template has it, and all else stays byte for byte.
 */
export function renewed(given: string, { before, now }: Renewal): string {
  const native = (text: string): string => (given.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text)
  const isSame = ({ name, text }: BodySection, others: readonly BodySection[]): boolean =>
    others.some((other) => other.name === name && other.text === text)
  let body = given
  for (const old of before.filter((each) => !isSame(each, now))) {
    const next = now.find(({ name }) => name === old.name)
    body = replaced(body, native(old.text), native(next?.text ?? ''))
  }
  for (const [i, section] of now.entries())
    if (section.isOnlyHere && !isSame(section, before))
      body = withSection(body, section, now.slice(i + 1), native)
  return body
}

/** The section where it stands whole: from the start of a line to a blank line or the end. */
function replaced(body: string, from: string, to: string): string {
  for (let at = body.indexOf(from); at >= 0; at = body.indexOf(from, at + 1)) {
    const rest = body.slice(at + from.length)
    if ((at > 0 && body[at - 1] !== '\n') || !/^(?:\r?\n(?:\r?\n|$)|$)/.test(rest)) continue
    return body.slice(0, at) + (to === '' ? rest.replace(/^(?:\r?\n)+/, '') : to + rest)
  }
  return body
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
    if ((at === 0 || body[at - 1] === '\n') && /^(?:\r?\n|$)/.test(body.slice(end, end + 2))) return end
  }
  return -1
}
