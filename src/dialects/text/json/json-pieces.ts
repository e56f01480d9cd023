import { MAX_JSON_LENGTH, MAX_NOTES } from '../limits.ts'
import { noted, type Piece, refusedPiece } from '../piece.ts'
import { type NotationProblem, problemAt } from '../tree.ts'
import { fastReading, readJson, slowReading } from './json.ts'
import { readJsonTree, skipBlank } from './json-read.ts'

export const EMPTY = 'the text is empty; a handoff was expected here'
/** A comment, a bracket or a text. */
const JSON_START = /[/#{["']/
const SEVERAL = 'a second value follows the first; each belongs into a file of its own'

/** The one value of strict JSON. */
export function fastPiece(text: string, from: number): Piece | undefined {
  const reading = fastReading(from === 0 ? text : text.slice(from))
  return reading && { kind: 'json', start: from, end: text.length, reading, read: readJson }
}

/** The values of a text that is meant to be JSON, or lines of it; at least one. */
export function jsonPieces(text: string, from: number, areLines = false): readonly Piece[] {
  if (text.length > MAX_JSON_LENGTH)
    return [refusedJson(text, 'too_large', `more than ${MAX_JSON_LENGTH} characters; that much is not read`)]
  const sign = text[from]
  if (sign === undefined) return [refusedJson(text, 'empty', EMPTY)]
  const fast = fastPiece(text, from)
  if (fast) return [fast]
  if (sign === '`') return fencedJson(text, from) ?? [notJson(text)]
  return JSON_START.test(sign) ? severalPieces(text, from, areLines) : [notJson(text)]
}

/** Agents put fences around JSON even where a file holds nothing else. */
export function fencedJson(text: string, from: number): readonly Piece[] | undefined {
  const fence = /^`{3,}(?:jsonc?|json5)?[ \t]*\r?\n/.exec(text.slice(from, from + 100))
  if (!fence) return undefined
  const start = from + fence[0].length
  const closing = text.indexOf('\n```', start)
  const end = closing === -1 ? text.length : closing
  const reading = readJson(text.slice(start, end))
  const message = 'the file holds a fence around the JSON; remove the lines with ```'
  const piece: Piece = { kind: 'json', start, end, reading, read: readJson }
  return [noted(piece, problemAt('warning', 'fenced_json', message, from - start))]
}

function notJson(text: string): Piece {
  return refusedJson(text, 'not_json', 'this is not JSON; a JSON file begins with { or [')
}

/** The values that stand one after the other in a text. */
function severalPieces(text: string, from: number, areExpected: boolean): readonly Piece[] {
  const pieces: Piece[] = []
  const notes: NotationProblem[] = []
  const skipFrom = (offset: number) => {
    const blank = skipBlank(text, offset)
    notes.push(...blank.notes)
    return blank.at
  }
  for (let at = skipFrom(from); at < text.length; ) {
    const sign = text[at]
    if (pieces.length > 0 && sign !== '{' && sign !== '[') {
      notes.push(problemAt('error', 'text_after', 'text stands after the JSON; remove it', at))
      break
    }
    const read = readJsonTree(text.slice(at))
    const end = at + Math.max(read.end, 1)
    pieces.push({ kind: 'json', start: at, end, reading: slowReading(read), read: readJson })
    at = skipFrom(end)
  }
  const [first, second, ...others] = pieces
  if (first === undefined)
    return [refusedJson(text, 'empty', 'there are only comments here; a handoff was expected')]
  const whole = noted(
    first,
    ...notes.slice(0, MAX_NOTES).map((note) => ({ ...note, at: note.at - first.start })),
  )
  if (!second) return [whole]
  const several = problemAt('warning', 'several_objects', SEVERAL, 0)
  return [whole, areExpected ? second : noted(second, several), ...others]
}

function refusedJson(text: string, code: string, message: string): Piece {
  return refusedPiece({ kind: 'json', end: text.length, read: readJson }, code, message)
}
