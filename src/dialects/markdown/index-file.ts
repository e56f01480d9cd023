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

export interface Counts {
  readonly outgoing: number
  readonly incoming: number
}

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
    const diagnostic = {
      severity: 'error',
      code: 'not_an_index',
      message,
      ...source.position(source.start),
    } as const
    return { active: [], counts: new Map(), recently_completed: [], diagnostics: [diagnostic] }
  }
  const active = (fields.each('active_handoffs') ?? []).flatMap((each, i) => readEntry(each, i, fields))
  const last_updated = fields.time('last_updated')
  const counts = readCounts(fields)
  const recent = (fields.each('recently_completed') ?? []).flatMap((each) =>
    typeof each === 'string'
      ? [{ id: each }]
      : [present({ id: each.text('id'), completed_at: each.time('completed_at') })],
  )
  if (last_updated === undefined && !fields.has('last_updated'))
    fields.report(
      'warning',
      'required_field',
      'The index does not say when it was made; add `last_updated: <time>`.',
    )
  const index = { last_updated, active, counts, recently_completed: recent, diagnostics: fields.diagnostics }
  findDrift(index, fields)
  return index
}

function readEntry(each: Fields | string, i: number, index: Fields): Partial<IndexEntry>[] {
  if (typeof each === 'string') {
    index.report(
      'error',
      'index_entry',
      `"${each}" is only an id; write id, from, to, task, status and created.`,
      'active_handoffs',
      i,
    )
    return [{ id: each }]
  }
  const entry = present({
    id: each.text('id', 'handoff_id'),
    from: each.agent('from', 'from_agent'),
    to: each.agent('to', 'to_agent'),
    task: each.text('task', 'related_task'),
    status: each.word({ name: 'status', words: MARKDOWN_STATUSES, synonyms: {} }, 'status'),
    created_at: each.time('created', 'created_at'),
  })
  for (const [key, native] of Object.entries({
    id: 'id',
    from: 'from',
    to: 'to',
    task: 'task',
    created_at: 'created',
  }))
    if (!Object.hasOwn(entry, key) && !each.has(native))
      each.report(
        'error',
        'index_entry',
        `Entry ${i + 1} of active_handoffs has no ${native}; add \`${native}: …\`.`,
      )
  return [entry]
}

function readCounts(fields: Fields): Map<string, Partial<Counts>> {
  const counts = new Map<string, Partial<Counts>>()
  const below = fields.below('counts_by_agent')
  const value = fields.value('counts_by_agent')
  if (!below || typeof value !== 'object' || value === null) return counts
  for (const agent of Object.keys(value)) {
    const of = below.below(agent)
    if (of) counts.set(agent, present({ outgoing: of.number('outgoing'), incoming: of.number('incoming') }))
  }
  return counts
}

/** Where the index contradicts itself. Whether it agrees with the files is for whoever can see them. */
function findDrift({ active, counts, recently_completed, last_updated }: HandoffIndex, fields: Fields): void {
  const drift = (message: string, ...path: readonly (string | number)[]) =>
    fields.report('warning', 'index_drift', `${message} Regenerate the index from the files.`, ...path)
  const counted = countsOf(active)
  for (const [agent, { outgoing, incoming }] of counts) {
    const listed = counted.get(agent) ?? { outgoing: 0, incoming: 0 }
    for (const [direction, said] of Object.entries({ outgoing, incoming }))
      if (said !== undefined && said !== listed[direction as keyof Counts])
        drift(
          `counts_by_agent.${agent}.${direction} is ${said}, but active_handoffs lists ${listed[direction as keyof Counts]}.`,
          'counts_by_agent',
          agent,
          direction,
        )
  }
  for (const agent of counted.keys())
    if (!counts.has(agent))
      drift(`${agent} is in active_handoffs but not in counts_by_agent.`, 'counts_by_agent')
  const sum = (direction: keyof Counts) =>
    [...counts.values()].reduce((total, each) => total + (each[direction] ?? 0), 0)
  if (sum('outgoing') !== sum('incoming'))
    drift(
      `counts_by_agent adds up to ${sum('outgoing')} outgoing and ${sum('incoming')} incoming; every handoff is one of each.`,
      'counts_by_agent',
    )
  const done = new Set(recently_completed.map(({ id }) => id))
  const seen = new Set<string>()
  for (const [i, entry] of active.entries()) {
    const at = ['active_handoffs', i] as const
    if (entry.status !== undefined && isTerminal(entry.status))
      drift(`${entry.id ?? `Entry ${i + 1}`} is ${entry.status} and still listed as active.`, ...at, 'status')
    if (entry.id !== undefined && seen.has(entry.id)) drift(`${entry.id} is listed twice.`, ...at, 'id')
    if (entry.id !== undefined && done.has(entry.id))
      drift(`${entry.id} is listed as active and as completed.`, ...at, 'id')
    if (entry.id !== undefined) seen.add(entry.id)
    if (isOverdue(entry, last_updated))
      drift(
        `${entry.id ?? `Entry ${i + 1}`} has been Active for more than ${ACTIVE_HOURS} hours.`,
        ...at,
        'created',
      )
    checkId(entry, (message) => drift(message, ...at, 'id'))
  }
}

function isOverdue({ status, created_at }: Partial<IndexEntry>, now: string | undefined): boolean {
  if (status !== 'Active' || created_at === undefined || now === undefined) return false
  return Date.parse(now) - Date.parse(created_at) > ACTIVE_HOURS * 3_600_000
}

function checkId({ id, from, to, task }: Partial<IndexEntry>, report: (message: string) => void): void {
  if (id === undefined) return
  const name = parseName(id, new Set([...Object.keys(DEFAULT_LIMITS), ...[from ?? [], to ?? []].flat()]))
  if (!name.ok) return
  for (const [key, said] of Object.entries({ from, to, task }))
    if (said !== undefined && said !== name.parts[key as 'from' | 'to' | 'task'])
      report(`${id} names ${name.parts[key as 'from' | 'to' | 'task']}, but ${key} is ${said}.`)
}

function countsOf(entries: readonly Partial<IndexEntry>[]): Map<string, Counts> {
  const counts = new Map<string, Counts>()
  const add = (agent: string | undefined, outgoing: number, incoming: number) => {
    if (agent === undefined) return
    const now = counts.get(agent) ?? { outgoing: 0, incoming: 0 }
    counts.set(agent, { outgoing: now.outgoing + outgoing, incoming: now.incoming + incoming })
  }
  for (const { from, to } of entries) {
    add(from, 1, 0)
    add(to, 0, 1)
  }
  return counts
}

export interface PrintOptions {
  readonly now: string
  /** Listed even while they have nothing; document 000's five where nobody says otherwise. */
  readonly agents?: readonly string[]
}

/** The index that document 000 wants, made from what the files say. */
export function printIndex(entries: readonly IndexEntry[], { now, agents }: PrintOptions): string {
  const active = entries.filter(({ status }) => !isTerminal(status)).sort(newestFirst('created_at'))
  const recent = entries
    .filter(({ status, completed_at }) => status === 'Complete' && isRecent(completed_at, now))
    .sort(newestFirst('completed_at'))
    .slice(0, RECENT_MAX)
  const counted = countsOf(active)
  const known = agents ?? Object.keys(DEFAULT_LIMITS)
  const others = [...counted.keys()].filter((agent) => !known.includes(agent)).sort()
  const counts = {}
  for (const agent of [...known, ...others])
    put(counts, agent, counted.get(agent) ?? { outgoing: 0, incoming: 0 })
  const parts = [
    { last_updated: seconds(now) },
    { active_handoffs: active.map(indexLine) },
    { counts_by_agent: counts },
    {
      recently_completed: recent.map(({ id, completed_at }) => ({
        id,
        completed_at: seconds(completed_at!),
      })),
    },
  ]
  return HEADER + parts.map((part) => stringify(part, { lineWidth: 0, compat: OLDER_READERS })).join('\n')
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
