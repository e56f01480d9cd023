import { placedAt } from '../../dialects/fields.ts'
import { type Document, type Format, readDocuments, summaryOf } from '../../dialects/index.ts'
import { artifactsAgainstGit, checkSending, pathOfField } from '../../dialects/package/index.ts'
import type { RecentTexts } from '../../dialects/text/sources.ts'
import type { CheckedDocument } from '../../domain/document-answers.ts'
import { present } from '../../domain/present.ts'
import type { PlacedProblem } from '../../domain/problem.ts'

export interface TextInput {
  readonly text: string
  readonly path?: string | undefined
  /** The team's own formats. */
  readonly formats?: readonly Format[] | undefined
  readonly recent?: RecentTexts | undefined
}

export interface CheckInput extends TextInput {
  /** Files that were changed by the work, relative to the project: the artifacts of a package must name them. */
  readonly changed?: readonly string[] | undefined
}

/** Every document in a text with what it says and what is wrong with it; at least one entry, and never a throw. */
export const checkText = ({ changed = [], ...input }: CheckInput): readonly CheckedDocument[] =>
  documentsIn(input).map((document) => checkedDocument(document, ruled(document, changed)))

/**
 * Document 004's rules for whoever sends. A package that is read may have been sent long ago, so what would be
 * refused then is a warning here; what the reading has said already is not said twice.
 */
function ruled(document: Document, changed: readonly string[]): readonly PlacedProblem[] {
  const { form, draft, source, places, diagnostics } = document
  if (form !== 'package' || draft === undefined) return []
  const said = new Set(diagnostics.map(({ code }) => code))
  return [...checkSending(draft), ...artifactsAgainstGit(draft, changed)]
    .filter(({ code }) => !said.has(code))
    .map(({ field, code, message }) => ({
      severity: 'warning',
      code,
      message,
      ...source.locate(placedAt(pathOfField(field), places)),
    }))
}

export function documentsIn({ text, path, formats, recent }: TextInput): readonly Document[] {
  return readDocuments(text, { ...present({ path: path?.replaceAll('\\', '/') }), formats, recent })
}

export const isWrong = ({ diagnostics }: { readonly diagnostics: readonly PlacedProblem[] }): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')

function checkedDocument(document: Document, more: readonly PlacedProblem[]): CheckedDocument {
  const { dialect = null, form = null } = document
  const diagnostics = [...document.diagnostics, ...more]
  const { id, from, to, status, state, task, title, createdAt } = summaryOf(document)
  return {
    dialect,
    form,
    ok: !isWrong({ diagnostics }),
    summary: {
      id: id ?? null,
      from: from ?? null,
      to: to ?? null,
      status: status ?? null,
      state: state ?? null,
      task: task ?? null,
      title: title ?? null,
      createdAt: createdAt ?? null,
    },
    diagnostics,
  }
}
