import { isOpen } from '../../domain/lifecycle.ts'
import type { Store, TaskRow } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'

/**
 * Tasks that this agent can start now: critical first, then in the order of dependencies. If no task was flagged,
 * the one that begins the longest chain of open work is the critical one (A3-25).
 */
export async function nextTasks(
  { store, project }: Pick<ServiceDeps, 'store' | 'project'>,
  limit: number,
  agent: string | undefined,
): Promise<readonly TaskRow[]> {
  const isTaken = (await project?.())?.taken(agent) ?? (() => false)
  // The worktree of work that was recorded and then reverted is only left behind.
  const isHeld = ({ task }: TaskRow) => task.record_id === undefined && isTaken(task.id)
  const isOpenTo = async (row: TaskRow) => !isHeld(row) && (await isFree(store, row, agent))
  const [rows, head] = await Promise.all([freeTasks(store, limit, isOpenTo), store.longestChain()])
  if (!head || !(await isOpenTo(head))) return rows
  const first = { ...head, task: { ...head.task, critical: true } }
  return [first, ...rows.filter(({ task }) => task.uid !== first.task.uid)].slice(0, limit)
}

/** Tasks of other agents are passed over, however many there are. */
async function freeTasks(
  store: Store,
  limit: number,
  isOpenTo: (row: TaskRow) => Promise<boolean>,
): Promise<readonly TaskRow[]> {
  for (let asked = limit; ; asked *= 4) {
    const rows = await store.nextTasks(asked)
    const free = await Promise.all(rows.map(isOpenTo))
    const found = rows.filter((_, i) => free[i])
    if (found.length >= limit || rows.length < asked) return found.slice(0, limit)
  }
}

/** Nobody's, or assigned to this agent and not on its way to another. */
async function isFree(store: Store, { task }: TaskRow, agent: string | undefined): Promise<boolean> {
  if (task.status !== 'assigned') return task.status === 'todo'
  if (task.owner !== agent) return false
  const sent = await store.latest(task.id)
  return !sent || !isOpen(sent.state)
}
