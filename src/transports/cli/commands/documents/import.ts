import { relative, sep } from 'node:path'
import type { ImportItem } from '../../../../domain/document-answers.ts'
import { BatonError, ERROR_CODES } from '../../../../domain/errors.ts'
import { inWords } from '../../../../domain/texts/visible.ts'
import { isHinted } from '../../../../service/documents/hint.ts'
import type { Command } from '../../command.ts'
import { oneLine, plainText } from '../../screen/plain-text.ts'
import { withProgress } from '../../screen/progress.ts'
import { liveOf } from '../../session/live.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'
import { count, outcomesOf } from '../../views/words.ts'
import { filesAt, STDIN, type Target } from './files.ts'
import { readFrom } from './pipe.ts'

type Item = ImportItem & { readonly file: string }

export const importing: Command = {
  name: 'import',
  summary:
    'Imports the handoffs and records of documents, each once. A file that was imported before changes nothing.',
  words: ['files, folders or -'],
  takesMore: true,
  examples: [
    'baton import _handoffs/active',
    'baton import handoffs/pending/*.json',
    'baton import report.md --json',
  ],
  async run(shell, { words }) {
    const targets = filesAt(words, shell.io.cwd)
    const session = await shell.open({ write: true })
    const items: Item[] = []
    const seen = new Map<string, string>()
    const signal = shell.io.lasting()
    await withProgress(shell, async (tell) => {
      for (const [i, target] of targets.entries()) {
        tell(`imported ${i} of ${targets.length} files`)
        signal.throwIfAborted()
        for (const item of await imported(shell, session, target)) items.push(twinned(item, seen))
      }
    })
    // A file of a live folder is its handoff's own from now on.
    await (await liveOf(shell, session))?.catchUp()
    shell.answer({ items }, () => [...items.map((item) => itemText(shell, item)), counts(items)].join('\n'))
    return items.some(({ outcome }) => outcome === 'refused') ? ERROR_CODES.unmet.exit : 0
  },
}

/** Two files of one call that are the same handoff are there at the same time: one of them is too many. */
function twinned(item: Item, seen: Map<string, string>): Item {
  const { id, file, outcome } = item
  const before = id === undefined ? undefined : seen.get(id)
  if (id !== undefined && before === undefined) seen.set(id, file)
  if (before === undefined || before === file || (outcome !== 'unchanged' && outcome !== 'differs'))
    return item
  const reason = 'two files hold the same handoff; keep one of them'
  return { ...item, outcome: 'twin', names: [before, file], reason }
}

async function imported(shell: Shell, session: Session, target: Target): Promise<readonly Item[]> {
  const { file, path, isWalked } = target
  const read = await readFrom(target, shell.io.stdin)
  if (read.text === undefined) {
    const outcome = read.problem.severity === 'error' ? 'refused' : 'skipped'
    return [{ file, outcome, line: 1, reason: read.problem.message }]
  }
  const input = { text: read.text, ...(file !== STDIN && { path: placed(shell, session, path) }) }
  const items = await called(session, input)
  // A README in a folder is not a failed handoff.
  if (isWalked && items.every(isNone) && !isHinted(read.text, path)) return []
  return items.map((item) => ({ file, ...item }))
}

/** A file that the operation does not take, for example because of its size, is refused alone. */
async function called(session: Session, input: object): Promise<readonly ImportItem[]> {
  try {
    return (await session.call('document_import', input)).items as readonly ImportItem[]
  } catch (error) {
    if (!(error instanceof BatonError) || !['invalid_input', 'too_large'].includes(error.code)) throw error
    return [{ outcome: 'refused', line: 1, reason: error.message }]
  }
}

const isNone = ({ dialect, outcome }: ImportItem): boolean => dialect === undefined && outcome === 'refused'

/** The path of the file in the project: the log should not tell of the rest of the machine. */
export function placed(shell: Shell, session: Pick<Session, 'context'>, path: string): string {
  const roots = [session.context?.workspace?.checkout, session.context?.workspace?.root, shell.io.cwd]
  const inside = roots
    .filter((root) => root !== undefined)
    .map((root) => relative(root, path))
    .find((from) => !from.startsWith('..'))
  return (inside ?? path.split(sep).slice(-FOLDERS).join(sep)).replaceAll(sep, '/')
}

/** Enough for every place that a document prescribes. */
const FOLDERS = 4

function itemText({ screen }: Shell, item: Item): string {
  const { file, outcome, line, id, task, record, state, names, reason } = item
  const nothingNew = screen.dim('·')
  const marks = {
    imported: screen.tick,
    refused: screen.cross,
    unchanged: nothingNew,
    skipped: nothingNew,
    differs: screen.mark,
    twin: screen.mark,
  }
  const what = id ?? (record === undefined ? task : `${task}, a record`)
  const facts = [what, state && inWords(state)].filter((fact) => fact !== undefined).join(', ')
  const why = names ? `${names.join(' and ')}: ${reason}` : reason
  const said = [outcome, facts, why === undefined ? undefined : oneLine(why)]
    .filter((part) => part)
    .join(': ')
  return screen.fit(`${marks[outcome]} ${plainText(file)}${line > 1 ? `:${line}` : ''}  ${said}`)
}

function counts(items: readonly Item[]): string {
  if (items.length === 0) return 'no document found'
  return `${count(items.length, 'document')}: ${outcomesOf(items).join(', ')}`
}
