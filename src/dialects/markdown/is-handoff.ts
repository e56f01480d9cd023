import { isData, own } from '../difference.ts'
import { sourcesOf } from '../text/sources.ts'
import { isProhibited } from './check.ts'
import { dayInName, originalOf, stemOf } from './names.ts'
import { normalKey } from './table.ts'

const ENDING = /\.(?:md|markdown|mdx)$/i
const NAMED = /^handoff[-_]/i
/** In the folders that version 1 had for handoffs alone, less of a name will do. */
const OLD_NAME = /^handoff(?:[-_. ]|$)/i
const OLD_FOLDER = /(?:^|\/)_handoffs\//i
/** Front matter stands at the top of a file, or it is none. */
const OPENING = /^[\s\ufeff]*---[ \t]*\r?\n/
/** For front matter that cannot be parsed: it would otherwise pass for a note. */
const ID_LINE = /^["']?handoff[_-]?id["']?[ \t]*:/im

/**
 * Whether a file is a handoff for a guard of places: by a name with a day in it, or by `handoff_id` in its front
 * matter, so that another name does not hide it. A guide called handoff-rules.md is none.
 */
export function isHandoffFile(path: string, text: string | undefined): boolean {
  return isHandoffName(path) || (text !== undefined && hasHandoffId(text))
}

export function isHandoffName(path: string): boolean {
  if (!ENDING.test(path)) return false
  const stem = originalOf(stemOf(path))
  return isProhibited(path) && OLD_FOLDER.test(path)
    ? OLD_NAME.test(stem)
    : NAMED.test(stem) && dayInName(stem) !== undefined
}

export function hasHandoffId(text: string): boolean {
  const opening = OPENING.exec(text)
  if (!opening) return false
  const [source] = sourcesOf(text, { path: 'handoff.md' })
  const value = source?.value
  if (isData(value)) return hasId(value) || hasId(own(value, 'handoff'))
  return ID_LINE.test(text.slice(opening[0].length).split(/^---[ \t]*$/m)[0]!)
}

const hasId = (value: unknown): boolean =>
  isData(value) && Object.keys(value).some((key) => normalKey(key) === 'handoff_id')
