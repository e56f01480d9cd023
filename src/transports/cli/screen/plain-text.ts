import { visible } from '../../../domain/texts/visible.ts'

/**
 * Characters that nobody sees and that change what is read: marks that turn the direction round, zero widths,
 * joiners, variation selectors, annotations and the block of tags.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself
  /[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu

/**
 * Text of agents as it may reach a terminal or a pipe: what it says stays, and nothing in it moves the cursor,
 * changes a colour or a title, writes the clipboard, overwrites a line or hides a character. Joiners and
 * selectors go too: terminals do not agree on their width.
 */
export const plainText = (text: string): string => visible(text).replace(HIDDEN, '')

/** The same on one line, for a table or a title. */
export const oneLine = (text: string): string => plainText(text).replace(/\s+/g, ' ').trim()

/** JSON that is safe on a terminal and the same when parsed: what `plainText` takes away is written as an escape. */
export function safeJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent) ?? 'null'
  return json
    .replace(/[\u007f-\u009f]/g, escaped)
    .replace(HIDDEN, escaped)
    .replace(/[\u2028\u2029]/g, escaped)
}

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')
