export interface Repaired {
  readonly text: string
  /** How many signs were put right. */
  readonly count: number
}

/** Signs that agents use and that were seen garbled. Nothing else is touched. */
const SIGNS = [
  ...'❌✅⏳⚠→←↑↓⇒▼▲►◄─│┌┐└┘├┤┬┴┼━•…—–’‘“”€™✓✔✗🔴🟠🟡🟢🚀🎯📋🔄',
  ...'éèêëàâäáãåçîïíìôöóòõûüúùñßæøœÉÈÀÂÄÇÔÖÜÑ',
  ...'°§«»·×©®±µ',
  '\u00a0',
]

/** The bytes of 0x80 to 0x9f in the two code pages of Windows; the rest is as in Latin 1, but for a few. */
const CP1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const CP1254 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008d\u008e\u008f\u0090‘’“”•–—˜™š›œ\u009d\u009eŸ'
const TURKISH: Readonly<Record<number, string>> = {
  208: 'Ğ',
  221: 'İ',
  222: 'Ş',
  240: 'ğ',
  253: 'ı',
  254: 'ş',
}

const GARBLED = table()
const LONGEST = Math.max(...[...GARBLED.keys()].map((key) => key.length))
/** How every garbled sign begins: the first byte of two, three or four. */
const SUSPECT = /[ÂÃÅâğðİ]/
const SUSPECTS = /[ÂÃÅâğð]/g

/**
 * Puts signs right that were written in UTF-8 and read in a code page of Windows. For prose and logs only: data
 * says what it says.
 */
export function repairMojibake(text: string): Repaired {
  if (!SUSPECT.test(text)) return { text, count: 0 }
  const parts: string[] = []
  let done = 0
  let count = 0
  for (const { index } of text.matchAll(SUSPECTS)) {
    if (index < done) continue
    const found = signAt(text, index)
    if (found === undefined) continue
    parts.push(text.slice(done, index), found.sign)
    done = index + found.length
    count++
  }
  parts.push(text.slice(done))
  return { text: parts.join(''), count }
}

function signAt(text: string, at: number): { readonly sign: string; readonly length: number } | undefined {
  for (let length = LONGEST; length >= 2; length--) {
    const sign = GARBLED.get(text.slice(at, at + length))
    if (sign !== undefined) return { sign, length }
  }
  return undefined
}

function table(): ReadonlyMap<string, string> {
  const garbled = new Map<string, string>()
  for (const sign of SIGNS) {
    const bytes = [...new TextEncoder().encode(sign)]
    garbled.set(bytes.map((byte) => windowsSign(byte, CP1252)).join(''), sign)
    garbled.set(bytes.map((byte) => TURKISH[byte] ?? windowsSign(byte, CP1254)).join(''), sign)
    // Readers that leave out the bytes a code page does not have.
    const kept = bytes
      .map((byte) => windowsSign(byte, CP1252))
      .filter((char) => char < '\u0081' || char > '\u009d')
    if (bytes.length >= 3 && !garbled.has(kept.join(''))) garbled.set(kept.join(''), sign)
  }
  return garbled
}

function windowsSign(byte: number, page: string): string {
  return byte >= 0x80 && byte <= 0x9f ? page[byte - 0x80]! : String.fromCharCode(byte)
}
