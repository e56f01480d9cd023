import { revertOf, revertsOn } from '../../../../git/reverts.ts'
import type { Extra } from '../../operation-command.ts'
import type { Shell } from '../../shell.ts'
import { type TaskLog, taskLogView } from '../../views/task.ts'
import { repositoryHere } from './repository.ts'

/** In a repository the history tells too which commits took the work back. */
export const log: Extra = {
  async after(shell, output) {
    const found = output as TaskLog
    const full = { ...found, reverts: await revertsHere(shell, found) }
    shell.answer(full, () => taskLogView(shell, full))
    return true
  },
}

async function revertsHere(shell: Shell, { task, records }: TaskLog) {
  const repository = records.length === 0 ? undefined : await repositoryHere(shell)
  const base = await repository?.base()
  if (!repository || !base) return []
  const reverts = await revertsOn(repository, base.commit)
  const found = records.map((record) => revertOf(reverts, task.id, record))
  return [...new Map(found.flatMap((each) => (each ? [[each.commit, each] as const] : []))).values()].map(
    ({ commit, subject }) => ({ commit, subject }),
  )
}
