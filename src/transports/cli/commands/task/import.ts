import { relative, resolve } from 'node:path'
import type { Actor } from '../../../../domain/agent.ts'
import { demandBase } from '../../../../git/merge-check.ts'
import type { Ask } from '../../../../git/task-facts.ts'
import { type AskedCall, type ImportedTask, importTasks, readSource } from '../../../../git/task-import.ts'
import { Together } from '../../../../service/together.ts'
import { confirmed, personOnly } from '../../../../workspace/identity.ts'
import type { Command } from '../../command.ts'
import { flag, isOn, textOf } from '../../input/args.ts'
import { demandYes } from '../../prompt.ts'
import { oneLine } from '../../screen/plain-text.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'
import { count, outcomesOf } from '../../views/words.ts'
import { demandRepository } from './repository.ts'

export const importing: Command = {
  name: 'task import',
  summary:
    "Adds the tasks of a task-prompts index.md, of Task Master's tasks.json, of a Backlog.md folder or of a CSV file. The same file again changes nothing.",
  words: ['file'],
  flags: [
    flag('tag <name>', "The tag of Task Master's file (master)"),
    flag(
      'with-done',
      'New tasks that are done there are done here too, with a record. A person decides this at a terminal',
    ),
  ],
  examples: [
    'baton task import docs/guides/implementation/task-prompts/index.md',
    'baton task import .taskmaster/tasks/tasks.json --tag master',
    'baton task import backlog',
    'baton task import tasks.csv --json',
  ],
  async run(shell, args) {
    const [file = ''] = args.words
    const path = resolve(shell.io.cwd, file)
    const tasks = readSource(path, textOf(args, 'tag'))
    const name = relative(shell.io.cwd, path) || file
    const at = isOn(args, 'with-done') ? await whereItStands(shell) : undefined
    const session = await shell.open({ write: true })
    const actor = at && (await person(shell, session, name))
    const ask: Ask = (operation, input) => session.call(operation, input, { actor })
    const together = (calls: readonly AskedCall[]) => asOne(session, calls, actor)
    const items = await importTasks(ask, tasks, { name, at, together })
    shell.answer({ items }, () => view(shell, items))
  },
}

/** Makes calls as one change; a server takes them one after the other. */
async function asOne(session: Session, calls: readonly AskedCall[], actor: Actor | undefined): Promise<void> {
  const { context } = session
  if (!context) for (const [operation, input] of calls) await session.call(operation, input, { actor })
  else {
    const together = new Together(context.service.deps.store)
    await together.run(
      calls.map(
        ([operation, input]) =>
          () =>
            session.call(operation, input, { actor, together }),
      ),
    )
  }
}

/** A record names a branch and a commit: for work of which neither is known, the main branch as it is now. */
async function whereItStands(shell: Shell): Promise<{ readonly branch: string; readonly commit: string }> {
  const { name, commit } = await demandBase(await demandRepository(shell, 'task import --with-done'))
  return { branch: name, commit }
}

/** A person answers for work that has no record here. A server knows a person by the token. */
async function person(shell: Shell, session: Session, file: string): Promise<Actor | undefined> {
  const { io } = shell
  const actor = await session.actor()
  const isHere = session.context !== undefined && io.isTerminal && io.env.codingAgent === undefined
  personOnly(isHere ? confirmed(actor) : actor, 'task import --with-done')
  if (!isHere) return undefined
  const question = `Take over as done, as ${actor.name}, what ${file} calls done?`
  await demandYes(io, question, 'nothing was imported: it was not confirmed', { file })
  return confirmed(actor)
}

function view(shell: Shell, items: readonly ImportedTask[]): string {
  const { screen } = shell
  const lines = items
    .filter(({ outcome, reason }) => outcome !== 'unchanged' || reason !== undefined)
    .map(({ id, title, outcome, differs, done, reason }) => {
      const left = differs ? ` (${differs.join(', ')} left as it is here)` : done === 'taken' ? ', done' : ''
      const why = reason === undefined ? left : `${left}; ${reason}`
      return `${outcome === 'differs' ? screen.mark : screen.tick} ${screen.bold(id)} ${oneLine(title)}: ${outcome}${why}`
    })
  const left = items.filter(({ done, reason }) => done === 'left' && reason === undefined).length
  if (left > 0) shell.say(`${count(left, 'task')} done there and open here`)
  return [...lines, `${count(items.length, 'task')}: ${outcomesOf(items).join(', ')}`].join('\n')
}
