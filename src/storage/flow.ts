import { isOpen, STATES, type State } from '../domain/lifecycle.ts'
import type { FlowGroup, FlowStep } from '../domain/reports/flow.ts'
import type { Used } from '../domain/reports/metrics.ts'
import type { TaskState } from '../domain/tasks/task.ts'
import type { Engine } from './queries.ts'
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
  /** All handoffs since an instant at which a step begins, in groups. */
  flow(since: string, step_s: FlowStep): Promise<readonly FlowGroup[]>
  /** Attempts whose programs reported cost and tokens; `of` is the run. */
  usage(): Promise<readonly (Used & { readonly of?: string })[]>
  /** The tasks that hold up the end, first one first (A3-25): the flagged ones, else the longest chain. All ids, the first 200 tasks. */
  criticalPath(): Promise<{ readonly tasks: readonly TaskRow[]; readonly ids: readonly string[] }>
  /** How many tasks each level of dependencies has. */
  taskLevels(): Promise<readonly Readonly<Record<'level' | 'open' | 'done' | 'ready', number>>[]>
}

/** Keys of ended handoffs: `@end creation milliseconds state receiver sender retries`. */
const [ENDED_AT, MADE] = ['substr(key, 2, 24)', 'substr(key, 27, 24)']
const [STATE, PAIR] = ['substr(key, 66, 2)', 'substr(key, 66)']
const MS = 'CAST(substr(key, 52, 13) AS bigint)'
const ENDED = `FROM facet WHERE key >= ? AND key < '@~'`

/** The name of the step into which an instant falls; see `stepKey`. */
const STEP = {
  60: (at: string) => `substr(${at}, 1, 16)`,
  3600: (at: string) => `substr(${at}, 1, 13)`,
  21600: (at: string) => `substr(${at}, 1, 11) || (CAST(substr(${at}, 12, 2) AS integer) / 6)`,
  86400: (at: string) => `substr(${at}, 1, 10)`,
} as const satisfies Readonly<Record<FlowStep, (at: string) => string>>

/** Expressions of an engine, on a handoff's document and on texts. */
export interface FlowWords {
  readonly created: string
  readonly updated: string
  firstWord(text: string): string
  /** Of equally many the lower one. */
  median(value: string): string
  /** Receivers of open handoffs and the uid of the oldest, as `agent` and `uid`. */
  readonly oldest: string
}

/** States of open handoffs that somebody holds; looked up by the index of states. */
const HELD_STATES = STATES.filter((state) => isOpen(state) && state !== 'offered').map(
  (state) => `'${state}'`,
)

function flowSql({ created, updated, firstWord, median, oldest }: FlowWords, step_s: FlowStep): string {
  const step = STEP[step_s]
  const completed = `${ENDED} AND ${STATE} = 'co'`
  return `SELECT 'ended', ${step(ENDED_AT)} || ${STATE}, count(*), ${median(MS)}, '', '', '' ${ENDED} GROUP BY 2
    UNION ALL SELECT 'made', ${step(MADE)}, count(*), 0, '', '', '' ${ENDED} AND ${MADE} >= ? GROUP BY 2
    UNION ALL SELECT 'pair', ${PAIR}, count(*), sum(CASE WHEN ${MADE} >= ? THEN 1 ELSE 0 END), max(${ENDED_AT}), max(${MADE}), '' ${ENDED} GROUP BY 2
    UNION ALL SELECT 'took', ${firstWord('substr(key, 69)')}, count(*), ${median(MS)}, '', '', '' ${completed} GROUP BY 2
    UNION ALL SELECT 'took', '', count(*), ${median(MS)}, '', '', '' ${completed}
    UNION ALL SELECT 'open', ${step(created)} || ' ' || to_agent || ' ' || from_agent, count(*), 0, '', max(${created}), ''
      FROM handoff WHERE open = 1 AND uid >= ? GROUP BY 2
    UNION ALL SELECT 'held', holder, count(*), 0, max(${updated}), '', ''
      FROM handoff WHERE open = 1 AND state IN (${HELD_STATES}) AND holder IS NOT NULL GROUP BY 2
    UNION ALL SELECT 'oldest', o.agent, 1, 0, '', ${created}, h.id FROM (${oldest}) AS o JOIN (SELECT uid, id, doc FROM handoff) AS h ON h.uid = o.uid`
}

/** Counts handoffs since an instant, in groups; reads keys of those that ended, and the open ones that are new or held. */
export async function countFlow(
  { askSlowly, flowWords }: Pick<Engine, 'askSlowly' | 'flowWords'>,
  since: string,
  step_s: FlowStep,
): Promise<readonly FlowGroup[]> {
  const start = `@${since}`
  // No handoff of the window has a lower uid. A day more, because clocks differ.
  const time = Math.max(0, Date.parse(since) - 86_400_000).toString(16)
  const lowest = time.padStart(12, '0').replace(/^.{8}/, '$&-')
  const values = [start, start, since, since, start, start, start, lowest]
  const rows = await askSlowly(flowSql(flowWords, step_s), ...values)
  return rows.map(
    ([kind, key, count, more, at, made_at, first]) =>
      ({ kind, key, count: Number(count), more: Number(more), at, made_at, first }) as FlowGroup,
  )
}
