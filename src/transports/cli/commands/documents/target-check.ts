import type { CheckedDocument } from '../../../../domain/document-answers.ts'
import { type CheckInput, checkText } from '../../../../service/documents/check.ts'
import { isHinted } from '../../../../service/documents/hint.ts'
import { STDIN, type Target } from './files.ts'
import { type FileProblem, type ReadText, readTarget } from './target-file.ts'

/** A document of a file, as it is shown: the lines that its findings point at come with it. */
export interface CheckedEntry extends CheckedDocument {
  readonly file: string
  readonly lines: Readonly<Record<number, string>>
}

/** A file of one line may be as long as a file can be. */
const SHOWN_LENGTH = 2_000

/** Every document of a file; at least one entry, also for a file that holds none or cannot be read. */
export function checkTarget(
  target: Target,
  options: Omit<CheckInput, 'text' | 'path'>,
  read: ReadText = readTarget(target),
): readonly CheckedEntry[] {
  const { file, path, isWalked } = target
  if (read.text === undefined)
    return [{ ...UNREAD_DOCUMENT, ok: !isError(read.problem), diagnostics: [read.problem], file, lines: {} }]
  const { text, note } = read
  // Other files of a folder are nobody's fault.
  const documents = checkText({ text, ...options, ...(path !== STDIN && { path }) })
  const isFree = isWalked && documents.every(({ dialect }) => dialect === null) && !isHinted(text, path)
  const lines = text.split('\n')
  return documents.map((document, i) => {
    const own = isFree ? document.diagnostics.map(softened) : document.diagnostics
    const diagnostics = i === 0 && note ? [note, ...own] : own
    return {
      ...document,
      file,
      ok: !diagnostics.some(isError),
      diagnostics,
      lines: Object.fromEntries(
        diagnostics.map(({ line }) => [line, (lines[line - 1] ?? '').slice(0, SHOWN_LENGTH)]),
      ),
    }
  })
}

const isError = ({ severity }: FileProblem): boolean => severity === 'error'
const softened = (diagnostic: FileProblem): FileProblem => ({ ...diagnostic, severity: 'info' })

const UNREAD_DOCUMENT: Omit<CheckedDocument, 'diagnostics' | 'ok'> = {
  dialect: null,
  form: null,
  summary: {
    id: null,
    from: null,
    to: null,
    status: null,
    state: null,
    task: null,
    title: null,
    createdAt: null,
  },
}
