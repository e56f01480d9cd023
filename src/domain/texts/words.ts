import { once } from '../once.ts'

const ACCENTS = /[\u0300-\u036f]/g
const RUNS = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}/gu
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
/** A longer word is found by its beginning. */
const LONGEST = 60
const segmenter = once(() => new Intl.Segmenter('und', { granularity: 'word' }))

/** The words of a text in lower case and without accents: the only cut that both engines see. */
export function wordsIn(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toUpperCase().toLowerCase()
  return (plain.match(RUNS) ?? []).flatMap((run) => (UNSPACED.test(run) ? segments(run) : [short(run)]))
}

/** The words to keep in an index. Of words without spaces, and `inside` an id, every ending is one too. */
export const indexedWords = (text: string, inside = false): readonly string[] =>
  wordsIn(text).flatMap((word) => {
    if (!inside && !UNSPACED.test(word)) return [word]
    const letters = [...word]
    return letters.map((_, i) => letters.slice(i).join(''))
  })

/** Whether every word that is sought begins one that was found. */
export const hasWords = (found: readonly string[], sought: readonly string[]): boolean =>
  sought.every((word) => found.some((each) => each.startsWith(word)))

const segments = (run: string): readonly string[] =>
  [...segmenter().segment(run)].filter((part) => part.isWordLike).map(({ segment }) => short(segment))

const short = (word: string): string => word.slice(0, LONGEST).toWellFormed()
