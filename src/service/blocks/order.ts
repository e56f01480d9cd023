import type { Block, Collected } from '../../domain/blocks/block.ts'
import {
  checkDependencies,
  compareIds,
  type DependencyProblem,
  indexById,
  type OrderItem,
  parentOf,
  unmetDependencies,
} from '../../domain/tasks/task-order.ts'
import { itemsOf, type Store } from '../../storage/store.ts'

/** A problem with the order of the work, as a sentence. It does not change the verdict. */
export type OrderProblem = Collected['order'][number]

type Ordered = Pick<Block, 'from' | 'phase' | 'status' | 'task' | 'dependencies'>

/** More tasks than a chain of work has; a history that is larger is looked at in part. */
const MAX_TASKS = 500
const TASK_PAGE = 200

/** The task of a block; without one, its phase and author stand for it. */
const orderId = ({ task, from, phase }: Ordered): string => task ?? `${phase} by ${from}`

export const itemOf = (block: Ordered): OrderItem => ({
  id: orderId(block),
  status: block.status,
  depends_on: block.dependencies ?? [],
})

/** Problems of these blocks among everything that is known of their dependencies. */
export function orderProblems(
  blocks: readonly Ordered[],
  known: readonly OrderItem[],
): readonly OrderProblem[] {
  const own = new Set(blocks.map(orderId))
  const items = withParents([...known, ...blocks.map(itemOf)])
  return checkDependencies(items)
    .filter(
      (found) =>
        own.has(found.id) || (found.code === 'dependency_cycle' && found.cycle.some((id) => own.has(id))),
    )
    .map(toProblem)
    .sort((a, b) => compareIds(a.id, b.id))
}

/** The dependencies of a block that are not done, in the order in which people count. */
export function unmetOf(
  block: Ordered,
  blocks: readonly Ordered[],
  known: readonly OrderItem[],
): readonly string[] {
  const all = indexById(withParents([...known, ...blocks.map(itemOf)]))
  return [...unmetDependencies({ depends_on: block.dependencies ?? [] }, all)].sort(compareIds)
}

/** A task that is known only by its subtasks is done when they are. */
function withParents(items: readonly OrderItem[]): readonly OrderItem[] {
  const all = indexById(items)
  const below = Map.groupBy(all.values(), ({ id }) => parentOf(id))
  const parents = [...below].flatMap(([id, children]): OrderItem[] => {
    if (id === undefined || all.has(id)) return []
    const isDone = children.every(({ status }) => status === 'complete' || status === 'done')
    return [{ id, status: isDone ? 'complete' : 'in_progress', depends_on: [] }]
  })
  return [...parents, ...items]
}

function toProblem(found: DependencyProblem): OrderProblem {
  const { code, id } = found
  const said = (severity: OrderProblem['severity'], message: string) => ({ severity, code, id, message })
  if (code === 'dependency_cycle')
    return said(
      'error',
      `these wait for each other: ${found.cycle.join(' → ')}; remove one of the dependencies`,
    )
  const other = found.depends_on
  return code === 'dependency_unknown'
    ? said('info', `${id} depends on ${other}, of which nothing is known here`)
    : said(
        'warning',
        `${id} was begun before ${other} was complete; finish ${other} first, or remove it from dependencies`,
      )
}

/** Stored tasks that these blocks depend on, directly or through other tasks. */
export async function knownOrder(store: Store, blocks: readonly Ordered[]): Promise<readonly OrderItem[]> {
  const found = new Map<string, OrderItem | undefined>()
  const wanted = blocks.flatMap(({ dependencies = [] }) => dependencies)
  for (let id = wanted.pop(); id !== undefined && found.size < MAX_TASKS; id = wanted.pop()) {
    if (found.has(id)) continue
    const item = await knownTask(store, id)
    found.set(id, item)
    wanted.push(...(item?.depends_on ?? []))
  }
  return [...found.values()].filter((item) => item !== undefined)
}

/** The newest block of a task, else the task itself. */
async function knownTask(store: Store, id: string): Promise<OrderItem | undefined> {
  let last: Block | undefined
  for await (const block of itemsOf((page) => store.blocks({ task: id }, page), TASK_PAGE)) last = block
  const row = (await store.task(id))?.task
  if (row?.status === 'done' || !last) return row && { id, status: row.status, depends_on: row.depends_on }
  return itemOf(last)
}
