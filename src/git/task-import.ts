import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { BatonError, invalidInput, notFound } from '../domain/errors.ts'
import { orElse } from '../domain/once.ts'
import { TaskId } from '../domain/tasks/task.ts'
import { findCycle } from '../domain/tasks/task-order.ts'
import type { OperationName } from '../operations/index.ts'
import { type Ask, maybeTask, type ShownTask } from './task-facts.ts'
import { fromBacklog, fromCsv, fromIndex, fromTaskMaster, notRead, type SourceTask } from './task-sources.ts'

export interface ImportedTask {
  readonly id: string
  readonly title: string
  readonly outcome: 'created' | 'unchanged' | 'differs'
  /** Fields that are otherwise here than in the file; they are left as they are. */
  readonly differs?: readonly string[]
  /** Done where it comes from. */
  readonly done?: 'taken' | 'left'
  /** Why a task that is done there was left, although a person asked to take it. */
  readonly reason?: string
}

export interface ImportOptions {
  /** A person takes new tasks that are done there as done here, with a record that says so and names this place. */
  readonly at?: { readonly branch: string; readonly commit: string } | undefined
  /** How the file is called in records. */
  readonly name: string
  /** Makes several calls as one change. */
  readonly together: (calls: readonly AskedCall[]) => Promise<void>
}

export type AskedCall = readonly [operation: OperationName, input: object]

const MAX_SOURCE_BYTES = 32 * 1024 * 1024

/** The tasks of a file or of Backlog.md's folder. */
export function readSource(path: string, tag?: string): readonly SourceTask[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) throw notFound(`there is no file ${path}; name one that is there`, { path })
  if (stats.isDirectory()) return readBacklog(path)
  if (!stats.isFile() || stats.size > MAX_SOURCE_BYTES)
    throw notRead(`${path} is not a file, or is too large`)
  const text = readFileSync(path, 'utf8')
  const ending = basename(path).toLowerCase().split('.').at(-1)
  if (ending === 'json') return fromTaskMaster(text, tag)
  if (ending === 'csv' || ending === 'tsv') return fromCsv(text)
  if (ending === 'md' || ending === 'markdown') return markdown(text)
  throw notRead(`${basename(path)} ends in none of .md, .json, .csv`)
}

function markdown(text: string): readonly SourceTask[] {
  const one = fromBacklog(text)
  return one ? [one] : fromIndex(text)
}

function readBacklog(folder: string): readonly SourceTask[] {
  const places = [join(folder, 'tasks'), join(folder, 'completed'), folder]
  const found = places.flatMap((place) =>
    orElse(() => readdirSync(place, { withFileTypes: true }), [])
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => join(place, entry.name)),
  )
  return found.sort().flatMap((file) => fromBacklog(readFileSync(file, 'utf8')) ?? [])
}

/** In an order in which every task comes after what it waits for. A cycle is shown and nothing is taken. */
export function tasksInOrder(tasks: readonly SourceTask[]): readonly SourceTask[] {
  if (tasks.length === 0) throw notRead('no task was found in it')
  const dropped = new Set(tasks.filter((task) => task.dropped).map(({ id }) => id))
  const spelled = new Map(tasks.map(({ id }) => [id.toLowerCase(), id]))
  const all = new Map<string, SourceTask>()
  for (const task of tasks) {
    if (task.dropped) continue
    if (!TaskId.safeParse(task.id).success) throw notRead(`${JSON.stringify(task.id)} is not a task id`)
    if (all.has(task.id)) throw notRead(`${task.id} is in it twice`)
    // Tools differ in how they spell an id where another task names it.
    const waits = new Set(task.depends_on.map((id) => spelled.get(id.toLowerCase()) ?? id))
    all.set(task.id, { ...task, depends_on: [...waits].filter((id) => !dropped.has(id)) })
  }
  const cycle = findCycle(new Map([...all].map(([id, task]) => [id, task.depends_on])))
  if (cycle)
    throw invalidInput(`tasks wait for each other: ${cycle.join(' → ')}; remove one of these dependencies`, {
      cycle,
    })
  return sorted(all)
}

function sorted(all: ReadonlyMap<string, SourceTask>): readonly SourceTask[] {
  const order = new Set<string>()
  for (const start of all.keys()) {
    // A stack of our own: a chain may be longer than the machine's.
    const stack = [start]
    while (stack.length > 0) {
      const id = stack.at(-1)!
      const open = (all.get(id)?.depends_on ?? []).filter((dep) => all.has(dep) && !order.has(dep))
      if (open.length > 0) stack.push(...open)
      else order.add(stack.pop()!)
    }
  }
  return [...order].map((id) => all.get(id)!)
}

/** Adds what is not here yet. The same file again changes nothing. */
export async function importTasks(
  ask: Ask,
  tasks: readonly SourceTask[],
  options: ImportOptions,
): Promise<readonly ImportedTask[]> {
  const ordered = tasksInOrder(tasks)
  await demandDependencies(ask, ordered)
  const imported: ImportedTask[] = []
  for (const task of ordered) imported.push(await importTask(ask, task, options))
  return imported
}

/** Before the first is written: half an import helps nobody. */
async function demandDependencies(ask: Ask, tasks: readonly SourceTask[]): Promise<void> {
  const inFile = new Set(tasks.map(({ id }) => id))
  const outside = new Set(tasks.flatMap(({ depends_on }) => depends_on.filter((id) => !inFile.has(id))))
  for (const id of outside)
    if (!(await maybeTask(ask, id))) {
      const task = tasks.find(({ depends_on }) => depends_on.includes(id))!
      throw notFound(
        `${task.id} depends on ${id}, which is neither in the file nor here; add it or remove the dependency`,
        { id, task: task.id },
      )
    }
}

async function importTask(ask: Ask, task: SourceTask, options: ImportOptions): Promise<ImportedTask> {
  const { done, ...input } = task
  const before = await existing(ask, task.id, () =>
    options.together([
      ['task_create', { ...input, title: input.title.slice(0, 300) }],
      ...(done && options.at ? [completion(task, options)] : []),
    ]),
  )
  // Work of this workspace is done when its record is here, whatever a file says.
  const takes = done && options.at !== undefined && !before
  const differs = before ? differences(task, before) : []
  const outcome = !before ? 'created' : differs.length > 0 ? 'differs' : 'unchanged'
  const isOpen = done && before?.status !== 'done'
  return {
    id: task.id,
    title: task.title,
    outcome,
    ...(differs.length > 0 && { differs }),
    ...(isOpen && { done: takes ? 'taken' : 'left' }),
    ...(isOpen && !takes && options.at && { reason: `${task.id} ${OWN_TASK}` }),
  }
}

const OWN_TASK = 'is a task of this workspace already; it is done when its own record is here'

/** The task as it is here, also where another import was quicker; undefined when this call made it. */
async function existing(ask: Ask, id: string, make: () => Promise<void>): Promise<ShownTask | undefined> {
  const before = await maybeTask(ask, id)
  if (before) return before.task
  try {
    await make()
    return undefined
  } catch (error) {
    const found =
      error instanceof BatonError && error.code === 'conflict' ? await maybeTask(ask, id) : undefined
    if (!found) throw error
    return found.task
  }
}

const completion = (task: SourceTask, { name, at }: ImportOptions): AskedCall => [
  'task_complete',
  {
    task_id: task.id,
    branch: at?.branch,
    commit_sha: at?.commit,
    summary: `${task.title} was done before it came here. It was imported as done from ${name}, which tells nothing about branch, commit or tests. The branch and the commit are where the project stood when it was imported.`,
    blockers: [],
  },
]

function differences(task: SourceTask, here: ShownTask): readonly string[] {
  const same = (a: readonly string[], b: readonly string[]): boolean =>
    [...a].sort().join('\n') === [...b].sort().join('\n')
  return [
    ...(task.title.slice(0, 300) === here.title ? [] : ['title']),
    ...(same(task.depends_on, here.depends_on) ? [] : ['depends_on']),
    ...(task.priority === undefined || task.priority === here.priority ? [] : ['priority']),
    ...(task.critical === undefined || task.critical === here.critical ? [] : ['critical']),
  ]
}
