/** The fields of a task that decide its place among others. */
export interface OrderItem {
  readonly id: string
  readonly status: string
  readonly depends_on: readonly string[]
}

export type DependencyProblem =
  | {
      readonly code: 'dependency_unmet' | 'dependency_unknown'
      readonly id: string
      readonly depends_on: string
    }
  | { readonly code: 'dependency_cycle'; readonly id: string; readonly cycle: readonly string[] }

/** Document 002 says `complete`, document 003 `done`. */
const DONE: ReadonlySet<string> = new Set(['complete', 'done'])
const BEGUN: ReadonlySet<string> = new Set(['in_progress', 'complete', 'done'])

/**
 * Orders ids as people count: task-2 before task-10, P0.1.2 before P0.1.10. The same on every machine, and
 * 0 only for equal ids.
 */
export function compareIds(a: string, b: string): number {
  const [parts, others] = [idParts(a), idParts(b)]
  for (const [i, part] of parts.entries()) {
    const other = others[i]
    if (other === undefined) return 1
    const order =
      /^\d/.test(part) && /^\d/.test(other) ? compareNumbers(part, other) : compareText(part, other)
    if (order !== 0) return order
  }
  // Only zeros in front of a number are left to tell them apart.
  return parts.length < others.length ? -1 : compareText(a, b)
}

/** The task that a subtask belongs to: `task-15` for `task-15.3`, nothing for `task-15`. */
export function parentOf(id: string): string | undefined {
  const dot = id.lastIndexOf('.')
  return dot > 0 && /^\d+$/.test(id.slice(dot + 1)) ? id.slice(0, dot) : undefined
}

/** Items by id. Where an id comes twice the later item counts: it is the newer word on the task. */
export function indexById<Item extends { readonly id: string }>(
  items: readonly Item[],
): ReadonlyMap<string, Item> {
  return new Map(items.map((item) => [item.id, item]))
}

/** The dependencies that are not done yet, in the order given; one that nobody knows is not done either. */
export const unmetDependencies = (
  item: Pick<OrderItem, 'depends_on'>,
  all: ReadonlyMap<string, Pick<OrderItem, 'status'>>,
): readonly string[] => [...new Set(item.depends_on)].filter((id) => !DONE.has(all.get(id)?.status ?? ''))

/**
 * Finds tasks begun before a dependency was done, with an unknown dependency, or waiting for themselves.
 * Of several cycles one is named; mend it and ask again.
 */
export function checkDependencies(items: readonly OrderItem[]): readonly DependencyProblem[] {
  const all = indexById(items)
  const findings: DependencyProblem[] = []
  for (const { id, status, depends_on } of all.values()) {
    for (const dependency of unmetDependencies({ depends_on }, all)) {
      if (!all.has(dependency)) findings.push({ code: 'dependency_unknown', id, depends_on: dependency })
      else if (BEGUN.has(status)) findings.push({ code: 'dependency_unmet', id, depends_on: dependency })
    }
  }
  const cycle = findCycle(new Map([...all].map(([id, item]) => [id, item.depends_on])))
  if (cycle) findings.push({ code: 'dependency_cycle', id: cycle[0]!, cycle })
  return findings
}

/** One cycle, with its first node repeated at the end; undefined for a graph without one. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const finished = new Set<string>()
  for (const start of graph.keys()) {
    if (finished.has(start)) continue
    // A stack of our own: a chain of a hundred thousand tasks must not end ours.
    const path = [start]
    const next = [0]
    const position = new Map([[start, 0]])
    while (path.length > 0) {
      const top = path.length - 1
      const node = path[top]!
      const target = graph.get(node)?.[next[top]!]
      next[top] = next[top]! + 1
      if (target === undefined) {
        finished.add(node)
        position.delete(node)
        path.pop()
        next.pop()
      } else if (position.has(target)) {
        return [...path.slice(position.get(target)), target]
      } else if (!finished.has(target) && graph.has(target)) {
        position.set(target, path.length)
        path.push(target)
        next.push(0)
      }
    }
  }
  return undefined
}

const idParts = (id: string): readonly string[] => id.match(/\d+|\D/g) ?? []

/** By value and without arithmetic, so that a number of any length is exact. */
function compareNumbers(a: string, b: string): number {
  const x = a.replace(/^0+/, '')
  const y = b.replace(/^0+/, '')
  return x.length === y.length ? compareText(x, y) : x.length < y.length ? -1 : 1
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
