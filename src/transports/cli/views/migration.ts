import { hasWork } from '../../../migrate/apply.ts'
import type { MigrationPlan } from '../../../migrate/plan.ts'
import { oneLine, plainText } from '../screen/plain-text.ts'
import type { Shell } from '../shell.ts'
import { count } from './words.ts'

export interface MigrationOutcome {
  readonly applied: boolean
  /** The folder with copies of everything that was removed. */
  readonly backup?: string | undefined
  /** The file of questions that was written. */
  readonly questions?: string | undefined
}

/** A plan, or what was done, as a person reads it: what was seen, what moves, what goes, what is left open. */
export function migrationText(
  shell: Shell,
  plan: MigrationPlan,
  outcome: MigrationOutcome,
  folder: string,
): string {
  const { screen } = shell
  const { applied } = outcome
  const sections = [
    seenText(plan),
    section(`${applied ? 'Moved' : 'To move'}`, plan.moves, ({ from, to, status, notes }) => [
      plainLine(from),
      `  → ${to}  ${screen.dim(status)}`,
      ...notes.map((note) => `  ${screen.dim(oneLine(note))}`),
    ]),
    section(
      `${applied ? 'Removed' : 'To remove'}, older copies`,
      plan.duplicates,
      ({ path, kept, differs }) => [
        plainLine(path),
        `  = ${kept}`,
        ...(differs.length === 0 ? [] : [`  ${screen.mark} says something else: ${differs.join(', ')}`]),
      ],
    ),
    section('Not decided, left where they are', plan.undecided, ({ paths, questions }) => [
      ...paths.map(plainLine),
      ...questions.map(({ field, message }) => `  ${screen.mark} ${field}: ${oneLine(message)}`),
    ]),
    section('Not looked into', plan.left, ({ path, why }) => [`${plainLine(path)}: ${why}`]),
    endText(shell, plan, outcome, folder),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

const plainLine = (path: string): string => oneLine(plainText(path))

function seenText({ root, seen }: MigrationPlan): string {
  const looked = `${count(seen.files, 'file')} in ${count(seen.folders, 'folder')} below ${root}`
  if (seen.handoffs === 0)
    return `No handoff was found: looked at ${looked}, ${seen.documents} of them documents. Is this the whole project?`
  return `Looked at ${looked}: ${count(seen.handoffs, 'handoff')}, ${seen.settled} of them in their places`
}

function section<T>(title: string, items: readonly T[], linesOf: (item: T) => readonly string[]): string {
  if (items.length === 0) return ''
  const lines = items.flatMap((item) => linesOf(item).map((line) => `  ${line}`))
  return [`${title} (${items.length})`, ...lines].join('\n')
}

function endText({ screen }: Shell, plan: MigrationPlan, outcome: MigrationOutcome, folder: string): string {
  const { applied, backup, questions } = outcome
  const command = `baton migrate --from v1 ${folder}`
  const isDecided = plan.undecided.length === 0
  return [
    plan.drafts.length > 0 &&
      `Half-written files of a run that was cut off ${applied ? 'are gone' : 'go'}: ${plan.drafts.length}`,
    plan.index && `The index _handoffs/_index.yaml ${applied ? 'is' : 'will be'} written again`,
    applied && `${screen.tick} done; everything that went is in ${backup}`,
    !applied && hasWork(plan) && `Nothing was changed. Do it with: ${command} --yes`,
    !hasWork(plan) && isDecided && `${screen.tick} there is nothing to do`,
    !hasWork(plan) && !isDecided && 'Nothing can be moved before it is decided.',
    questions && isDecided && `Nothing is open, and ${questions} holds no question`,
    questions && !isDecided && `${questions} holds the questions: fill it in and run the same command again`,
    !questions &&
      !isDecided &&
      `Write what is not decided into the files, or into one file: ${command} --answers answers.yaml`,
  ]
    .filter(Boolean)
    .join('\n')
}
