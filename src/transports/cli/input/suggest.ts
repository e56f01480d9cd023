import { nearest } from '../../../domain/texts/nearest.ts'

/** The end of a sentence that refuses a word: the one that was probably meant, or nothing. */
export function didYouMean(word: string, known: Iterable<string>, lead = ''): string {
  // One letter is near to every other.
  const words = word.length < 2 ? [] : [...known].filter((each) => each.length > 1)
  const found =
    nearest(word, words) ?? (word.length > 2 ? words.find((each) => each.startsWith(word)) : undefined)
  return found === undefined ? '' : `; did you mean ${lead}${found}?`
}
