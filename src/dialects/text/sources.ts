import { editPiece } from './edit/edit.ts'
import { readJson } from './json/json.ts'
import { EMPTY, fastPiece, fencedJson, jsonPieces } from './json/json-pieces.ts'
import { MAX_JSON_LENGTH } from './limits.ts'
import { Lines } from './lines.ts'
import { blocksOf, ROOT_KEYS } from './markdown/blocks.ts'
import { closingLine, firstLine, frontMatterOf } from './markdown/front-matter.ts'
import { type EditPiece, makeSource, type Piece, refusedPiece } from './piece.ts'
import type { Source } from './source.ts'
import { isMapping, type Reading, unread } from './tree.ts'
import { readYaml, readYamlStream } from './yaml/yaml.ts'

export interface SourceOptions {
  /** With forward slashes; its ending says what the text is meant to be. */
  readonly path?: string
  readonly recent?: RecentTexts | undefined
}

/** Keeps all that was made of some texts: on its way through a folder a text is met several times. */
export class RecentTexts {
  readonly #texts = new Map<string, Map<string, unknown>>()

  /** Answers what was made of a text before, or makes it. One name stands for one type. */
  made<T>(text: string, name: string, make: () => T): T {
    const known = this.#texts.get(text) ?? new Map<string, unknown>()
    this.#texts.set(text, known)
    if (!known.has(name)) known.set(name, make())
    return known.get(name) as T
  }

  clear(): void {
    this.#texts.clear()
  }
}

type SourceKind = 'json' | 'lines' | 'yaml' | 'markdown'

const ENDINGS: Readonly<Record<string, SourceKind>> = {
  json: 'json',
  jsonc: 'json',
  json5: 'json',
  jsonl: 'lines',
  ndjson: 'lines',
  yaml: 'yaml',
  yml: 'yaml',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  txt: 'markdown',
  text: 'markdown',
  log: 'markdown',
}
const KEY_LINE = /^["']?[A-Za-z_][\w .-]{0,60}["']?:(?:\s|$)/

/**
 * The structured pieces of any text: of JSON each object, of YAML each document, of Markdown the front matter
 * with the body and each block in it. Never throws; there is always at least one.
 */
export function sourcesOf(text: string, { path, recent }: SourceOptions = {}): readonly Source[] {
  const whole = { text, lines: new Lines(text), path }
  const kind = sourceKind(path)
  const known = (of: string, make: () => readonly Piece[]): readonly Piece[] =>
    recent ? recent.made(of, `pieces ${kind}`, make) : make()
  const pieces = known(text, () => piecesOf(text, kind))
  const edit: EditPiece = (...job) => {
    const edited = editPiece(...job)
    const { piece } = edited
    if (piece) known(edited.text, () => piecesWith(pieces, job[0], piece))
    return edited
  }
  return pieces.map((piece) => makeSource(whole, piece, edit))
}

/** The pieces of a text in which one was edited. */
function piecesWith(pieces: readonly Piece[], old: Piece, edited: Piece): readonly Piece[] {
  const by = edited.end - old.end
  return pieces.map((each) => {
    if (each === old) return edited
    return each.start > old.start ? { ...each, start: each.start + by, end: each.end + by } : each
  })
}

/** The last ending that is known: a name such as `x.json.processed` still says JSON. */
function sourceKind(path: string | undefined): SourceKind | undefined {
  if (path === undefined) return undefined
  const [, ...endings] = path.slice(path.lastIndexOf('/') + 1).split('.')
  const known = endings.slice(-2).findLast((ending) => Object.hasOwn(ENDINGS, ending.toLowerCase()))
  return known === undefined ? undefined : ENDINGS[known.toLowerCase()]
}

function piecesOf(text: string, hint: SourceKind | undefined): readonly Piece[] {
  const from = startOf(text)
  const sign = text[from]
  if (hint === 'json' || hint === 'lines') return jsonPieces(text, from, hint === 'lines')
  if (hint === 'yaml') return yamlFile(text)
  if (sign === '{' || sign === '[') {
    const fast = hint === 'markdown' || text.length > MAX_JSON_LENGTH ? undefined : fastPiece(text, from)
    if (fast) return [fast]
    const pieces = jsonPieces(text, from)
    const isClean = pieces.every(({ reading }) => reading.notes.length === 0)
    if (hint === undefined ? looksLikeJson(text, from, pieces) : isClean) return pieces
  }
  if (hint === undefined && sign === undefined) return jsonPieces(text, from)
  if (hint === undefined && sign === '`') {
    const fenced = fencedJson(text, from)
    if (fenced?.every(isMappingAlone(text))) return fenced
  }
  if (hint === undefined) {
    const yaml = yamlPieces(text)
    if (yaml) return yaml
  }
  return markdownPieces(text)
}

/** Whether a fence and the mapping in it are all there is. */
function isMappingAlone(text: string): (piece: Piece) => boolean {
  return ({ end, reading }) => isMapping(reading.value) && /^\s*`{3,}\s*$/.test(text.slice(end, end + 200))
}

/** After a byte order mark and space. */
function startOf(text: string): number {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

/** A link or a placeholder at the start of a text does not make it JSON. */
function looksLikeJson(text: string, from: number, pieces: readonly Piece[]): boolean {
  if (!/^(?:\{\s*(?:["'}/]|\w+\s*:)|\[\s*["'{[\d\]/-])/.test(text.slice(from, from + 2000))) return false
  return !pieces.some(({ reading }) => reading.notes.some(({ code }) => code === 'text_after'))
}

function yamlFile(text: string): readonly Piece[] {
  const pieces = streamPieces(text)
  if (pieces.some(({ reading }) => isMapping(reading.value) || Array.isArray(reading.value))) return pieces
  const blocks = fencePieces(text, 0)
  if (blocks.length > 0) return blocks
  const isEmpty = pieces.every(
    ({ reading }) => (reading.value ?? undefined) === undefined && !hasErrors(reading),
  )
  return isEmpty ? [refusedPiece({ kind: 'yaml', end: text.length, read: readYaml }, 'empty', EMPTY)] : pieces
}

function streamPieces(text: string): readonly Piece[] {
  const from = text.charCodeAt(0) === 0xfeff ? 1 : 0
  return readYamlStream(from === 0 ? text : text.slice(1)).map(({ start, end, reading }) => ({
    kind: 'yaml',
    start: start + from,
    // The reader ends a document that breaks off in a block text one character behind the text.
    end: Math.min(end + from, text.length),
    reading,
    read: readYaml,
  }))
}

/** A text of unknown kind is YAML when it reads as mappings and begins with a key. */
function yamlPieces(text: string): readonly Piece[] | undefined {
  const first = firstLine(text)
  if (first !== undefined && isFrontMatter(text, first.next)) return undefined
  const line = firstSaying(text, first?.next ?? (text.charCodeAt(0) === 0xfeff ? 1 : 0))
  if (line === undefined || !KEY_LINE.test(line)) return undefined
  const pieces = streamPieces(text)
  const isYaml = pieces.every(({ reading }) => isMapping(reading.value) && !hasErrors(reading))
  return isYaml || allLinesFit(text) ? pieces : undefined
}

/** Front matter has an end and something else than YAML below it. */
function isFrontMatter(text: string, from: number): boolean {
  const closing = closingLine(text, from)
  if (closing === undefined) return false
  const next = firstSaying(text, closing.next)
  return next === undefined || !KEY_LINE.test(next)
}

function hasErrors({ notes }: Reading): boolean {
  return notes.some(({ severity, code }) => severity === 'error' && code !== 'duplicate_key')
}

/** The first line that is neither blank nor a comment nor a mark. */
function firstSaying(text: string, from: number): string | undefined {
  return /^(?![ \t]*(?:#|---|\r?$))[^\r\n]*\S[^\r\n]*/m.exec(text.slice(from))?.[0]
}

/** Broken YAML still has only keys, items and comments at the left margin; prose has sentences. */
function allLinesFit(text: string): boolean {
  return !/^(?![\s#\]}]|---|\.\.\.|["']?[A-Za-z_][\w .-]{0,60}["']?:|- )[^\r\n]/m.test(text)
}

function markdownPieces(text: string): readonly Piece[] {
  const front = frontMatterOf(text)
  const bodyAt = front?.bodyAt ?? (text.charCodeAt(0) === 0xfeff ? 1 : 0)
  if (text.trim() === '') {
    const piece = refusedPiece({ kind: 'markdown', end: bodyAt, read: readYaml }, 'empty', EMPTY)
    return [{ ...piece, start: bodyAt, bodyAt, isBare: true }]
  }
  const whole: Piece = {
    kind: 'markdown',
    start: front?.start ?? bodyAt,
    end: front?.end ?? bodyAt,
    reading: front?.reading ?? unread(),
    read: readYaml,
    bodyAt,
    isBare: front === undefined,
  }
  return [whole, ...fencePieces(text, bodyAt)]
}

function fencePieces(text: string, from: number): readonly Piece[] {
  return blocksOf(text, from).flatMap((block) => {
    const content = text.slice(block.start, block.end)
    const pieces = block.notation === 'json' ? jsonBlock(content) : readYamlStream(content)
    const read = block.notation === 'json' ? readJson : readYaml
    return pieces.filter(isOurs).map(({ start, end, reading }): Piece => {
      const notes = [
        ...block.notes.map((note) => ({ ...note, at: note.at - block.start - start })),
        ...reading.notes,
      ]
      return {
        kind: 'fence',
        start: block.start + start,
        end: block.start + end,
        reading: { ...reading, notes },
        read,
      }
    })
  })
}

function jsonBlock(content: string) {
  const start = startOf(content)
  const end = content.trimEnd().length
  return [{ start, end, reading: readJson(content.slice(start, end)) }]
}

/** Root keys of ours, or text so broken that it cannot be said. */
function isOurs({ reading }: { readonly reading: Reading }): boolean {
  const { value } = reading
  return isMapping(value) ? ROOT_KEYS.some((key) => Object.hasOwn(value, key)) : hasErrors(reading)
}
