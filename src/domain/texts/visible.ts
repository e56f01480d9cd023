// biome-ignore-all lint/suspicious/noControlCharactersInRegex: they are what this file takes away
import { once } from '../once.ts'

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

/** The name of a state, a step or a field as people read it: `in_progress` becomes "in progress". */
export const inWords = (name: string): string => name.replaceAll('_', ' ')

/** A name or a path, which says nothing by itself. */
const PLAIN = /^[\w./-]{1,100}$/

/** Words of others within a sentence of ours: in quotes that they cannot leave, unless they are a plain name. */
export const quoted = (words: string): string => (PLAIN.test(words) ? words : JSON.stringify(words))

type TextChange = (text: string) => string

/** A value with every text in it changed, names of fields too. What needs no change is the same object as before. */
export function changeTexts<T>(value: T, change: TextChange): T {
  return changed(value, change) as T
}

/**
 * Half of a character that takes two, as cutting a text leaves it, has no bytes in UTF-8: no file could hold it, and a
 * log entry would not match its own text. Stores that take it replace it by the same sign.
 */
export const wellFormedDeep = <T>(value: T): T => changeTexts(value, (text) => text.toWellFormed())

function changed(value: unknown, change: TextChange): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return changedList(value, change)
  if (typeof value === 'object' && value !== null && isPlain(value)) return changedObject(value, change)
  return value
}

/** Most lists and objects need no change: what has none is looked at where it stands and is not made anew. */
function changedList(list: readonly unknown[], change: TextChange): readonly unknown[] {
  let next: unknown[] | undefined
  for (let i = 0; i < list.length; i++) {
    const each = changed(list[i], change)
    if (!next && each !== list[i]) next = list.slice(0, i)
    next?.push(each)
  }
  return next ?? list
}

function changedObject(object: object, change: TextChange): object {
  const values = object as Readonly<Record<string, unknown>>
  const keys = Object.keys(values)
  let next: [string, unknown][] | undefined
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    const [name, each] = [change(key), changed(values[key], change)]
    if (!next && (name !== key || each !== values[key])) next = Object.entries(values).slice(0, i)
    next?.push([name, each])
  }
  return next ? Object.fromEntries(next) : object
}

/** An object that is nothing but its fields. */
export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
