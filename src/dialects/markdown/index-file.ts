import { stringify } from 'yaml'
import {
  MARKDOWN_STATUSES,
  MARKDOWN_TRANSITIONS,
  type MarkdownStatus,
} from '../../domain/handoffs/markdown-status.ts'
import { DEFAULT_LIMITS } from '../../domain/limits.ts'
import { present } from '../../domain/present.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { put } from '../difference.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import type { Source } from '../text/source.ts'
import { DAY_MS, seconds } from '../text/time.ts'
import { OLDER_READERS } from '../text/yaml/older-readers.ts'
import { parseName } from './names.ts'

export interface IndexEntry {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly task?: string | undefined
  readonly status: MarkdownStatus
  readonly created_at?: string | undefined
  readonly completed_at?: string | undefined
}

const DIRECTIONS = ['outgoing', 'incoming'] as const
type Counts = Readonly<Record<(typeof DIRECTIONS)[number], number>>

export interface HandoffIndex {
  readonly last_updated?: string | undefined
  readonly active: readonly Partial<IndexEntry>[]
  readonly counts: ReadonlyMap<string, Partial<Counts>>
  readonly recently_completed: readonly { readonly id?: string; readonly completed_at?: string }[]
  readonly diagnostics: readonly PlacedProblem[]
}

/** Document 000 leaves open what "recently" means. */
const RECENT_MS = 7 * DAY_MS
const RECENT_MAX = 20
const ACTIVE_HOURS = 4
const HEADER = '# Auto-generated index of all handoffs\n'

const isTerminal = (status: MarkdownStatus): boolean => MARKDOWN_TRANSITIONS[status].length === 0

/** An index as it stands. It is derived data: what it says of a handoff is never taken for the handoff. */
export function parseIndex(source: Source): HandoffIndex {
  const fields = fieldsOf(source)
  if (!fields) {
    const message = 'An index holds keys; write active_handoffs, counts_by_agent and recently_completed.'
    const at = source.position(source.start)
    const problem = { severity: 'error', code: 'not_an_index', message, ...at } as const
    return { active: [], counts: new Map(), recently_completed: [], diagnostics: [problem] }
  }
  const active = (fields.each('active_handoffs') ?? []).map((each, i) => readEntry(each, i, fields))
  const last_updated = fields.time('last_updated')
  const counts = readCounts(fields)
  const recently_completed = (fields.each('recently_completed') ?? []).map((each) =>
    typeof each === 'string'
      ? { id: each }
      : present({ id: each.text('id'), completed_at: each.time('completed_at') }),
  )
  const message = 'The index does not say when it was made; add `last_updated: <time>`.'
  if (!fields.has('last_updated')) fields.report('warning', 'required_field', message)
  const index = { last_updated, active, counts, recently_completed, diagnostics: fields.diagnostics }
  findDrift(index, fields)
  return index
}

function readEntry(each: Fields | string, i: number, index: Fields): Partial<IndexEntry> {
  if (typeof each === 'string') {
    const message = `"${each}" is only an id; write id, from, to, task, status and created.`
    index.report('error', 'index_entry', message, 'active_handoffs', i)
    return { id: each }
  }
  const entry = present({
    id: each.text('id', 'handoff_id'),
    from: each.agent('from', 'from_agent'),
    to: each.agent('to', 'to_agent'),
    task: each.text('task', 'related_task'),
    status: each.word({ name: 'status', words: MARKDOWN_STATUSES, synonyms: {} }, 'status'),
    created_at: each.time('created', 'created_at'),
  })
  for (const key of ['id', 'from', 'to', 'task', 'created']) {
    const message = `Entry ${i + 1} of active_handoffs has no ${key}; add \`${key}: …\`.`
    if (!Object.hasOwn(entry, key === 'created' ? 'created_at' : key) && !each.has(key))
      each.report('error', 'index_entry', message)
  }
  return entry
}

function readCounts(fields: Fields): Map<string, Partial<Counts>> {
  const below = fields.below('counts_by_agent')
  const agents = below ? Object.keys(fields.value('counts_by_agent') as object) : []
  return new Map(
    agents.flatMap((agent) => {
      const of = below?.below(agent)
      return of
        ? [[agent, present({ outgoing: of.number('outgoing'), incoming: of.number('incoming') })]]
        : []
    }),
  )
}

/** Where the index contradicts itself. Whether it agrees with the files is for whoever can see them. */
function findDrift({ active, counts, recently_completed, last_updated }: HandoffIndex, fields: Fields): void {
  const drift = (message: string, ...path: readonly (string | number)[]) =>
    fields.report('warning', 'index_drift', `${message} Regenerate the index from the files.`, ...path)
  const counted = countsOf(active)
  for (const [agent, said] of counts)
    for (const direction of DIRECTIONS) {
      const [there, listed] = [said[direction], counted.get(agent)?.[direction] ?? 0]
      const where = `counts_by_agent.${agent}.${direction}`
      const message = `${where} is ${there}, but active_handoffs lists ${listed}.`
      if (there !== undefined && there !== listed) drift(message, 'counts_by_agent', agent, direction)
    }
  for (const agent of counted.keys())
    if (!counts.has(agent))
      drift(`${agent} is in active_handoffs but not in counts_by_agent.`, 'counts_by_agent')
  const [outgoing, incoming] = DIRECTIONS.map((direction) =>
    [...counts.values()].reduce((total, each) => total + (each[direction] ?? 0), 0),
  )
  const sums = `counts_by_agent adds up to ${outgoing} outgoing and ${incoming} incoming; every handoff is one of each.`
  if (outgoing !== incoming) drift(sums, 'counts_by_agent')
  const done = new Set(recently_completed.map(({ id }) => id))
  const seen = new Set<string>()
  for (const [i, entry] of active.entries()) {
    const { id, status } = entry
    const name = id ?? `Entry ${i + 1}`
    const warn = (key: string, message: string) => drift(message, 'active_handoffs', i, key)
    if (status !== undefined && isTerminal(status))
      warn('status', `${name} is ${status} and still listed as active.`)
    if (id !== undefined && seen.has(id)) warn('id', `${id} is listed twice.`)
    if (id !== undefined && done.has(id)) warn('id', `${id} is listed as active and as completed.`)
    if (id !== undefined) seen.add(id)
    if (isOverdue(entry, last_updated))
      warn('created', `${name} has been Active for more than ${ACTIVE_HOURS} hours.`)
    checkId(entry, (message) => warn('id', message))
  }
}

function isOverdue({ status, created_at }: Partial<IndexEntry>, now: string | undefined): boolean {
  if (status !== 'Active' || created_at === undefined || now === undefined) return false
  return Date.parse(now) - Date.parse(created_at) > ACTIVE_HOURS * 3_600_000
}

function checkId({ id, from, to, task }: Partial<IndexEntry>, report: (message: string) => void): void {
  if (id === undefined) return
  const name = parseName(id, new Set([...Object.keys(DEFAULT_LIMITS), ...[from ?? [], to ?? []].flat()]))
  for (const [key, said] of Object.entries({ from, to, task })) {
    const named = name.ok ? name.parts[key as 'from' | 'to' | 'task'] : said
    if (said !== undefined && said !== named) report(`${id} names ${named}, but ${key} is ${said}.`)
  }
}

function countsOf(entries: readonly Partial<IndexEntry>[]): Map<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const { from, to } of entries)
    for (const [agent, direction] of [
      [from, 'outgoing'],
      [to, 'incoming'],
    ] as const) {
      if (agent === undefined) continue
      const now = counts.get(agent) ?? { outgoing: 0, incoming: 0 }
      counts.set(agent, { ...now, [direction]: now[direction] + 1 })
    }
  return counts
}

interface PrintOptions {
  readonly now: string
  /** Listed even while they have nothing; document 000's five where nobody says otherwise. */
  readonly agents?: readonly string[]
}

/** The index that document 000 wants, made from what the files say. */
export function printIndex(
  entries: readonly IndexEntry[],
  { now, agents: known = Object.keys(DEFAULT_LIMITS) }: PrintOptions,
): string {
  const active = entries.filter(({ status }) => !isTerminal(status)).sort(newestFirst('created_at'))
  const recent = entries
    .filter(({ status, completed_at }) => status === 'Complete' && isRecent(completed_at, now))
    .sort(newestFirst('completed_at'))
    .slice(0, RECENT_MAX)
  const counted = countsOf(active)
  const others = [...counted.keys()].filter((agent) => !known.includes(agent)).sort()
  const counts = {}
  for (const agent of [...known, ...others])
    put(counts, agent, counted.get(agent) ?? { outgoing: 0, incoming: 0 })
  const parts = [
    { last_updated: seconds(now) },
    { active_handoffs: active.map(indexLine) },
    { counts_by_agent: counts },
    { recently_completed: recent.map(({ id, completed_at: at }) => ({ id, completed_at: seconds(at!) })) },
  ]
  return HEADER + parts.map((part) => stringify(part, { lineWidth: 0, schema: OLDER_READERS })).join('\n')
}

const indexLine = ({ id, from, to, task, status, created_at }: IndexEntry): object =>
  present({ id, from, to, task, status, created: created_at === undefined ? undefined : seconds(created_at) })

const isRecent = (at: string | undefined, now: string): boolean =>
  at !== undefined && Date.parse(now) - Date.parse(at) <= RECENT_MS

const newestFirst =
  (key: 'created_at' | 'completed_at') =>
  (a: IndexEntry, b: IndexEntry): number =>
    (Date.parse(b[key] ?? '') || 0) - (Date.parse(a[key] ?? '') || 0) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
