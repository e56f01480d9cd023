import type { Problem, Severity } from '../../../domain/problem.ts'
import { quoted, shortLine } from '../quoted.ts'
import { type NotationProblem, problemAt } from '../tree.ts'

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

export function noteOf({ code, message, pos }: ReaderProblem, text: string): NotationProblem {
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
