import { type Document, parseAllDocuments, parseDocument } from 'yaml'
import type { Problem, Severity } from '../../../domain/problem.ts'
import { MAX_DEPTH, MAX_NOTES, MAX_REPAIR_LENGTH, MAX_YAML_LENGTH } from '../limits.ts'
import { quoted, shortLine } from '../quoted.ts'
import {
  isMapping,
  type NotationProblem,
  plainData,
  problemAt,
  type Reading,
  setOwn,
  type Tree,
  unread,
} from '../tree.ts'
import { excessIn } from './excess.ts'
import { type BrokenLines, lineNumbers, repairYaml } from './yaml-repair.ts'
import { type Places, yamlTree } from './yaml-tree.ts'

/**
 * Merges are not read and tags are not resolved: handoffs need neither. Keys are compared by us, because the
 * library compares each with every other.
 */
const OPTIONS = {
  schema: 'core',
  version: '1.2',
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
  keepSourceTokens: true,
} as const

const SAME: Places = (offset) => offset
const REPAIR_ROUNDS = 4

/** One document of a stream, with its place in the text. */
export interface YamlPiece {
  readonly start: number
  readonly end: number
  readonly reading: Reading
}

/** A text with one YAML document in it. */
export function readYaml(text: string): Reading {
  const read = (): Reading => {
    const document = parseDocument(text, OPTIONS)
    // A second document is a matter of the text around; what is read here is the first.
    const errors = document.errors.filter(({ code }) => code !== 'MULTIPLE_DOCS')
    return errors.length === 0 ? readingOf(document, text) : mended(document, text)
  }
  return guarded(text, read, (reading) => reading)
}

/** All documents of a stream. Those that hold nothing are left out, except the only one. */
export function readYamlStream(text: string): readonly YamlPiece[] {
  const whole = (reading: Reading): YamlPiece[] => [{ start: 0, end: text.length, reading }]
  if (!/^---/m.test(text)) return whole(readYaml(text))
  const read = (): readonly YamlPiece[] => {
    const documents = parseAllDocuments(text, OPTIONS) as unknown as readonly Document[]
    const full = documents.filter((document) => document.contents !== null && !isEmpty(document))
    if (full.length === 0) return whole(readYaml(text))
    return full.map((document) => {
      const [start, , end] = document.range ?? [0, 0, text.length]
      const isClean = document.errors.length === 0
      const reading = isClean
        ? readingOf(document, text, (offset) => offset - start)
        : readYaml(text.slice(start, end))
      return { start, end, reading }
    })
  }
  return guarded(text, read, whole)
}

function isEmpty({ contents }: Document): boolean {
  return contents !== null && 'source' in contents && contents.source === '' && !contents.comment
}

function guarded<T>(text: string, read: () => T, refuse: (reading: Reading) => T): T {
  const refused = tooMuch(text)
  if (refused) return refuse(unread(refused))
  try {
    return read()
  } catch {
    // The library's own faults, for example on its recursion, must not be ours.
    const message = 'the YAML cannot be read; check the spaces, colons, brackets and quotes'
    return refuse(unread(problemAt('error', 'yaml_syntax', message, 0)))
  }
}

function readingOf(document: Document, text: string, places: Places = SAME): Reading {
  const notes: NotationProblem[] = []
  const tree = yamlTree(document, places, notes)
  for (const complaint of [...document.errors, ...document.warnings]) {
    if (notes.length >= MAX_NOTES) break
    const note = noteOf(complaint, text)
    const at = places(note.at)
    notes.push({ ...note, at: note.code === 'unclosed_quote' ? openingQuote(tree, at) : at })
  }
  const value = tree === undefined ? undefined : plainData(tree, notes)
  return { value, notes, tree: () => tree }
}

/** The library complains where the text ends; the quote that was never closed is what to look at. */
function openingQuote(tree: Tree | undefined, end: number): number {
  if (tree === undefined) return end
  if ('entries' in tree) {
    const last = tree.entries.findLast(({ node }) => node.start <= end && node.start < node.end)
    return last ? openingQuote(last.node, end) : end
  }
  return tree.kind === 'scalar' && tree.style !== 'plain' ? tree.start : end
}

/** The reading of a document that has errors: repaired where that helps, and with what can be saved by line. */
function mended(document: Document, text: string): Reading {
  const first = readingOf(document, text)
  if (errorsOf(first) === 0) return first
  if (text.length > MAX_REPAIR_LENGTH) return salvaged(first, text)
  let best = first
  let repaired: readonly NotationProblem[] = []
  // First what needs no guessing, then lines out of place, then texts that need quotes, where complaints remain.
  let broken: BrokenLines = { quotes: new Set(), indents: new Set() }
  for (let round = 0; round < REPAIR_ROUNDS && errorsOf(best) > 0; round++) {
    const repair = repairYaml(text, broken)
    const reading = repair && readingOf(parseDocument(repair.text, OPTIONS), repair.text, repair.places)
    if (reading && errorsOf(reading) < errorsOf(best)) {
      best = reading
      repaired = repair.notes
    }
    const shifted = positionsOf(best, ({ isIndent }) => isIndent === true)
    const indents = new Set([...broken.indents, ...lineNumbers(text, shifted)])
    const isMore = indents.size > broken.indents.size
    const quotes = isMore ? broken.quotes : lineNumbers(text, positionsOf(best, isAboutText))
    broken = { indents, quotes: new Set([...broken.quotes, ...quotes]) }
  }
  const notes = [...repaired, ...best.notes].slice(0, MAX_NOTES)
  return errorsOf(best) === 0 ? { ...best, notes } : salvaged({ ...best, notes }, text)
}

/** Lines such as `status: open` at the left margin say what they say, whatever is broken around them. */
function salvaged(reading: Reading, text: string): Reading {
  const value: Record<string, unknown> = {}
  if (isMapping(reading.value))
    for (const [key, item] of Object.entries(reading.value)) setOwn(value, key, item)
  for (const [, key, item] of text.matchAll(/^([A-Za-z_][\w-]{0,60}):[ \t]+(\S[^\r\n]*)$/gm))
    if (!Object.hasOwn(value, key!)) setOwn(value, key!, unquoted(item!.trimEnd()))
  return Object.keys(value).length === 0 ? reading : { ...reading, value }
}

function unquoted(text: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(text)
  return quoted ? quoted[2]! : text
}

/** Errors of a value, which was read all the same. */
const READ = ['duplicate_key', 'lone_surrogate']

/** What stands in the way of reading. */
function errorsOf({ notes }: Reading): number {
  return notes.filter(({ severity, code }) => severity === 'error' && !READ.includes(code)).length
}

function positionsOf({ notes }: Reading, isMeant: (note: NotationProblem) => boolean): number[] {
  return notes.filter((note) => note.severity === 'error' && isMeant(note)).map(({ at }) => at)
}

/** Quotes around a text mend neither its place nor a bracket elsewhere. */
function isAboutText({ code, isIndent }: NotationProblem): boolean {
  return !isIndent && !['tab_indent', 'unclosed_bracket', 'duplicate_key'].includes(code)
}

function tooMuch(text: string): NotationProblem | undefined {
  const large = `the YAML has ${text.length} characters; at most ${MAX_YAML_LENGTH} are read`
  if (text.length > MAX_YAML_LENGTH) return problemAt('error', 'too_large', large, 0)
  const excess = mayBeDeep(text) ? excessIn(text, { depth: MAX_DEPTH }) : undefined
  const deep = `nested more than ${MAX_DEPTH} levels deep; no handoff needs more than ten`
  return excess && problemAt('error', 'too_deep', deep, excess.at)
}

/** Cheap: whether there are enough signs that nest on one line. */
function mayBeDeep(text: string): boolean {
  let signs = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // [ { and the dashes and question marks that may stand several on a line.
    if (
      code === 0x5b ||
      code === 0x7b ||
      ((code === 0x2d || code === 0x3f) && text.charCodeAt(at + 1) <= 0x20)
    )
      if (++signs > MAX_DEPTH) return true
  }
  return false
}

interface ReaderProblem extends Problem {
  readonly pos: readonly [number, number]
}

type Words = readonly [Severity, code: string, message: string]

/** The library's codes in our words: what is wrong and what to write. */
// biome-ignore format: read as a table
const MENDED: Readonly<Record<string, Words>> = {
  TAG_RESOLVE_FAILED:     ['warning', 'tag_ignored',   'tags (words with a leading !) are not read; remove the tag, or put the value in quotes'],
  TAB_AS_INDENT:          ['error',   'tab_indent',    'a tab is used to indent; use spaces'],
  BLOCK_AS_IMPLICIT_KEY:  ['error',   'unquoted_text', 'the value has a colon in it; put the whole value in quotes'],
  MISSING_CHAR:           ['error',   'yaml_syntax',   'something is missing here: a colon and a space after the key, or a closing quote or bracket'],
  MULTILINE_IMPLICIT_KEY: ['error',   'yaml_syntax',   'a key stands on one line and ends with a colon and a space, for example status: open'],
  BAD_INDENT:             ['error',   'yaml_syntax',   'this line is not indented like its neighbours; use the same number of spaces'],
  UNEXPECTED_TOKEN:       ['error',   'yaml_syntax',   'this does not belong here; if it is part of a text, put the whole text in quotes'],
  BAD_DQ_ESCAPE:          ['error',   'bad_escape',    'a backslash in double quotes is written twice: \\\\ (or use single quotes)'],
  BAD_ALIAS:              ['error',   'unknown_alias', 'a value that begins with * is an alias in YAML; put it in quotes'],
}

/** Where one code of the library stands for several faults, its words tell them apart. */
// biome-ignore format: read as a table
const SPECIAL: readonly (readonly [RegExp, Words])[] = [
  [/^Missing closing/,  ['error', 'unclosed_quote',   'this quote is never closed; close it, or remove it']],
  [/end with a [\]}]/, ['error', 'unclosed_bracket', 'a bracket above is never closed; close it before this']],
]

function noteOf({ code, message, pos }: ReaderProblem, text: string): NotationProblem {
  const [at] = pos
  const words = wordsFor(code, message, text.slice(at, at + 80))
  return { ...problemAt(...words, at), ...(words === MENDED.BAD_INDENT && { isIndent: true }) }
}

function wordsFor(code: string, message: string, rest: string): Words {
  const sign = rest[0]
  const kept = `YAML keeps a leading ${sign} for itself;`
  if (code === 'BAD_SCALAR_START' && (sign === '@' || sign === '`')) {
    const word = /^[^\s,\]}]*/.exec(rest)![0]
    return ['warning', 'unquoted_at', `${kept} write ${quoted(word)} in quotes`]
  }
  if (code === 'BAD_SCALAR_START') return ['warning', 'unquoted_sign', `${kept} put the value in quotes`]
  const other = `${shortLine(message.replace(/[.:]$/, ''))}; check the spaces, colons, brackets and quotes here`
  const special = SPECIAL.find(([pattern]) => pattern.test(message))?.[1]
  return special ?? MENDED[code] ?? ['error', 'yaml_syntax', other]
}
