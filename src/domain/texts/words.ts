import { once } from '../once.ts'

/** Most texts: far quicker, and cut the same. */
const PLAIN = /^[\0-\x7f]*$/
const ACCENTS = /[\u0300-\u036f]/g
const RUNS = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}/gu
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
/** A longer word is found by its beginning. */
const LONGEST = 60
const segmenter = once(() => new Intl.Segmenter('und', { granularity: 'word' }))

/** The words of a text in lower case and without accents: the only cut that both engines see. */
export function wordsIn(text: string): readonly string[] {
  if (PLAIN.test(text)) return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map(short)
  const plain = text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toUpperCase().toLowerCase()
  return (plain.match(RUNS) ?? []).flatMap((run) => (UNSPACED.test(run) ? segments(run) : [short(run)]))
}

/** The words to keep in an index. Of words without spaces, and `inside` an id, every ending is one too. */
export const indexedWords = (text: string, inside = false): readonly string[] =>
  wordsIn(text).flatMap((word) => {
    if (!inside && (PLAIN.test(word) || !UNSPACED.test(word))) return [word]
    const letters = [...word]
    return letters.map((_, i) => letters.slice(i).join(''))
  })

/** Whether every word that is sought begins one that was found. */
export const hasWords = (found: readonly string[], sought: readonly string[]): boolean =>
  sought.every((word) => found.some((each) => each.startsWith(word)))

/** How many of these words begin one of the text. */
export function countWords(text: string, sought: readonly string[], inside = false): number {
  const lower = PLAIN.test(text) ? text.toLowerCase() : undefined
  const possible = lower === undefined ? sought : sought.filter((word) => lower.includes(word))
  if (possible.length === 0) return 0
  const found = indexedWords(text, inside)
  return possible.filter((word) => hasWords(found, [word])).length
}

const segments = (run: string): readonly string[] =>
  [...segmenter().segment(run)].filter((part) => part.isWordLike).map(({ segment }) => short(segment))

const short = (word: string): string => word.slice(0, LONGEST).toWellFormed()
