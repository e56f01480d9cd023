import { stripVTControlCharacters } from 'node:util'

/** Signs that take two cells: East Asian wide and full-width forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const NARROW = /^[\u0020-\u007e\u00a1-\u02ff]*$/

/** How many cells of a terminal a text takes; our own colours take none. */
export function widthOf(painted: string): number {
  const text = painted.includes('\u001b') ? stripVTControlCharacters(painted) : painted
  if (NARROW.test(text)) return text.length
  let cells = 0
  for (const sign of text) cells += /\p{M}/u.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1
  return cells
}

/** At most so many cells; what was cut off shows as an ellipsis. */
export function cut(text: string, cells: number): string {
  if (widthOf(text) <= cells) return text
  let kept = ''
  let used = 0
  for (const sign of text) {
    const width = widthOf(sign)
    if (used + width > cells - 1) break
    kept += sign
    used += width
  }
  return `${kept.trimEnd()}…`
}

export const pad = (text: string, cells: number): string =>
  text + ' '.repeat(Math.max(0, cells - widthOf(text)))

/** Lines of at most so many cells, broken between words; a word that is longer stands alone and whole. */
export function wrap(text: string, cells: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const indent = /^\s*/.exec(paragraph)?.[0] ?? ''
    const lines: string[] = []
    let line = ''
    for (const word of paragraph.trim().split(/\s+/)) {
      const next = line === '' ? indent + word : `${line} ${word}`
      if (line !== '' && widthOf(next) > cells) {
        lines.push(line)
        line = indent + word
      } else line = next
    }
    return [...lines, line]
  })
}
