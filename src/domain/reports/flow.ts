import * as z from 'zod'
import type { Handoff } from '../handoffs/handoff.ts'
import type { AnswerOf } from '../once.ts'

/** How far back, and how wide each step of the picture is. */
// biome-ignore format: read as a table
export const FLOW_WINDOWS = {
  '1h':  { span_s: 3_600,      step_s: 60 },
  '1d':  { span_s: 86_400,     step_s: 3_600 },
  '7d':  { span_s: 7 * 86_400, step_s: 6 * 3_600 },
  '30d': { span_s: 30 * 86_400, step_s: 86_400 },
  '90d': { span_s: 90 * 86_400, step_s: 86_400 },
} as const
export type FlowWindow = keyof typeof FLOW_WINDOWS
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
    whole: z.boolean().describe('False where there is more than the 5000 newest handoffs that are counted'),
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
        sent: z.int(),
        received: z.int(),
        completed: z.int().describe('Of those it received'),
        failed: z.int(),
        rejected: z.int(),
        /** Absent while nothing has ended. */
        failure_rate: z.number().optional().describe('Failed of all that were completed or failed, 0 to 1'),
        retries: z.int().describe('Attempts after the first'),
        median_s: Median(),
      }),
    ),
    edges: z.array(z.object({ from: z.string(), to: z.string(), ...counts() })),
  })
export type FlowAnswer = AnswerOf<typeof FlowAnswer>

/** What handoffs alone say: neither who is known here nor how much each may hold. */
type AgentFlow = Omit<FlowAnswer['agents'][number], 'kind' | 'load'>
export type Flow = Omit<FlowAnswer, 'agents' | 'whole'> & { readonly agents: readonly AgentFlow[] }

type Ended = 'completed' | 'failed' | 'rejected'
/** A cancelled handoff is nobody's failure. */
const ENDS: Partial<Readonly<Record<Handoff['state'], Ended>>> = {
  completed: 'completed',
  failed: 'failed',
  expired: 'failed',
  rejected: 'rejected',
}

type Tally = ReturnType<typeof newTally>

/** The span that a window covers at an instant: whole steps, the last one not yet over. */
export function flowSpan(window: FlowWindow, now: Date) {
  const { span_s, step_s } = FLOW_WINDOWS[window]
  const step = step_s * 1_000
  const untilMs = (Math.floor(now.getTime() / step) + 1) * step
  return { sinceMs: untilMs - span_s * 1_000, untilMs }
}

/**
 * Handoffs of a window and how they ended, step by step, by agent and by pair. A handoff counts as made in
 * the step in which it was made and as ended in the step in which it ended, so that both are found where they happened.
 */
export class FlowReport {
  readonly #window: FlowWindow
  readonly #span: ReturnType<typeof flowSpan>
  readonly #all = newTally()
  readonly #steps: Tally[]
  readonly #sent = new Map<string, number>()
  readonly #agents = new Map<string, Tally & { retries: number }>()
  readonly #edges = new Map<string, Tally & { readonly from: string; readonly to: string }>()

  constructor(window: FlowWindow, now: Date) {
    const { span_s, step_s } = FLOW_WINDOWS[window]
    this.#window = window
    this.#span = flowSpan(window, now)
    this.#steps = Array.from({ length: span_s / step_s }, newTally)
  }

  /** Whether any of it happened in the window. */
  add(handoff: Handoff): boolean {
    const made = this.#stepOf(handoff.created_at)
    const ended = ENDS[handoff.state]
    const over = handoff.ended_at ?? handoff.updated_at
    const end = ended === undefined ? undefined : this.#stepOf(over)
    if (made === undefined && end === undefined) return false
    const { from, to } = handoff
    const agent = getOrMake(this.#agents, to, () => ({ ...newTally(), retries: 0 }))
    const edge = getOrMake(this.#edges, `${from}\n${to}`, () => ({ ...newTally(), from, to }))
    if (made !== undefined) {
      for (const tally of [this.#all, made, agent, edge]) tally.made += 1
      this.#sent.set(from, (this.#sent.get(from) ?? 0) + 1)
      agent.retries += Math.max(0, handoff.attempts.length - 1)
    }
    if (ended !== undefined && end !== undefined) {
      const seconds = (Date.parse(over) - Date.parse(handoff.created_at)) / 1_000
      for (const tally of [this.#all, end, agent, edge]) {
        tally[ended] += 1
        if (ended === 'completed') tally.seconds.push(Math.max(0, seconds))
      }
    }
    return true
  }

  /** With a row for each of these agents too. */
  toFlow(known: Iterable<string> = []): Flow {
    const { step_s } = FLOW_WINDOWS[this.#window]
    const { sinceMs, untilMs } = this.#span
    const names = [...new Set([...known, ...this.#sent.keys(), ...this.#agents.keys()])].sort()
    return {
      window: this.#window,
      since: new Date(sinceMs).toISOString(),
      until: new Date(untilMs).toISOString(),
      step_s,
      ...measured(this.#all),
      steps: this.#steps.map((tally, i) => ({
        at: new Date(sinceMs + i * step_s * 1_000).toISOString(),
        ...measured(tally),
      })),
      agents: names.map((name) => this.#agentFlow(name)),
      edges: [...this.#edges.values()]
        .map(({ from, to, seconds, ...counted }) => ({ from, to, ...counted }))
        .sort((a, b) => b.made - a.made || (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1)),
    }
  }

  #agentFlow(name: string): AgentFlow {
    const tally = this.#agents.get(name) ?? { ...newTally(), retries: 0 }
    const { made: received, ...counted } = measured(tally)
    const ended = tally.completed + tally.failed
    return {
      name,
      sent: this.#sent.get(name) ?? 0,
      received,
      ...counted,
      ...(ended > 0 && { failure_rate: Math.round((1_000 * tally.failed) / ended) / 1_000 }),
    }
  }

  #stepOf(instant: string): Tally | undefined {
    const { step_s } = FLOW_WINDOWS[this.#window]
    return this.#steps[Math.floor((Date.parse(instant) - this.#span.sinceMs) / (step_s * 1_000))]
  }
}

const newTally = () => ({ made: 0, completed: 0, failed: 0, rejected: 0, seconds: [] as number[] })

/** The counts, and the median where something was completed. */
function measured<T extends Tally>({ seconds, ...counted }: T) {
  const middle = seconds.toSorted((a, b) => a - b)[Math.floor((seconds.length - 1) / 2)]
  return { ...counted, ...(middle !== undefined && { median_s: Math.round(middle * 10) / 10 }) }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
