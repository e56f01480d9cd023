import { compareIds, indexById, type OrderItem } from '../../src/domain/tasks/task-order.ts'

type PathItem = OrderItem & {
  /** Set by hand: wins over what is computed. */
  readonly critical?: boolean | undefined
}

const DONE: ReadonlySet<string> = new Set(['complete', 'done'])

/**
 * A second opinion on the critical path that the stores compute: the tasks that hold up the end, first one first
 * (A3-25). They are those flagged by hand, else the longest chain of tasks that are not done; of equally long ones
 * the first in order of ids. What is in or behind a cycle is on no chain.
 */
export function criticalPath(items: readonly PathItem[]): readonly string[] {
  const remaining = [...indexById(items).values()].filter((item) => !DONE.has(item.status))
  const { heights, dependents } = chains(remaining)
  const height = (id: string): number => heights.get(id) ?? 0
  const order = (a: string, b: string): number => height(b) - height(a) || compareIds(a, b)
  const flagged = remaining.filter((item) => item.critical).map((item) => item.id)
  if (flagged.length > 0) return flagged.sort(order)
  const path: string[] = []
  let candidates: readonly string[] = [...heights.keys()]
  while (candidates.length > 0) {
    const first = candidates.reduce((a, b) => (order(a, b) <= 0 ? a : b))
    path.push(first)
    candidates = dependents.get(first)?.filter((id) => heights.has(id)) ?? []
  }
  return path
}

/** For each task that can ever begin: how long the longest chain is that it starts, and who waits for it. */
function chains(items: readonly PathItem[]): {
  readonly heights: ReadonlyMap<string, number>
  readonly dependents: ReadonlyMap<string, readonly string[]>
} {
  const dependents = new Map<string, string[]>(items.map(({ id }) => [id, []]))
  const open = new Map<string, number>()
  for (const { id, depends_on } of items) {
    const waitsFor = [...new Set(depends_on)].filter((dependency) => dependents.has(dependency))
    for (const dependency of waitsFor) dependents.get(dependency)!.push(id)
    open.set(id, waitsFor.length)
  }
  // The array grows while it is walked: a task joins when the last one it waits for was passed.
  const begins = items.map(({ id }) => id).filter((id) => open.get(id) === 0)
  for (const id of begins) {
    for (const dependent of dependents.get(id)!) {
      const left = open.get(dependent)! - 1
      open.set(dependent, left)
      if (left === 0) begins.push(dependent)
    }
  }
  const heights = new Map<string, number>()
  for (const id of begins.reverse()) {
    const above = dependents.get(id)!.reduce((most, next) => Math.max(most, heights.get(next) ?? 0), 0)
    heights.set(id, above + 1)
  }
  return { heights, dependents }
}
