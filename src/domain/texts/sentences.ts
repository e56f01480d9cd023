const ENDS = '.!?'
const AFTER = ' \t\r\n"\')]'

/** Dots that end a word and no sentence. */
const SHORT = ['e.g', 'i.e', 'etc', 'vs', 'cf', 'resp', 'incl', 'approx', 'no', 'fig']

/**
 * How many sentences a text has. A dot counts where space or the end follows, so that `package.json`, `5.3+`
 * and `.env.example` do not end a sentence.
 */
export function sentencesIn(text: string): number {
  let count = 0
  let isOpen = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    const after = text[at + 1]
    if (!ENDS.includes(sign)) isOpen ||= !AFTER.includes(sign)
    else if (isOpen && (after === undefined || AFTER.includes(after)) && !isShort(text, at)) {
      count++
      isOpen = false
    }
  }
  return isOpen ? count + 1 : count
}

function isShort(text: string, dot: number): boolean {
  const word = /[a-z.]*$/i.exec(text.slice(Math.max(0, dot - 8), dot))![0].toLowerCase()
  return text[dot] === '.' && SHORT.includes(word)
}
