import type { Problem } from '../../../domain/problem.ts'
import { quoted, shortLine } from '../quoted.ts'
import type { NotationProblem } from '../tree.ts'

interface ReaderProblem extends Problem {
  readonly pos: readonly [number, number]
}

/** The reader's codes whose value is read all the same, and what to write instead. */
const MENDED: Readonly<Record<string, Omit<NotationProblem, 'at'>>> = {
  TAG_RESOLVE_FAILED: {
    severity: 'warning',
    code: 'tag_ignored',
    message: 'tags (words with a leading !) are not read; remove the tag, or put the value in quotes',
  },
  TAB_AS_INDENT: { severity: 'error', code: 'tab_indent', message: 'a tab is used to indent; use spaces' },
  BLOCK_AS_IMPLICIT_KEY: {
    severity: 'error',
    code: 'unquoted_text',
    message: 'the value has a colon in it; put the whole value in quotes',
  },
  MISSING_CHAR: {
    severity: 'error',
    code: 'yaml_syntax',
    message: 'something is missing here: a colon and a space after the key, or a closing quote or bracket',
  },
  MULTILINE_IMPLICIT_KEY: {
    severity: 'error',
    code: 'yaml_syntax',
    message: 'a key stands on one line and ends with a colon and a space, for example status: open',
  },
  BAD_INDENT: {
    severity: 'error',
    code: 'yaml_syntax',
    isIndent: true,
    message: 'this line is not indented like its neighbours; use the same number of spaces',
  },
  UNEXPECTED_TOKEN: {
    severity: 'error',
    code: 'yaml_syntax',
    message: 'this does not belong here; if it is part of a text, put the whole text in quotes',
  },
  BAD_DQ_ESCAPE: {
    severity: 'error',
    code: 'bad_escape',
    message: 'a backslash in double quotes is written twice: \\\\ (or use single quotes)',
  },
  BAD_ALIAS: {
    severity: 'error',
    code: 'unknown_alias',
    message: 'a value that begins with * is an alias in YAML; put it in quotes',
  },
}

/** Where one code of the library stands for several faults, its words tell them apart. */
const SPECIAL: readonly (readonly [RegExp, Pick<NotationProblem, 'code' | 'message'>])[] = [
  [
    /^Missing closing/,
    { code: 'unclosed_quote', message: 'this quote is never closed; close it, or remove it' },
  ],
  [
    /end with a [\]}]/,
    { code: 'unclosed_bracket', message: 'a bracket above is never closed; close it before this' },
  ],
]

/** In our words: what is wrong and what to write. */
export function noteOf({ code, message, pos }: ReaderProblem, text: string): NotationProblem {
  const at = pos[0]
  const sign = text[at]
  if (code === 'BAD_SCALAR_START' && (sign === '@' || sign === '`')) {
    const word = /^[^\s,\]}]*/.exec(text.slice(at, at + 80))![0]
    return {
      severity: 'warning',
      code: 'unquoted_at',
      message: `YAML keeps a leading ${sign} for itself; write ${quoted(word)} in quotes`,
      at,
    }
  }
  if (code === 'BAD_SCALAR_START')
    return {
      severity: 'warning',
      code: 'unquoted_sign',
      message: `YAML keeps a leading ${sign} for itself; put the value in quotes`,
      at,
    }
  const special = SPECIAL.find(([pattern]) => pattern.test(message))?.[1]
  if (special) return { severity: 'error', ...special, at }
  const mended = MENDED[code]
  if (mended) return { ...mended, at }
  return {
    severity: 'error',
    code: 'yaml_syntax',
    message: `${shortLine(message.replace(/[.:]$/, ''))}; check the spaces, colons, brackets and quotes here`,
    at,
  }
}
