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

const Median = () => z.number().optional().describe('Seconds from creation to completion, median, within 1 %')

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

type Ended = 'completed' | 'failed' | 'rejected'
/** A cancelled handoff is nobody's failure. */
const ENDS: Readonly<Record<string, Ended>> = { co: 'completed', fa: 'failed', ex: 'failed', re: 'rejected' }

/** The span that a window covers at an instant: whole steps, the last one not yet over. */
export function flowSpan(window: FlowWindow, now: Date) {
  const { span_s, step_s } = FLOW_WINDOWS[window]
  const step = step_s * 1_000
  const untilMs = (Math.floor(now.getTime() / step) + 1) * step
  return { sinceMs: untilMs - span_s * 1_000, untilMs }
}

type Tally = Record<'made' | Ended, number>
/** `took`: milliseconds from creation to completion, rounded, and how often. */
type Timed = Tally & { readonly took: Record<number, number> }
type AgentTally = Timed & { sent: number; retries: number; seen_at: string }
/** An open handoff that its receiver has had longest. */
export type Oldest = NonNullable<AgentFlow['oldest']>

/**
 * Handoffs of a window, counted: one as made in the step in which it was made, and as ended in the step in which it
 * ended. What was counted can be taken away again (`by` is -1) and kept as JSON.
 */
export class FlowTally {
  readonly since: string
  readonly until: string
  readonly #step_s: FlowStep
  readonly all: Timed
  readonly steps: Map<string, Timed>
  readonly agents: Map<string, AgentTally>
  /** By sender and receiver, with a space between them. */
  readonly edges: Map<string, Tally>

  constructor(window: FlowWindow, now: Date, kept?: ReturnType<FlowTally['toJSON']>) {
    const span = flowSpan(window, now)
    this.since = new Date(span.sinceMs).toISOString()
    this.until = new Date(span.untilMs).toISOString()
    this.#step_s = FLOW_WINDOWS[window].step_s
    this.all = kept?.all ?? newTimed()
    this.steps = new Map(kept?.steps)
    this.agents = new Map(kept?.agents)
    this.edges = new Map(kept?.edges)
  }

  toJSON() {
    return { all: this.all, steps: [...this.steps], agents: [...this.agents], edges: [...this.edges] }
  }

  /** `row`: `creation receiver sender`. */
  made(row: string, by: 1 | -1 = 1): void {
    const [at = '', to = '', from = ''] = row.split(' ')
    if (at < this.since || at >= this.until) return
    const [sender, receiver] = [this.#agent(from), this.#agent(to)]
    for (const tally of [this.all, this.#step(at), receiver, this.#edge(from, to)]) tally.made += by
    sender.sent += by
    see(sender, at)
  }

  /** `row`: `end creation milliseconds state receiver sender retries`, of the state the first letters. */
  ended(row: string, by: 1 | -1 = 1): void {
    const [at = '', , ms, state = '', to = '', from = '', retries] = row.split(' ')
    if (at < this.since || at >= this.until) return
    const receiver = this.#agent(to)
    receiver.retries += by * Number(retries)
    const end = ENDS[state]
    if (!end) return
    const timed = [this.all, this.#step(at), receiver]
    for (const tally of [...timed, this.#edge(from, to)]) tally[end] += by
    if (state !== 'ex') see(receiver, at)
    if (end !== 'completed') return
    const rounded = roundedTime(Number(ms))
    for (const { took } of timed) took[rounded] = (took[rounded] ?? 0) + by
  }

  /** An agent holds something that last changed then. */
  held(holder: string, at: string): void {
    see(this.#agent(holder.split('#')[0]!), at)
  }

  #step = (at: string) => getOrMake(this.steps, stepKey(at, this.#step_s), newTimed)
  #edge = (from: string, to: string) => getOrMake(this.edges, `${from} ${to}`, newTally)
  #agent = (name: string) => getOrMake(this.agents, name, newAgent)
}

/** Within one per cent, in round numbers, so that there are few of them. */
function roundedTime(ms: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(ms)) - 2)
  const grain = ms < 250 * unit ? 2 : ms < 500 * unit ? 5 : 10
  return ms < 100 ? ms : Math.round(ms / (grain * unit)) * grain * unit
}

/** The step that an instant falls into. */
function stepKey(at: string, step_s: FlowStep): string {
  if (step_s === 21_600) return `${at.slice(0, 11)}${Math.floor(Number(at.slice(11, 13)) / 6)}`
  return at.slice(0, step_s === 60 ? 16 : step_s === 3_600 ? 13 : 10)
}

/** The answer of a window: steps, a row for each agent that is known or took part, and pairs. */
export function flowOf(
  window: FlowWindow,
  { since, until, all, steps, agents, edges }: FlowTally,
  oldest: ReadonlyMap<string, Oldest>,
  known: Iterable<string>,
): Flow {
  const { span_s, step_s } = FLOW_WINDOWS[window]
  const names = new Set([...known, ...agents.keys(), ...oldest.keys()])
  return {
    window,
    since,
    until,
    step_s,
    whole: true,
    ...withMedian(all),
    steps: Array.from({ length: span_s / step_s }, (_, i) => {
      const at = new Date(Date.parse(since) + i * step_s * 1_000).toISOString()
      return { at, ...withMedian(steps.get(stepKey(at, step_s)) ?? newTimed()) }
    }),
    agents: [...names]
      .sort()
      .map((name) => agentFlow(name, agents.get(name) ?? newAgent(), oldest.get(name))),
    edges: [...edges]
      .filter(([, tally]) => Object.values(tally).some((count) => count > 0))
      .sort(([a, { made }], [b, other]) => other.made - made || (a < b ? -1 : 1))
      .map(([pair, tally]) => {
        const [from = '', to = ''] = pair.split(' ')
        return { from, to, ...tally }
      }),
  }
}

const newTally = (): Tally => ({ made: 0, completed: 0, failed: 0, rejected: 0 })
const newTimed = (): Timed => ({ ...newTally(), took: {} })
const newAgent = (): AgentTally => ({ ...newTimed(), sent: 0, retries: 0, seen_at: '' })

/** Of two times in the middle the lower one. */
function withMedian<T extends Timed>({ took, ...counts }: T) {
  const times = Object.entries(took)
    .map(([ms, count]) => [Number(ms), count] as const)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => a - b)
  let left = Math.ceil(times.reduce((sum, [, count]) => sum + count, 0) / 2)
  const middle = times.find(([, count]) => {
    left -= count
    return left <= 0
  })
  return { ...counts, ...(middle && { median_s: Math.round(middle[0] / 100) / 10 }) }
}

function see(agent: AgentTally, at: string): void {
  if (at > agent.seen_at) agent.seen_at = at
}

function agentFlow(name: string, tally: AgentTally, oldest: Oldest | undefined): AgentFlow {
  const { made: received, sent, seen_at, ...rest } = withMedian(tally)
  const ended = rest.completed + rest.failed
  const failure_rate = ended > 0 ? Math.round((1_000 * rest.failed) / ended) / 1_000 : undefined
  return {
    name,
    sent,
    received,
    ...rest,
    ...present({ failure_rate, oldest, seen_at: seen_at || undefined }),
  }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}
