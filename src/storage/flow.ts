import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isOpen, STATES, type State } from '../domain/lifecycle.ts'
import { FlowTally, type FlowWindow, flowSpan, type Oldest } from '../domain/reports/flow.ts'
import type { Used } from '../domain/reports/metrics.ts'
import type { TaskState } from '../domain/tasks/task.ts'
import type { Engine } from './queries.ts'
import type { Cell } from './rows.ts'
import type { TaskRow } from './store.ts'

export interface Counts {
  readonly handoffs: Readonly<Partial<Record<State, number>>>
  readonly tasks: Readonly<Partial<Record<TaskState, number>>>
  readonly agents: Readonly<Record<string, { readonly outgoing: number; readonly incoming: number }>>
  readonly entries: number
}

/** Numbers over all rows, counted by the engine. */
export interface Reports {
  counts(): Promise<Counts>
  /** Handoffs of a window, all of them, and for each receiver the oldest that is open. */
  flow(window: FlowWindow, now: Date): Promise<FlowCount>
  /** Attempts whose programs reported cost and tokens; `of` is the run. */
  usage(): Promise<readonly (Used & { readonly of?: string })[]>
  /** The tasks that hold up the end, first one first (A3-25): the flagged ones, else the longest chain. All ids, the first 200 tasks. */
  criticalPath(): Promise<{ readonly tasks: readonly TaskRow[]; readonly ids: readonly string[] }>
  /** How many tasks each level of dependencies has. */
  taskLevels(): Promise<readonly Readonly<Record<'level' | 'open' | 'done' | 'ready', number>>[]>
}

export interface FlowCount {
  readonly tally: FlowTally
  readonly oldest: ReadonlyMap<string, Oldest>
}

/** Expressions of an engine, on a handoff's document. */
export interface FlowWords {
  readonly created: string
  readonly updated: string
  /** Receivers of open handoffs and the uid of the oldest, as `agent` and `uid`. */
  readonly oldest: string
}

/** States of open handoffs that somebody holds; looked up by the index of states. */
const HELD_STATES = STATES.filter((state) => isOpen(state) && state !== 'offered').map(
  (state) => `'${state}'`,
)

const KEPT = 'SELECT value FROM meta WHERE key = ?'
const ENDED = 'SELECT key, uid FROM facet WHERE (key, uid) > (?, ?) AND key < ? ORDER BY key, uid LIMIT ?'
const ROWS_AT_ONCE = 2_000
/** Fewer rows than this are rather counted each time. */
const WORTH_KEEPING = 1_000
/** Older rows are in the store, or come with a correction: clocks differ, and a commit takes time. */
const SETTLED_MS = 7_200_000
const DAY_MS = 86_400_000
/** Counts are kept for a day at most; for so long the store keeps what corrects them. */
const CORRECTED_MS = 2 * DAY_MS

/** The counts from the start of the window until an instant, and the corrections that are in them. */
interface KeptFlow {
  readonly since: string
  readonly until: string
  readonly seen: readonly string[]
  readonly tally: ReturnType<FlowTally['toJSON']>
}

/**
 * Counts the handoffs of a window. The counts are kept and added to, until the window moves on by a step. A row that
 * comes late or goes away has a key that says so: `+instant -@end …`, or `+instant +#creation …` and its uid.
 */
export async function countFlow(engine: Engine, window: FlowWindow, now: Date): Promise<FlowCount> {
  const { ask, askSlowly, keep, flowWords } = engine
  const { created, updated, oldest } = flowWords
  const made = `SELECT uid, ${created} || ' ' || to_agent || ' ' || from_agent FROM handoff
    WHERE uid > ? AND uid < ? ORDER BY uid LIMIT ?`
  const { sinceMs } = flowSpan(window, now)
  const [since, until] = [isoOf(sinceMs), isoOf(Math.max(sinceMs, now.getTime() - SETTLED_MS))]
  const corrections = async () => {
    const found: string[] = []
    const first = `+${isoOf(now.getTime() - CORRECTED_MS)}`
    for await (const page of pagesOf(ask, ENDED, [first, ''], ','))
      found.push(...page.map((row) => row.join(' ')))
    return found
  }
  // The number changes with the form of what is kept.
  const name = `flow 1 ${window}`
  const [[text] = []] = await ask(KEPT, name)
  const seen = await corrections()
  const found: KeptFlow | undefined = text ? JSON.parse(String(text)) : undefined
  const kept = found?.since === since && found.until <= until ? found : undefined
  const tally = new FlowTally(window, now, kept?.tally)
  const before = new Set(kept?.seen)
  if (kept) for (const row of seen) if (!before.has(row)) correct(tally, row, kept.until)
  /** Rows from one instant to another; without an end, all. */
  const count = async (from: string, uid: string, to = '~', toUid = 'g') => {
    let rows = 0
    for await (const page of pagesOf(askSlowly, ENDED, [`@${from}`, ''], `@${to}`)) {
      for (const [key] of page) tally.ended(String(key).slice(1))
      rows += page.length
    }
    for await (const page of pagesOf(askSlowly, made, [uid], toUid)) {
      for (const [, row] of page) tally.made(String(row))
      rows += page.length
    }
    return rows
  }
  // No handoff of the window has a lower uid. A day more, because clocks differ.
  const firstUid = kept ? uidAt(kept.until) : uidAt(isoOf(sinceMs - DAY_MS))
  const rows = await count(kept?.until ?? since, firstUid, until, uidAt(until))
  if (rows >= WORTH_KEEPING && isDeepStrictEqual(seen, await corrections()))
    // A store that is only read counts again.
    await keep(name, JSON.stringify({ since, until, seen, tally })).catch(() => undefined)
  await count(until, uidAt(until))
  const held = `SELECT holder, max(${updated}) FROM handoff
    WHERE open = 1 AND state IN (${HELD_STATES}) AND holder IS NOT NULL GROUP BY holder`
  const first = `SELECT o.agent, h.id, ${created} FROM (${oldest}) AS o JOIN (SELECT uid, id, doc FROM handoff) AS h ON h.uid = o.uid`
  for (const [holder, at] of await askSlowly(held)) tally.held(String(holder), String(at))
  const open = await askSlowly(first)
  return {
    tally,
    oldest: new Map(open.map(([agent, id, at]) => [String(agent), { id: String(id), since: String(at) }])),
  }
}

/** The first cells of the last row say where to go on. */
async function* pagesOf(ask: Engine['ask'], sql: string, after: readonly Cell[], end: string) {
  for (let at = after; ; ) {
    const page = await ask(sql, ...at, end, ROWS_AT_ONCE)
    yield page
    if (page.length < ROWS_AT_ONCE) return
    // An engine in this thread must not keep it.
    await setImmediate()
    at = page.at(-1)!.slice(0, after.length)
  }
}

/** Only what was counted before `until` can be wrong. */
function correct(tally: FlowTally, row: string, until: string): void {
  const [, sign, kind, counted = '', uid = ''] = /^\S+ (.)(.)(.*) (\S+)$/.exec(row) ?? []
  const by = sign === '+' ? 1 : -1
  if (kind === '@' && counted < until) tally.ended(counted, by)
  if (kind === '#' && uid < uidAt(until)) tally.made(counted, by)
}

const isoOf = (ms: number): string => new Date(ms).toISOString()

/** Lower than every uid that was made from then on. */
const uidAt = (at: string): string =>
  Math.max(0, Date.parse(at)).toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')
