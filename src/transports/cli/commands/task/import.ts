import { relative, resolve } from 'node:path'
import { BatonError } from '../../../../domain/errors.ts'
import { demandBase } from '../../../../git/merge-check.ts'
import { type ImportedTask, importTasks, readSource } from '../../../../git/task-import.ts'
import { type Command, isOn, textOf } from '../../command.ts'
import { GLOBAL_FLAGS } from '../../input/args.ts'
import { oneLine } from '../../screen/plain-text.ts'
import type { Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'
import { askOf, demandRepository } from './repository.ts'

export const importing: Command = {
  name: 'task import',
  summary:
    "Adds the tasks of a task-prompts index.md, of Task Master's tasks.json, of a Backlog.md folder or of a CSV file. The same file again changes nothing.",
  words: ['file'],
  flags: [
    { name: 'tag', takes: 'value', placeholder: 'name', about: "The tag of Task Master's file (master)" },
    {
      name: 'with-done',
      takes: 'nothing',
      about: 'What is done there is done here too, with a record that says where it comes from',
    },
    ...GLOBAL_FLAGS,
  ],
  examples: [
    'baton task import docs/guides/implementation/task-prompts/index.md',
    'baton task import .taskmaster/tasks/tasks.json --tag master',
    'baton task import backlog',
    'baton task import tasks.csv --json',
  ],
  async run(shell, args) {
    const [file] = args.words
    if (file === undefined || args.words.length > 1)
      throw new BatonError(
        'invalid_input',
        'task import needs one file or folder; for example: baton task import tasks.csv',
      )
    const path = resolve(shell.io.cwd, file)
    const tasks = readSource(path, textOf(args, 'tag'))
    const at = isOn(args, 'with-done') ? await whereItStands(shell) : undefined
    const session = await shell.open({ write: true })
    const items = await importTasks(askOf(session), tasks, { name: relative(shell.io.cwd, path) || file, at })
    shell.answer({ items }, () => view(shell, items))
    return 0
  },
}

/** A record names a branch and a commit: for work of which neither is known, the main branch as it is now. */
async function whereItStands(shell: Shell): Promise<{ readonly branch: string; readonly commit: string }> {
  const { name, commit } = await demandBase(await demandRepository(shell, 'task import --with-done'))
  return { branch: name, commit }
}

function view(shell: Shell, items: readonly ImportedTask[]): string {
  const { screen } = shell
  const lines = items
    .filter(({ outcome, done }) => outcome !== 'unchanged' || done === 'taken')
    .map(({ id, title, outcome, differs, done }) => {
      const why = differs ? ` (${differs.join(', ')} left as it is here)` : done === 'taken' ? ', done' : ''
      return `${outcome === 'differs' ? screen.mark : screen.tick} ${screen.bold(id)} ${oneLine(title)}: ${outcome}${why}`
    })
  const left = items.filter(({ done }) => done === 'left').length
  if (left > 0) shell.say(`${count(left, 'task')} done there: take that over with --with-done`)
  const by = Map.groupBy(items, ({ outcome }) => outcome)
  return [
    ...lines,
    `${count(items.length, 'task')}: ${[...by].map(([name, all]) => `${all.length} ${name}`).join(', ')}`,
  ].join('\n')
}
