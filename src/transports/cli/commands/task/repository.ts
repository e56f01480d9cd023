import { gitEnvironment } from '../../../../config/config.ts'
import { noRepository, openRepository, type Repository } from '../../../../git/git.ts'
import type { Ask } from '../../../../git/task-facts.ts'
import { type Arguments, flag } from '../../input/args.ts'
import { resolveReferences } from '../../session/references.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'

export const BASE = flag('base <branch>', 'The branch that work is merged into (main)')

export const repositoryAt = (folder: string): Promise<Repository | undefined> =>
  openRepository(folder, gitEnvironment())

export const repositoryHere = (shell: Shell): Promise<Repository | undefined> => repositoryAt(shell.io.cwd)

export async function demandRepository(shell: Shell, command: string): Promise<Repository> {
  const repository = await repositoryHere(shell)
  if (!repository) throw noRepository(shell.io.cwd, command)
  return repository
}

export const askOf =
  (session: Session): Ask =>
  (name, input) =>
    session.call(name, input)

/** The only word of a command, which names a task as everywhere: whole, in part or with `@`. */
export async function taskNamed(session: Session, { words: [ref] }: Arguments): Promise<string> {
  const { id } = await resolveReferences(session, 'task_get', { id: ref })
  return String(id)
}
