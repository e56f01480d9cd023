import type { Draft } from '../dialects/index.ts'
import { readAgent } from '../dialects/markdown/agents.ts'
import { sectionsOf } from '../dialects/markdown/body/body.ts'
import { readStatus } from '../dialects/markdown/status.ts'
import { labelsOf } from '../dialects/markdown/table.ts'
import { readInstant } from '../dialects/text/time.ts'
import { findWord, PRIORITY_WORDS } from '../dialects/text/words.ts'
import { present } from '../domain/present.ts'

/** One line of a table that lists work by its task. */
export interface IndexRow {
  readonly draft: Draft
  /** As written; what it means is in the draft, if anything. */
  readonly status: string | undefined
}

type Cells = ReadonlyMap<string, string>

const TASK_ID = /\bBPRD-\d{4}-\d{4,}\b/

/**
 * The handoffs of a table: some keep one file for each agent, with a line for each task. Only a table that names a task id
 * is one; what its lines do not say, the document around them may.
 */
export function rowsOf(body: string, around: Draft): readonly IndexRow[] {
  const rows = sectionsOf(body)
    .map(({ fields }) => fields.filter(({ kind }) => kind === 'cell'))
    .flatMap((fields) => [...Map.groupBy(fields, ({ at }) => at).values()])
    .map((cells): Cells => new Map(cells.map(({ label, value }) => [label, value])))
    .filter((cells) => taskCell(cells) !== undefined)
  return rows.some((cells) => TASK_ID.test(taskCell(cells)!)) ? rows.map((cells) => rowOf(cells, around)) : []
}

function cellOf(cells: Cells, key: string): string | undefined {
  const label = labelsOf(key).find((each) => cells.has(each))
  const text = label === undefined ? undefined : cells.get(label)
  return text === '' ? undefined : text
}

/** In the column for tasks, or for ids where that is what they are. */
function taskCell(cells: Cells): string | undefined {
  const id = cellOf(cells, 'handoff_id')
  return cellOf(cells, 'related_task') ?? (id !== undefined && TASK_ID.test(id) ? id : undefined)
}

function rowOf(cells: Cells, around: Draft): IndexRow {
  const task = taskCell(cells)!
  const id = TASK_ID.exec(task)?.[0]
  const status = cellOf(cells, 'status')
  const read = status === undefined ? undefined : readStatus(status)
  const priority = findWord(PRIORITY_WORDS, cellOf(cells, 'priority') ?? '')?.word
  const due = cellOf(cells, 'target_completion')
  const title = titleIn(cells, task, id) ?? around.title
  const created = readInstant(cellOf(cells, 'created_at') ?? '')?.instant ?? around.created_at
  const from = agentIn(cells, 'from_agent') ?? around.from
  const to = agentIn(cells, 'to_agent') ?? around.to
  const state = read?.kind === 'state' ? read.state : status === undefined ? around.state : undefined
  return {
    status,
    draft: {
      task: id ?? task,
      ...present({ title, from, to, state, created_at: created, priority, target_completion: due }),
    },
  }
}

const agentIn = (cells: Cells, key: 'from_agent' | 'to_agent'): string | undefined =>
  readAgent(cellOf(cells, key) ?? '')?.name ?? undefined

/** The title in a column of its own, beside the task id, or in the description. */
function titleIn(cells: Cells, task: string, id: string | undefined): string | undefined {
  const beside = id === undefined ? '' : task.replace(id, '').replace(/^[\s:()[\]—–-]+|[\s()[\]]+$/g, '')
  return cellOf(cells, 'title') ?? (beside === '' ? cells.get('description') : beside)
}
