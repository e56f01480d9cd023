// biome-ignore-all lint/suspicious/noControlCharactersInRegex: they are what this file takes away
/** Control strings that end with BEL or ST: OSC (title, clipboard, hyperlink), DCS, SOS, PM, APC; 7 and 8 bits. */
const STRINGS =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/g
/** CSI with parameters, intermediates and a final byte; then every other escape sequence. */
const SEQUENCES = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g
/** C0 without tab and line feed, DEL, C1: also what a broken sequence has left. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/**
 * Characters that nobody sees and that change what is read: marks that turn the direction round, zero widths,
 * joiners, variation selectors, annotations and the block of tags.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself
  /[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu

/**
 * Text of agents as it may reach a terminal or a pipe: what it says stays, and nothing in it moves the cursor,
 * changes a colour or a title, writes the clipboard, overwrites a line or hides a character.
 */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(STRINGS, '')
    .replace(SEQUENCES, '')
    .replace(/\r\n|[\u2028\u2029]/g, '\n')
    .replace(CONTROLS, '')
    .replace(HIDDEN, '')
}

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
