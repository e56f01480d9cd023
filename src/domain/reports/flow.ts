import * as z from 'zod'
import type { AnswerOf } from '../once.ts'
import { present } from '../present.ts'

/** How far back, and how wide each step of the picture is. */
// biome-ignore format: read as a table
export const FLOW_WINDOWS = {
  '1h':  { span_s: 3_600,      step_s: 60 },
  '1d':  { span_s: 86_400,     step_s: 3_600 },
  '7d':  { span_s: 604_800,   step_s: 21_600 },
  '30d': { span_s: 2_592_000, step_s: 86_400 },
  '90d': { span_s: 7_776_000, step_s: 86_400 },
} as const
export type FlowWindow = keyof typeof FLOW_WINDOWS
export type FlowStep = (typeof FLOW_WINDOWS)[FlowWindow]['step_s']
export const FLOW_WINDOW_NAMES = ['1h', '1d', '7d', '30d', '90d'] as const satisfies readonly FlowWindow[]

const Median = () => z.number().optional().describe('Seconds from creation to completion, median')

const counts = () => ({
  made: z.int(),
  completed: z.int(),
  failed: z.int().describe('Failed or expired'),
  /** Nobody tried and failed. */
  rejected: z.int().describe('Declined, by the receiver or at a gate'),
})

export const FlowAnswer = () =>
  z.object({
    window: z.enum(FLOW_WINDOW_NAMES),
    since: z.string(),
    until: z.string(),
    step_s: z.int().describe('Seconds of one step'),
    whole: z.boolean().describe('Always true: every handoff is counted'),
    ...counts(),
    median_s: Median(),
    /** `at`: the time at which the step begins. A handoff counts for the median where it was completed. */
    steps: z.array(z.object({ at: z.string(), ...counts(), median_s: Median() })),
    /** Everybody who is known here, and whoever sent or received in the window. */
    agents: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        load: z
          .object({
            outgoing: z.int(),
            incoming: z.int(),
            max_outgoing: z.int().optional(),
            max_incoming: z.int().optional(),
          })
          .describe('Open at this moment, and how much may be'),
        oldest: z
          .object({ id: z.string(), since: z.string() })
          .optional()
          .describe('The oldest open handoff that it received'),
        seen_at: z.string().optional().describe('The last time it sent, worked on or ended something'),
        sent: z.int(),
        received: z.int(),
        completed: z.int().describe('Of those it received'),
        failed: z.int(),
        rejected: z.int(),
        /** Absent while nothing has ended. */
        failure_rate: z.number().optional().describe('Failed of all that were completed or failed, 0 to 1'),
        retries: z.int().describe('Attempts after the first, of ended handoffs'),
        median_s: Median(),
      }),
    ),
    edges: z.array(z.object({ from: z.string(), to: z.string(), ...counts() })),
  })
export type FlowAnswer = AnswerOf<typeof FlowAnswer>

/** The part that handoffs alone say: neither who is known here nor how much each may hold. */
type AgentFlow = Omit<FlowAnswer['agents'][number], 'kind' | 'load'>
export type Flow = Omit<FlowAnswer, 'agents'> & { readonly agents: readonly AgentFlow[] }

/**
 * Counts of a store, in groups. Steps are named by `stepKey`.
 *
 * - `ended`: by step and the first letters of the state; `more` is their median in milliseconds
 * - `made`: by step, of those that ended
 * - `pair`: of those that ended, by `state receiver sender retries`; `more` were made in the window as well
 * - `took`: of completed ones by receiver, and all of them under no name; `more` is the median in milliseconds
 * - `open`: by `step receiver sender`, of those made in the window, and some that are older
 * - `held`: of open ones by holder; `at` is the last change
 * - `oldest`: of open ones by receiver; `first` is its id
 */
export interface FlowGroup {
  readonly kind: 'ended' | 'made' | 'pair' | 'took' | 'open' | 'held' | 'oldest'
  readonly key: string
  readonly count: number
  readonly more: number
  /** The last end or change. */
  readonly at: string
  /** When the last of them was made. */
  readonly made_at: string
  readonly first: string
}

type Ended = 'completed' | 'failed' | 'rejected'
/** A cancelled handoff is nobody's failure. */
const ENDS: Readonly<Record<string, Ended>> = {
  co: 'completed',
  fa: 'failed',
  ex: 'failed',
  re: 'rejected',
}

/** The span that a window covers at an instant: whole steps, the last one not yet over. */
export function flowSpan(window: FlowWindow, now: Date) {
  const { span_s, step_s } = FLOW_WINDOWS[window]
  const step = step_s * 1_000
  const untilMs = (Math.floor(now.getTime() / step) + 1) * step
  return { sinceMs: untilMs - span_s * 1_000, untilMs }
}

/** The step that an instant falls into, as a store names it. */
export function stepKey(at: string, step_s: FlowStep): string {
  if (step_s === 21_600) return `${at.slice(0, 11)}${Math.floor(Number(at.slice(11, 13)) / 6)}`
  return at.slice(0, step_s === 60 ? 16 : step_s === 3_600 ? 13 : 10)
}

/**
 * Handoffs of a window and how they ended, step by step, by agent and by pair. A handoff counts as made in the step in
 * which it was made and as ended in the step in which it ended. Each of the known agents has a row.
 */
export function flowOf(
  window: FlowWindow,
  now: Date,
  groups: readonly FlowGroup[],
  known: Iterable<string>,
): Flow {
  const { span_s, step_s } = FLOW_WINDOWS[window]
  const { sinceMs, untilMs } = flowSpan(window, now)
  const all = newTally()
  const steps = Array.from({ length: span_s / step_s }, (_, i) => {
    const at = new Date(sinceMs + i * step_s * 1_000).toISOString()
    return { at, ...newTally() }
  })
  const places = new Map(steps.map((step) => [stepKey(step.at, step_s), step]))
  const agents = new Map<string, AgentTally>([...known].map((name) => [name, newAgent()]))
  const edges = new Map<string, Tally & { readonly from: string; readonly to: string }>()
  const agentOf = (name: string) => getOrMake(agents, name, newAgent)
  const pairOf = (from: string, to: string) =>
    getOrMake(edges, `${from}\n${to}`, () => ({ from, to, ...newTally() }))
  const madeIn = (step: string, count: number) => {
    const tally = places.get(step)
    if (tally) for (const each of [all, tally]) each.made += count
  }
  const madeBy = (from: string, to: string, count: number, at: string) => {
    if (count === 0) return
    agentOf(to).made += count
    pairOf(from, to).made += count
    agentOf(from).sent += count
    see(agentOf(from), at)
  }
  for (const { kind, key, count, more, at, made_at, first } of groups) {
    if (kind === 'made') madeIn(key, count)
    if (kind === 'ended') {
      const end = ENDS[key.slice(-2)]
      const step = places.get(key.slice(0, -2))
      if (end && step) for (const tally of [all, step]) tally[end] += count
      if (end === 'completed' && step) step.median_s = secondsOf(more)
    }
    if (kind === 'pair') {
      const [state = '', to = '', from = '', retries] = key.split(' ')
      madeBy(from, to, more, made_at)
      agentOf(to).retries += count * Number(retries)
      const end = ENDS[state]
      if (end) for (const tally of [agentOf(to), pairOf(from, to)]) tally[end] += count
      if (end && state !== 'ex') see(agentOf(to), at)
    }
    if (kind === 'took' && count > 0) (key === '' ? all : agentOf(key)).median_s = secondsOf(more)
    if (kind === 'open') {
      const [step = '', to = '', from = ''] = key.split(' ')
      if (places.has(step)) {
        madeIn(step, count)
        madeBy(from, to, count, made_at)
      }
    }
    if (kind === 'held') see(agentOf(key.split('#')[0]!), at)
    if (kind === 'oldest') agentOf(key).oldest = { id: first, since: made_at }
  }
  return {
    window,
    since: new Date(sinceMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    step_s,
    whole: true,
    ...all,
    steps,
    agents: [...agents].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, tally]) => agentFlow(name, tally)),
    edges: [...edges.values()].sort(
      (a, b) => b.made - a.made || (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1),
    ),
  }
}

type Tally = Record<'made' | Ended, number> & { median_s?: number }
type AgentTally = Tally & {
  sent: number
  retries: number
  seen_at?: string
  oldest?: { readonly id: string; readonly since: string }
}

const newTally = (): Tally => ({ made: 0, completed: 0, failed: 0, rejected: 0 })
const newAgent = (): AgentTally => ({ ...newTally(), sent: 0, retries: 0 })

const secondsOf = (ms: number): number => Math.round(ms / 100) / 10

function see(agent: AgentTally, at: string): void {
  if (at > (agent.seen_at ?? '')) agent.seen_at = at
}

function agentFlow(name: string, { made: received, sent, ...rest }: AgentTally): AgentFlow {
  const ended = rest.completed + rest.failed
  const rate = ended > 0 ? Math.round((1_000 * rest.failed) / ended) / 1_000 : undefined
  return { name, sent, received, ...rest, ...present({ failure_rate: rate }) }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}
