import { encoder } from '../base64.ts'
import { TILE_WIDTH } from '../tiles.ts'

/** The files of an export, wherever they are: a folder, what was dropped on a page, the memory of a test. */
export interface ExportFiles {
  /** Names of all files below the export, with forward slashes. */
  names(): Promise<readonly string[]>
  /** A whole file; undefined when it is not there, or larger than `most`. */
  read(name: string, most: number): Promise<Uint8Array | undefined>
  /** A file piece by piece, for those that grow with the log; undefined when it is not there. */
  chunks(name: string): AsyncIterable<Uint8Array> | undefined
}

export const CHECKPOINT = 'checkpoint'
export const VKEY = 'vkey'
export const CHECKPOINTS = 'checkpoints.jsonl'
export const DISCLOSURES = 'disclosures.jsonl'
/** A longer line is an attack on the reader's memory: a package has at most a few hundred kilobytes. */
const MOST_LINE_BYTES = 16_000_000
const NEWLINE = 10
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const TILE_NAME = /^tile\/(entries|\d)\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/

/** The path of a row of `width` hashes; a full row has no width in its name. */
export const tilePath = (level: number, n: number, width = TILE_WIDTH): string =>
  `tile/${level}/${indexPath(n)}${partOf(width)}`

/** The path of a bundle of entries. */
export const bundlePath = (n: number, width = TILE_WIDTH): string =>
  `tile/entries/${indexPath(n)}${partOf(width)}`

/** Whether a log of `size` entries has a tile or bundle of this very name. Nothing is listed: a size may be a lie. */
export function isTileOf(name: string, size: number): boolean {
  const [, kind = '', path = '', part] = TILE_NAME.exec(name) ?? []
  if (path === '') return false
  const level = kind === 'entries' ? 0 : Number(kind)
  const n = Number(path.replaceAll(/[x/]/g, ''))
  const count = Math.floor(size / TILE_WIDTH ** level)
  const width = Math.min(TILE_WIDTH, count - n * TILE_WIDTH)
  if (width <= 0 || (part === undefined ? TILE_WIDTH : Number(part)) !== width) return false
  return name === (kind === 'entries' ? bundlePath(n, width) : tilePath(level, n, width))
}

/**
 * The lines of a file, as many at a time as came with a piece of it. Each ends with a line feed, the last one too;
 * undefined stands for one that does not or that is too long, and nothing follows it.
 */
export async function* byteLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncIterable<readonly (Uint8Array | undefined)[]> {
  let held: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    const lines: Uint8Array[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = chunk.subarray(start, end)
      lines.push(held.length === 0 ? line : joined([...held, line]))
      start = end + 1
      held = []
      size = 0
    }
    if (lines.length > 0) yield lines
    // A copy: whoever gives the chunk may fill it again.
    if (start < chunk.length) held.push(chunk.slice(start))
    size += chunk.length - start
    if (size > MOST_LINE_BYTES) break
  }
  if (held.length > 0) yield [undefined]
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Room for any id that the log has, and its views by length: both are slow to make anew. */
const LETTERS = new Uint8Array(256)
const views: (Uint8Array | undefined)[] = new Array(LETTERS.length + 1).fill(undefined)
let copied = ''

/** The same text in memory of its own: a part of a longer one would keep all of that. Often asked for twice. */
export function ownCopy(text: string): string {
  if (copied === text) return copied
  const { read, written } = encoder.encodeInto(text, LETTERS)
  views[written] ??= LETTERS.subarray(0, written)
  copied = utf8(read === text.length ? views[written] : encoder.encode(text)) ?? text
  return copied
}

/** Strict: what is not UTF-8 is not replaced by something that is. */
export function utf8(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** 1234067 is written x001/x234/067. */
function indexPath(n: number): string {
  const digits = String(n)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  return groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/')
}

const partOf = (width: number): string => (width === TILE_WIDTH ? '' : `.p/${width}`)
