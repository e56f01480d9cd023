import type { Handoff } from '../handoffs/handoff.ts'

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

export interface FlowStep {
  /** The time at which the step begins. */
  readonly at: string
  readonly made: number
  readonly completed: number
  /** Failed or expired. */
  readonly failed: number
  /** Declined, by its receiver or at a gate: nobody tried and failed. */
  readonly rejected: number
  /** Of those that were completed in it: seconds from made to completed, the one in the middle. */
  readonly median_s?: number
}

export interface AgentFlow {
  readonly name: string
  readonly sent: number
  readonly received: number
  /** Of those it received. */
  readonly completed: number
  readonly failed: number
  readonly rejected: number
  /** Failed of all that were completed or failed, from 0 to 1; absent while nothing has. */
  readonly failure_rate?: number
  /** Attempts after the first. */
  readonly retries: number
  readonly median_s?: number
}

export interface FlowEdge {
  readonly from: string
  readonly to: string
  readonly made: number
  readonly completed: number
  readonly failed: number
  readonly rejected: number
}

export interface Flow {
  readonly window: FlowWindow
  readonly since: string
  readonly until: string
  readonly step_s: number
  readonly made: number
  readonly completed: number
  readonly failed: number
  readonly rejected: number
  readonly median_s?: number
  readonly steps: readonly FlowStep[]
  readonly agents: readonly AgentFlow[]
  readonly edges: readonly FlowEdge[]
}

type Ended = 'completed' | 'failed' | 'rejected'
/** A cancelled handoff is nobody's failure. */
const ENDS: Partial<Readonly<Record<Handoff['state'], Ended>>> = {
  completed: 'completed',
  failed: 'failed',
  expired: 'failed',
  rejected: 'rejected',
}

interface Tally {
  made: number
  completed: number
  failed: number
  rejected: number
  readonly seconds: number[]
}

/** The span that a window covers at an instant: whole steps, the last one not yet over. */
export function flowSpan(
  window: FlowWindow,
  now: Date,
): { readonly sinceMs: number; readonly untilMs: number } {
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
  readonly #sinceMs: number
  readonly #untilMs: number
  readonly #all = newTally()
  readonly #steps: Tally[]
  readonly #sent = new Map<string, number>()
  readonly #agents = new Map<string, Tally & { retries: number }>()
  readonly #edges = new Map<string, Tally & { readonly from: string; readonly to: string }>()

  constructor(window: FlowWindow, now: Date) {
    const { span_s, step_s } = FLOW_WINDOWS[window]
    const { sinceMs, untilMs } = flowSpan(window, now)
    this.#window = window
    this.#sinceMs = sinceMs
    this.#untilMs = untilMs
    this.#steps = Array.from({ length: span_s / step_s }, newTally)
  }

  /** Whether any of it happened in the window. */
  add(handoff: Handoff): boolean {
    const made = this.#stepOf(handoff.created_at)
    const ended = ENDS[handoff.state]
    const end = ended === undefined ? undefined : this.#stepOf(handoff.ended_at ?? handoff.updated_at)
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
      const seconds =
        (Date.parse(handoff.ended_at ?? handoff.updated_at) - Date.parse(handoff.created_at)) / 1_000
      for (const tally of [this.#all, end, agent, edge]) {
        tally[ended] += 1
        if (ended === 'completed') tally.seconds.push(Math.max(0, seconds))
      }
    }
    return true
  }

  toFlow(): Flow {
    const { step_s } = FLOW_WINDOWS[this.#window]
    const names = [...new Set([...this.#sent.keys(), ...this.#agents.keys()])].sort()
    return {
      window: this.#window,
      since: new Date(this.#sinceMs).toISOString(),
      until: new Date(this.#untilMs).toISOString(),
      step_s,
      made: this.#all.made,
      completed: this.#all.completed,
      failed: this.#all.failed,
      rejected: this.#all.rejected,
      ...medianOf(this.#all.seconds),
      steps: this.#steps.map(({ made, completed, failed, rejected, seconds }, i) => ({
        at: new Date(this.#sinceMs + i * step_s * 1_000).toISOString(),
        made,
        completed,
        failed,
        rejected,
        ...medianOf(seconds),
      })),
      agents: names.map((name) => this.#agentFlow(name)),
      edges: [...this.#edges.values()]
        .map(({ from, to, made, completed, failed, rejected }) => ({
          from,
          to,
          made,
          completed,
          failed,
          rejected,
        }))
        .sort((a, b) => b.made - a.made || (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1)),
    }
  }

  #agentFlow(name: string): AgentFlow {
    const {
      made: received,
      completed,
      failed,
      rejected,
      seconds,
      retries,
    } = this.#agents.get(name) ?? { ...newTally(), retries: 0 }
    const ended = completed + failed
    return {
      name,
      sent: this.#sent.get(name) ?? 0,
      received,
      completed,
      failed,
      rejected,
      ...(ended > 0 && { failure_rate: Math.round((1_000 * failed) / ended) / 1_000 }),
      retries,
      ...medianOf(seconds),
    }
  }

  #stepOf(instant: string): Tally | undefined {
    const { step_s } = FLOW_WINDOWS[this.#window]
    return this.#steps[Math.floor((Date.parse(instant) - this.#sinceMs) / (step_s * 1_000))]
  }
}

const newTally = (): Tally => ({ made: 0, completed: 0, failed: 0, rejected: 0, seconds: [] })

function medianOf(seconds: readonly number[]): { readonly median_s?: number } {
  const middle = seconds.toSorted((a, b) => a - b)[Math.floor((seconds.length - 1) / 2)]
  return middle === undefined ? {} : { median_s: Math.round(middle * 10) / 10 }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
