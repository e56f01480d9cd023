import { parse as parseYaml } from 'yaml'
import { isMapping } from '../dialects/text/tree.ts'
import { type BatonError, invalidInput } from '../domain/errors.ts'
import { orElse } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import type { Priority } from '../domain/priority.ts'

/** A task as another tool or a document writes it. */
export interface SourceTask {
  readonly id: string
  readonly title: string
  readonly depends_on: readonly string[]
  readonly priority?: Priority
  readonly critical?: boolean
  readonly criteria?: readonly string[]
  readonly done: boolean
  /** Given up where it comes from: it is not taken, and nobody waits for it. */
  readonly dropped?: true
}

const PRIORITIES: Readonly<Record<string, Priority>> = {
  critical: 'critical',
  urgent: 'critical',
  high: 'high',
  medium: 'normal',
  normal: 'normal',
  low: 'low',
}
const DONE = /^(?:done|completed?|closed|finished|merged|✅|\[x\]|x)$/i
const DROPPED = /^(?:cancell?ed|wont-?do|archived)$/i
/** Ids of document 003, of Backlog.md and of trackers; a plain word is not an id. */
const ID = /[A-Za-z]+-?\d+(?:[.-]\d+)*/
const CRITICAL = /\bcritical(?:[ -]path)?\b/i

/** The document's own list of tasks: a table or a list with ids, titles and what each waits for. */
export function fromIndex(text: string): readonly SourceTask[] {
  const found: SourceTask[] = []
  let columns: readonly string[] | undefined
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*\|/.test(line)) {
      const cells = line
        .trim()
        .replace(/^\||\|$/g, '')
        .split('|')
        .map(withoutMarkup)
      if (cells.every((cell) => /^:?-{2,}:?$/.test(cell))) continue
      if (!columns) columns = cells.map((cell) => cell.toLowerCase())
      else found.push(...tableTask(columns, cells))
      continue
    }
    columns = undefined
    found.push(...listTask(line))
  }
  return found
}

function tableTask(columns: readonly string[], cells: readonly string[]): readonly SourceTask[] {
  const cell = (name: RegExp): string => cells[columns.findIndex((column) => name.test(column))] ?? ''
  const id = ID.exec(cell(/^(?:id|task id|task|#)$/))?.[0] ?? ID.exec(cells[0] ?? '')?.[0]
  if (id === undefined) return []
  const title =
    cell(/title|name|description|summary/) ||
    (cells[0] ?? '').replace(id, '').replace(/^[\s:\u2013\u2014-]+/, '')
  return [
    {
      id,
      title: title || id,
      depends_on: idsIn(cell(/depend|blocked|requires|after/), id),
      ...priorityOf(cell(/priority/)),
      ...((CRITICAL.test(cell(/critical/)) || /^(?:yes|true|x|✓|★)$/i.test(cell(/critical/))) && {
        critical: true,
      }),
      ...doneOrDropped(cell(/status|state|done/)),
    },
  ]
}

/** `- [P0.1.2 — Linter](p0.1-infrastructure.md) (depends on P0.1.1, critical path)` */
function listTask(line: string): readonly SourceTask[] {
  const [, tick, rest] = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.+)$/.exec(line) ?? []
  if (rest === undefined) return []
  const text = withoutMarkup(rest)
  const [, id, after] = new RegExp(`^(${ID.source})(?![\\w.-]*\\w)(.*)$`).exec(text) ?? []
  if (id === undefined) return []
  const [, waits = ''] = /\b(?:depends on|after|blocked by|requires)\b:?\s*([^);]*)/i.exec(after!) ?? []
  const title = after!
    .replace(/\s*\((?=[^)]*\b(?:depends on|after|blocked by|requires|critical)\b)[^)]*\)/gi, '')
    .replace(/^[\s:\u2013\u2014-]+/, '')
    .trim()
  return [
    {
      id,
      title: title || id,
      depends_on: idsIn(waits, id),
      ...(CRITICAL.test(after!) && { critical: true }),
      done: tick !== undefined && tick !== ' ',
    },
  ]
}

/** Without links, emphasis and code marks. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]|__/g, '')
    .trim()

const idsIn = (text: string, own: string): readonly string[] => [
  ...new Set([...text.matchAll(new RegExp(ID.source, 'g'))].map(([id]) => id).filter((id) => id !== own)),
]

/** Task Master's `tasks.json`, with or without tags. A task waits for its subtasks, and they for what it waits for. */
export function fromTaskMaster(text: string, tag?: string): readonly SourceTask[] {
  return taggedTasks(readJson(text), tag).flatMap((task) => {
    const id = String(task.id)
    const waits = listOf(task.dependencies).map(String)
    const parts = listOf(task.subtasks).filter(isMapping)
    const subtasks = parts.map((part) => {
      // A number alone is a sister, a number with a dot a task anywhere.
      const own = listOf(part.dependencies).map((each) =>
        String(each).includes('.') ? String(each) : `${id}.${String(each)}`,
      )
      return { ...masterTask(part, `${id}.${String(part.id)}`), depends_on: [...waits, ...own] }
    })
    return [
      ...subtasks,
      { ...masterTask(task, id), depends_on: [...waits, ...subtasks.map((each) => each.id)] },
    ]
  })
}

function masterTask(task: Record<string, unknown>, id: string): SourceTask {
  const check = typeof task.testStrategy === 'string' ? task.testStrategy.trim().slice(0, 2_000) : ''
  return {
    id,
    title: String(task.title ?? id),
    depends_on: [],
    ...priorityOf(String(task.priority ?? '')),
    ...(check !== '' && { criteria: [check] }),
    ...doneOrDropped(String(task.status ?? '')),
  }
}

function taggedTasks(data: unknown, tag: string | undefined): readonly Record<string, unknown>[] {
  if (!isMapping(data)) throw notRead('it holds no object')
  if (tag === undefined && Array.isArray(data.tasks)) return data.tasks.filter(isMapping)
  const tags = Object.keys(data).filter((name) => isMapping(data[name]) && Array.isArray(data[name].tasks))
  const chosen = tag ?? (tags.includes('master') ? 'master' : tags.length === 1 ? tags[0] : undefined)
  const found = chosen === undefined ? undefined : data[chosen]
  const several = `it has the tags ${tags.join(', ')}; choose one with --tag`
  if (!isMapping(found) || !Array.isArray(found.tasks))
    throw notRead(tags.length === 0 ? 'it holds no list of tasks' : several)
  return found.tasks.filter(isMapping)
}

/** One file of Backlog.md's `tasks` folder; undefined when it is not a task. */
export function fromBacklog(text: string): SourceTask | undefined {
  const [, front] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? []
  if (front === undefined) return undefined
  const data: unknown = orElse(() => parseYaml(front), undefined)
  if (!isMapping(data) || data.id === undefined) return undefined
  const criteria = [...text.matchAll(/^\s*- \[[ xX]\]\s+(?:#\d+\s+)?(.*\S)\s*$/gm)].map(([, item]) => item!)
  return {
    id: String(data.id),
    title: String(data.title ?? data.id),
    depends_on: listOf(data.dependencies).map(String),
    ...priorityOf(String(data.priority ?? '')),
    ...(criteria.length > 0 && { criteria }),
    ...doneOrDropped(String(data.status ?? '')),
  }
}

/** A table with a head: id, title, depends_on, priority, critical, criteria, status; several values with `;`. */
export function fromCsv(text: string): readonly SourceTask[] {
  const [head = [], ...rows] = readCsv(text)
  const names = head.map((name) =>
    name
      .trim()
      .toLowerCase()
      .split(/[\s-]+/)
      .join('_'),
  )
  const at = (...wanted: readonly string[]): number => names.findIndex((name) => wanted.includes(name))
  const columns = {
    id: at('id', 'task', 'task_id', 'key'),
    title: at('title', 'name', 'summary'),
    depends_on: at('depends_on', 'dependencies', 'depends', 'blocked_by'),
    priority: at('priority'),
    critical: at('critical', 'critical_path'),
    criteria: at('criteria', 'acceptance_criteria'),
    status: at('status', 'state'),
  }
  if (columns.id < 0 || columns.title < 0) throw notRead('its first line names no columns id and title')
  return rows.flatMap((row) => {
    const cell = (name: keyof typeof columns): string => (row[columns[name]] ?? '').trim()
    if (cell('id') === '') return []
    const criteria = parts(cell('criteria'), /[;\n]/)
    return [
      {
        id: cell('id'),
        title: cell('title') || cell('id'),
        depends_on: parts(cell('depends_on'), /[;,|\s]/),
        ...priorityOf(cell('priority')),
        ...(/^(?:yes|true|1|x|critical)$/i.test(cell('critical')) && { critical: true }),
        ...(criteria.length > 0 && { criteria }),
        ...doneOrDropped(cell('status')),
      },
    ]
  })
}

const doneOrDropped = (text: string): Pick<SourceTask, 'done' | 'dropped'> => ({
  done: DONE.test(text),
  ...(DROPPED.test(text) && { dropped: true }),
})

const parts = (text: string, separator: RegExp): readonly string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean)

const priorityOf = (text: string) => present({ priority: PRIORITIES[text.trim().toLowerCase()] })

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw notRead(`it is not JSON (${(error as Error).message})`)
  }
}

export const notRead = (why: string): BatonError =>
  invalidInput(
    `the tasks could not be read: ${why}. Use a task-prompts index.md, Task Master's tasks.json, a backlog folder or a CSV file`,
  )

/** Rows of cells as RFC 4180 has them; the separator is the one that the first line uses most. */
export function readCsv(text: string): readonly (readonly string[])[] {
  const body = text.replace(/^\uFEFF/, '')
  const separator = separatorOf(body)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  for (let i = 0; i < body.length; i++) {
    const char = body[i]!
    if (quoted) {
      if (char !== '"') cell += char
      else if (body[i + 1] === '"') cell += body[++i]!
      else quoted = false
    } else if (char === '"' && cell === '') quoted = true
    else if (char === separator) {
      row.push(cell)
      cell = ''
    } else if (char === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')])
      row = []
      cell = ''
    } else cell += char
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows.filter((cells) => cells.some((each) => each.trim() !== ''))
}

function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1)
  const count = (mark: string): number => first.split(mark).length
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best))
}
