// biome-ignore-all lint/suspicious/noControlCharactersInRegex: they are what this file takes away
import { once } from '../once.ts'
import { changeTexts } from './texts.ts'

/** Anything that might have to go; most texts have nothing of it and are left alone after one look. */
const SUSPECT =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]/

/** Control strings that end with BEL or ST: OSC (title, clipboard, hyperlink), DCS, SOS, PM, APC; 7 and 8 bits. */
const strings = once(
  () =>
    /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/g,
)
/** CSI with parameters, intermediates and a final byte; then every other escape sequence. */
const sequences = once(() => /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g)
/** C0 without tab and line feed, DEL, C1: also what a broken sequence has left. */
const controls = once(() => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g)

/**
 * Characters that are invisible or change how text reads: marks of direction, zero widths, fillers,
 * annotations, the supplement of variation selectors and the block of tags, in which whole sentences can hide.
 */
const hidden = once(
  () =>
    // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself
    /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu,
)

/** A selector says how the sign before it looks. One is writing; a second one, or one after a letter, is a message. */
const selectors = once(
  () => /(?<![\p{Emoji}\p{So}\p{Sm}])[\ufe00-\ufe0f]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gu,
)

/** Joiners belong between letters of scripts that join, and between the parts of one emoji. */
const joiners = once(
  () =>
    /(?<![\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Nko}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}])\u200c|(?<![\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Nko}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d/gu,
)

/**
 * A text as it may be shown to an agent or a person: what can be read in it stays as it is, and nothing in it is
 * hidden, turns the reading direction round or moves a cursor. What is stored and exported keeps every byte.
 */
export function visible(text: string): string {
  if (!SUSPECT.test(text)) return text
  return text
    .toWellFormed()
    .replace(strings(), '')
    .replace(sequences(), '')
    .replace(/\r\n|[\u2028\u2029]/g, '\n')
    .replace(controls(), '')
    .replace(hidden(), '')
    .replace(selectors(), '')
    .replace(joiners(), '')
}

/** The same for every text in a value, names of fields too. What needs no change is the same object as before. */
export const visibleDeep = <T>(value: T): T => changeTexts(value, visible)
