import { taskReasons } from '../../../domain/people/gate.ts'
import type { Task, ThoughtRecord } from '../../../domain/tasks/task.ts'
import { inWords } from '../../../domain/texts/visible.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import { oneLine, plainText } from '../screen/plain-text.ts'
import type { Cell, Screen, Style } from '../screen/screen.ts'
import type { Shell } from '../shell.ts'
import { actOf, count, countsOf, warned } from './words.ts'

type ShownTask = OperationOutput<'task_start'>

const STYLES: Readonly<Record<Task['status'], Style>> = {
  todo: 'blue',
  assigned: 'cyan',
  in_progress: 'cyan',
  done: 'green',
}

export function taskView(shell: Shell, operation: string, task: OperationOutput<'task_update'>): string {
  const { screen } = shell
  for (const warning of task.warnings ?? []) shell.warn(warning)
  const text = {
    task_create: task.blocked
      ? `waits for ${count(task.open_deps, 'other task')}`
      : shell.hint(`is ready; start it with: baton task start ${task.id}`),
    task_start: `is yours, ${inWords(task.status)}`,
    task_complete: 'is done, and its record is written',
    task_reopen: `is ${inWords(task.status)} again`,
  }[operation]
  return `${screen.tick} ${screen.bold(task.id)} ${text ?? `is ${inWords(task.status)}, ${task.progress} %`}`
}

export const taskListView = (
  shell: Shell,
  page: { items: readonly ShownTask[]; next?: string | undefined },
  none = 'No task matches.',
): string =>
  shell.list(page, none, ['ID', 'STATUS', 'OWNER', 'TITLE', 'CHANGED'], (task) => taskRow(shell.screen, task))

const taskRow = (screen: Screen, task: ShownTask): Cell[] => [
  { text: task.id, style: 'bold' },
  {
    text: `${inWords(task.status)}${task.status === 'in_progress' ? ` ${task.progress} %` : ''}${task.blocked ? ' (blocked)' : ''}`,
    style: task.blocked ? 'yellow' : STYLES[task.status],
  },
  task.owner ?? '-',
  { text: `${task.critical ? '! ' : ''}${task.title}`, fill: true },
  { text: screen.when(task.updated_at), style: 'dim' },
]

export function planView(shell: Shell, plan: OperationOutput<'task_plan'>): string {
  const { counts, ready, path, path_ids } = plan
  const cut = path_ids.length > path.length ? `, the first ${path.length} of ${path_ids.length} tasks` : ''
  const held = taskListView(shell, { items: path }, 'No task holds up others.')
  return `${[...countsOf(counts), `${ready} ready`].join(', ')}\n\nCritical path${cut}\n${held}`
}

export function nextView(shell: Shell, { items }: OperationOutput<'task_next_actions'>): string {
  const [first] = items
  if (first) shell.next(`baton task start ${first.id}`)
  return taskListView(
    shell,
    { items },
    'No task can be started now; add one with: baton task create <id> --title "…"',
  )
}

/** One task with what it stands on. */
export function taskDossierView(shell: Shell, dossier: OperationOutput<'task_get'>): string {
  const { screen } = shell
  const { task } = dossier
  const rows: [string, string][] = [
    ['Status', `${inWords(task.status)}, ${task.progress} %${task.owner ? `, ${task.owner}` : ''}`],
  ]
  if (dossier.blocked_by.length > 0) rows.push(['Blocked by', dossier.blocked_by.map(oneLine).join(', ')])
  if (task.gates) rows.push(['Gates', taskReasons(task.gates).map(oneLine).join('\n')])
  if (task.depends_on.length > 0) rows.push(['Depends on', task.depends_on.map(oneLine).join(', ')])
  if (task.criteria.length > 0) rows.push(['Criteria', plainText(task.criteria.join('\n'))])
  if (task.notes) rows.push(['Notes', plainText(task.notes)])
  const title = [
    ...warned(screen, dossier.warning),
    `${screen.bold(task.id)}  ${screen.bold(oneLine(task.title))}`,
  ]
  const parts = [title.join('\n'), screen.fields(rows)]
  return [...parts, ...recordsSection(screen, dossier.records)].join('\n\n')
}

const recordsSection = (screen: Screen, records: readonly ThoughtRecord[]): readonly string[] =>
  records.length === 0
    ? []
    : [`${screen.bold('Records')}\n${records.map((record) => recordText(screen, record)).join('\n')}`]

export interface TaskLog extends OperationOutput<'task_log'> {
  /** Commits that take its work back, where a repository was asked. */
  readonly reverts?: readonly { commit: string; subject: string }[]
}

/** The history of a task as people read it: what happened, what was recorded, what was taken back. */
export function taskLogView(shell: Shell, { task, entries, records, reverts = [] }: TaskLog): string {
  const { screen } = shell
  const parts = [
    `${screen.bold(task.id)}  ${screen.bold(oneLine(task.title))}`,
    screen.table(
      entries.map(({ at, act, by, to }) => [
        { text: screen.when(at), style: 'dim' },
        by,
        { text: screen.isTerminal ? actOf(act) : act, fill: true },
        inWords(to ?? ''),
      ]),
    ),
    ...recordsSection(screen, records),
  ]
  if (reverts.length > 0)
    parts.push(
      `${screen.bold('Taken back by')}\n${screen.table(
        reverts.map(({ commit, subject }) => [commit.slice(0, 10), { text: subject, fill: true }]),
      )}`,
    )
  return parts.join('\n\n')
}

export function recordView(shell: Shell, record: OperationOutput<'thought_record'>): string {
  const { screen } = shell
  for (const warning of record.warnings ?? []) shell.warn(warning)
  return `${screen.tick} the record of ${screen.bold(record.task_id)} is written`
}

export const attestedView = ({ screen }: Shell, record: ThoughtRecord): string =>
  `${screen.tick} the record of ${screen.bold(record.task_id)} is in the log, and you answer for it`

export function recordText(screen: Screen, record: ThoughtRecord): string {
  const where = [record.branch, record.commit_sha?.slice(0, 10)].filter(Boolean).join(' at ')
  const tests = record.tests_run.length > 0 ? count(record.tests_run.length, 'test') : ''
  const unsigned = record.signed === false ? 'unsigned' : ''
  const facts = [record.task_id, record.by, screen.when(record.created_at), where, tests, unsigned]
    .filter(Boolean)
    .map((fact) => oneLine(String(fact)))
  return `  ${screen.dim(facts.join(' · '))}\n${screen.paragraph(record.summary, '    ')}`
}
