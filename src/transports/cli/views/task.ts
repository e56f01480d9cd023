import type { Task, ThoughtRecord } from '../../../domain/task.ts'
import { oneLine, plainText } from '../screen/plain-text.ts'
import type { Cell, Screen, Style } from '../screen/screen.ts'
import type { Shell } from '../shell.ts'
import { count, spoken } from './words.ts'

export type ShownTask = Task & { readonly blocked: boolean; readonly open_deps: number }

const STYLES: Readonly<Record<Task['status'], Style>> = {
  todo: 'blue',
  assigned: 'cyan',
  in_progress: 'cyan',
  done: 'green',
}

export function taskView(shell: Shell, operation: string, task: ShownTask): string {
  const { screen } = shell
  const text = {
    task_create: task.blocked
      ? `waits for ${count(task.open_deps, 'other task')}`
      : `is ready; start it with: ${shell.hint(`baton task start ${task.id}`)}`,
    task_start: `is yours, ${spoken(task.status)}`,
    task_complete: 'is done, and its record is written',
  }[operation]
  return `${screen.tick} ${screen.bold(task.id)} ${text ?? `is ${spoken(task.status)}, ${task.progress} %`}`
}

export function taskListView(
  shell: Shell,
  { items, next }: { items: readonly ShownTask[]; next?: string },
  none: string,
): string {
  const { screen } = shell
  if (items.length === 0) return shell.nothing(none)
  if (next !== undefined) shell.more(next)
  return screen.table(
    items.map((task) => taskRow(screen, task)),
    ['ID', 'STATUS', 'OWNER', 'TITLE', 'CHANGED'],
  )
}

const taskRow = (screen: Screen, task: ShownTask): Cell[] => [
  { text: task.id, style: 'bold' },
  {
    text: `${spoken(task.status)}${task.status === 'in_progress' ? ` ${task.progress} %` : ''}${task.blocked ? ' (blocked)' : ''}`,
    style: task.blocked ? 'yellow' : STYLES[task.status],
  },
  task.owner ?? '-',
  { text: `${task.critical ? '! ' : ''}${task.title}`, fill: true },
  { text: screen.when(task.updated_at), style: 'dim' },
]

export function nextView(shell: Shell, { items }: { items: readonly ShownTask[] }): string {
  const [first] = items
  if (first) shell.next(`baton task start ${first.id}`)
  return taskListView(
    shell,
    { items },
    'No task can be started now; add one with: baton task create <id> --title "…"',
  )
}

export interface TaskDossier {
  readonly task: ShownTask
  readonly blocked_by: readonly string[]
  readonly records?: readonly ThoughtRecord[]
  readonly latest_records?: readonly ThoughtRecord[]
  readonly from_dependencies?: readonly ThoughtRecord[]
  readonly next_actions?: readonly { id: string; title: string }[]
}

/** One task with what it stands on; also the brief that the next agent reads first. */
export function taskDossierView(shell: Shell, dossier: TaskDossier): string {
  const { screen } = shell
  const { task } = dossier
  const rows: [string, string][] = [
    ['Status', `${spoken(task.status)}, ${task.progress} %${task.owner ? `, ${task.owner}` : ''}`],
  ]
  if (dossier.blocked_by.length > 0) rows.push(['Blocked by', dossier.blocked_by.map(oneLine).join(', ')])
  if (task.depends_on.length > 0) rows.push(['Depends on', task.depends_on.map(oneLine).join(', ')])
  if (task.criteria.length > 0) rows.push(['Criteria', plainText(task.criteria.join('\n'))])
  if (task.notes) rows.push(['Notes', plainText(task.notes)])
  const parts = [`${screen.bold(task.id)}  ${screen.bold(oneLine(task.title))}`, screen.fields(rows)]
  for (const [title, records] of [
    ['Records', dossier.records ?? dossier.latest_records],
    ['From what it depends on', dossier.from_dependencies],
  ] as const)
    if (records && records.length > 0)
      parts.push(`${screen.bold(title)}\n${records.map((record) => recordText(screen, record)).join('\n')}`)
  if (dossier.next_actions && dossier.next_actions.length > 0)
    parts.push(
      `${screen.bold('Can be started now')}\n${screen.table(dossier.next_actions.map(({ id, title }) => [id, { text: title, fill: true }]))}`,
    )
  return parts.join('\n\n')
}

export function recordView(shell: Shell, record: ThoughtRecord): string {
  const { screen } = shell
  return `${screen.tick} the record of ${screen.bold(record.task_id)} is written`
}

function recordText(screen: Screen, record: ThoughtRecord): string {
  const where = [record.branch, record.commit_sha?.slice(0, 10)].filter(Boolean).join(' at ')
  const tests = record.tests_run.length > 0 ? count(record.tests_run.length, 'test') : ''
  const facts = [record.task_id, record.by, screen.when(record.created_at), where, tests]
    .filter(Boolean)
    .map((fact) => oneLine(String(fact)))
  return `  ${screen.dim(facts.join(' · '))}\n${screen.paragraph(record.summary, '    ')}`
}
