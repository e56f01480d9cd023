import type { DialectId } from './dialects/dialect.ts'
import type { Draft } from './dialects/draft.ts'
import type { Document } from './dialects/read.ts'
import type { Format } from './dialects/relative.ts'
import type { CheckedDocument } from './domain/document-answers.ts'
import { checkText, documentsIn } from './service/documents/check.ts'
import { type ConvertedText, convertText } from './service/documents/convert.ts'

/** About a text that is read. */
export interface TextOptions {
  /** The path of its file. It decides first which format the text is in. */
  readonly path?: string
  /** The team's own formats, as `formats:` of `baton.yaml` has them. */
  readonly formats?: readonly Format[]
}

export interface ConvertOptions extends TextOptions {
  /** Which document of the text, from 1; needed where it holds several. */
  readonly document?: number
  /** Carries everything that the other format cannot say in a slot of its own, `x_baton`. */
  readonly slot?: boolean
  /** Required fields of the other format that the document lacks, by their names: `record.branch`. */
  readonly supply?: Readonly<Record<string, unknown>>
}

/**
 * Reads all handoffs in a text, in any of the formats. There is at least one document, and it never throws: where
 * the text holds no handoff, the diagnostics say what was looked for.
 *
 * ```ts
 * const [document] = readDocuments(text, { path: 'report.md' })
 * ```
 */
export function readDocuments(text: string, options: TextOptions = {}): readonly Document[] {
  return documentsIn({ ...options, text })
}

/**
 * Checks every document in a text. There is at least one answer, and it never throws.
 *
 * ```ts
 * const [checked] = check(text, { path: 'report.md' })
 * for (const { line, message } of checked?.diagnostics ?? []) console.log(line, message)
 * ```
 */
export function check(text: string, options: TextOptions = {}): readonly CheckedDocument[] {
  return checkText({ ...options, text })
}

/**
 * Writes a document of a text in another format, and lists all that is lost on the way. Throws a `BatonError` with the
 * code `unmet` where the other format needs fields that the document lacks, and lists them.
 *
 * ```ts
 * const { text: written, losses } = convert(text, 'package', { path: 'report.md' })
 * ```
 */
export function convert(
  text: string,
  to: DialectId | (string & {}),
  options: ConvertOptions = {},
): ConvertedText {
  return convertText({ ...options, text, to })
}

export { DIALECTS, type DialectId, type Loss } from './dialects/dialect.ts'
export { rewrite } from './dialects/rewrite.ts'
export { BatonError, ERROR_CODES, type ErrorCode } from './domain/errors.ts'
export type { PlacedProblem } from './domain/problem.ts'
export type { CheckedDocument, ConvertedText, Document, Draft, Format }
