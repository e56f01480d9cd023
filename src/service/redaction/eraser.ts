import { changeTexts } from '../../domain/texts/visible.ts'

/** The mark that replaces an erased text. */
export const REDACTED = '[redacted]'

/** Shorter texts are looked for in words for people only: they would be found in half of everything. */
const SHORT_TEXT = 8
/** A copy that was cut is known by this much of its beginning. */
const BEGINNING = 16
/** Notices and notes are cut at a length, titles end with an ellipsis. */
const CUT_LENGTH = 1_000

/** Finds texts that must go in other texts: whole, as a first line that became a title, or cut off. */
export class Eraser {
  readonly #texts: readonly string[]

  constructor(values: Iterable<unknown>) {
    const found = new Set<string>()
    for (const value of values) for (const text of textsIn(value)) found.add(text.trim())
    found.delete(REDACTED)
    // The longest first: one of them may be a part of another.
    this.#texts = [...found].filter((text) => !isPlain(text)).sort((a, b) => b.length - a.length)
  }

  /** A value of any shape without the texts; the same object when it holds none. */
  deep<T>(value: T): T {
    return changeTexts(value, (text) => this.#inside(text))
  }

  /** Words that people wrote for people, where a short text is taken out too. */
  words<T extends string | undefined>(text: T): T | string {
    if (text === undefined) return text
    return this.#texts
      .filter(({ length }) => length < SHORT_TEXT)
      .reduce((left, short) => left.replace(wordOf(short), `$1${REDACTED}`), this.#inside(text))
  }

  isIn(value: unknown): boolean {
    return this.deep(value) !== value
  }

  /** Whether bytes that were written by others may hold one of the texts, however they were wrapped or quoted. */
  mayBeIn(bytes: Uint8Array): boolean {
    const squeezed = squeeze(Buffer.from(bytes).toString('utf8'))
    return this.#texts.some((text) => {
      const parts = [text, ...piecesOf(text).filter(({ length }) => length >= BEGINNING)].map(squeeze)
      return parts.some((part) => part.length >= SHORT_TEXT && squeezed.includes(part))
    })
  }

  #inside(text: string): string {
    return this.#texts
      .filter(({ length }) => length >= SHORT_TEXT)
      .reduce((left, long) => withoutCut(withoutWhole(left, long), long), text)
  }
}

function withoutWhole(text: string, gone: string): string {
  const [title = ''] = gone.split('\n')
  if (title.length >= SHORT_TEXT && text.trim() === title.trim()) return REDACTED
  return text.replaceAll(gone, REDACTED)
}

function withoutCut(text: string, gone: string): string {
  const kept = text.endsWith('…') ? text.slice(0, -1) : text.length >= CUT_LENGTH ? text : ''
  const at = gone.length > BEGINNING ? kept.indexOf(gone.slice(0, BEGINNING)) : -1
  return at >= 0 && gone.startsWith(kept.slice(at)) ? `${text.slice(0, at)}${REDACTED}` : text
}

/** The pieces of a text without the marks around them: `key=…,` quotes a key. */
const piecesOf = (text: string): readonly string[] =>
  text.split(/[\s,;="'`()<>{}[\]]+/).map((piece) => piece.replace(/^[.:!?]+|[.:!?]+$/g, ''))

/** The same letters in the same order, whatever quotes, indents or wraps them. */
const squeeze = (text: string): string => text.replaceAll(/[\s"'\\>|#*-]+/g, '')

const wordOf = (text: string): RegExp =>
  new RegExp(`(^|[^\\p{L}\\p{N}])${text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'gu')

/** A single word or three letters would be found everywhere, and are not a secret: `completed`, `yes`. */
const isPlain = (text: string): boolean => text.length < 4 || /^\p{L}{0,15}$/u.test(text)

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  // The name of a deliverable also stands in the package, and is not part of the evidence.
  const said = Object.entries(value).filter(([name]) => name !== 'deliverable')
  return said.flatMap(([, each]) => textsIn(each))
}
