import type { Store, TaskRow } from '../../storage/store.ts'

/** More tasks than these are not drawn whole. */
const MOST_DRAWN = 40
/** Neighbours of a task that are drawn, in each direction and at each step. */
const MOST_NEIGHBOURS = 8
const STEPS_AROUND = 2

/**
 * The tasks that hold up the end, with counts by level. `drawn` are those worth drawing: all of a small plan, else
 * the path and the neighbours of one task.
 */
export async function taskPlan(store: Store, around?: string, withDone = false) {
  const [counts, { tasks: path, ids: path_ids }, levels] = await Promise.all([
    store.counts(),
    store.criticalPath(),
    store.taskLevels(),
  ])
  const sum = (of: (level: (typeof levels)[number]) => number) =>
    levels.reduce((all, each) => all + of(each), 0)
  const [open, done, ready] = [sum((each) => each.open), sum((each) => each.done), sum((each) => each.ready)]
  const whole = open + (withDone ? done : 0) <= MOST_DRAWN
  const drawn = whole
    ? await wholePlan(store, withDone)
    : unique([...path.slice(0, MOST_DRAWN), ...(around === undefined ? [] : await neighbours(store, around))])
  return { counts: counts.tasks, ready, path, path_ids, levels, drawn, whole }
}

/** Open tasks with the done ones that they need, or all of them. */
async function wholePlan(store: Store, withDone: boolean): Promise<readonly TaskRow[]> {
  const status = withDone ? undefined : (['todo', 'assigned', 'in_progress'] as const)
  const { items } = await store.tasks(status ? { status } : {}, { limit: MOST_DRAWN })
  return unique([...items, ...(await Promise.all(needsOf(items).map((id) => store.task(id))))])
}

/** A task with what it needs and what needs it, a few steps each way. */
async function neighbours(store: Store, id: string): Promise<readonly (TaskRow | undefined)[]> {
  const first = await store.task(id)
  const walk = async (next: (rows: readonly TaskRow[]) => Promise<readonly string[]>) => {
    const found: TaskRow[] = []
    let rows = first ? [first] : []
    for (let step = 0; step < STEPS_AROUND && rows.length > 0; step++) {
      const ids = (await next(rows)).slice(0, MOST_NEIGHBOURS)
      rows = unique(await Promise.all(ids.map((each) => store.task(each))))
      found.push(...rows)
    }
    return found
  }
  const after = (rows: readonly TaskRow[]) =>
    Promise.all(rows.map(({ task }) => store.dependents(task.uid))).then((lists) => lists.flat())
  return [first, ...(await walk(async (rows) => needsOf(rows))), ...(await walk(after))]
}

const needsOf = (rows: readonly TaskRow[]): readonly string[] => [
  ...new Set(rows.flatMap(({ task }) => task.depends_on)),
]

const unique = (rows: readonly (TaskRow | undefined)[]): TaskRow[] => [
  ...new Map(rows.flatMap((row) => (row ? [[row.task.uid, row] as const] : []))).values(),
]
