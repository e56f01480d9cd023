import * as z from 'zod'
import { Usage } from '../handoffs/handoff.ts'
import type { AnswerOf } from '../once.ts'
import { present } from '../present.ts'
import { METRIC_TYPES, type MetricType, type MetricValue, metricValue } from './metrics-value.ts'

/** Steps of equal length through which numbers, percents and durations are followed. */
export interface MetricsSpan {
  readonly sinceMs: number
  readonly stepMs: number
  readonly steps: number
}

export const GROUPINGS = ['agent', 'phase', 'task', 'workflow'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** The fields of a block that a report needs. */
export interface Measured {
  readonly from: string
  readonly phase: string
  readonly status: string
  readonly task?: string | undefined
  readonly workflow?: string | undefined
  readonly metrics?: Readonly<Record<string, unknown>> | undefined
  readonly at?: string | undefined
}

/** One attempt whose program reported cost and tokens. */
export interface Used {
  readonly agent: string
  readonly task?: string | undefined
  readonly at: string
  readonly run: Usage
}

/** The sums over all attempts of the report. */
export const UsageTotal = () => z.object({ attempts: z.int(), ...Usage().shape })
export type UsageTotal = z.infer<ReturnType<typeof UsageTotal>>

/** One metric of a group: its path and everything of one type that was said there. Types are never mixed. */
const MetricSummary = () =>
  z.object({
    path: z.string().describe('For example test_types.unit'),
    type: z.enum(METRIC_TYPES),
    count: z.int(),
    sum: z.number().optional().describe('Numbers, and durations in seconds; percents are never added up'),
    min: z.number().optional(),
    max: z.number().optional(),
    average: z.number().optional(),
    true: z.int().optional(),
    false: z.int().optional(),
    values: z.array(z.string()).optional().describe('Other texts, each once'),
    more: z.int().optional().describe('How many more different texts there were'),
    steps: z
      .array(z.number().nullable())
      .optional()
      .describe('Average in each step of the window, null where nothing was said'),
  })
export type MetricSummary = AnswerOf<typeof MetricSummary>

export const MetricsGroup = () =>
  z.object({
    /** The agent, phase, task or workflow; absent for blocks that name none. */
    key: z.string().optional(),
    blocks: z.int(),
    statuses: z.record(z.string(), z.int()),
    metrics: z.array(MetricSummary()),
  })
export type MetricsGroup = AnswerOf<typeof MetricsGroup>

/** A text that an agent writes is listed, not measured; more than these nobody reads. */
const MOST_TEXTS = 20
const TEXT_LENGTH = 200
/** Deeper data is shown as it is: an agent may nest as deep as it likes. */
const MOST_DEPTH = 8

/** Takes blocks one by one, so that a long history needs no room. */
export class MetricsReport {
  readonly #by: Grouping
  readonly #span: MetricsSpan | undefined
  readonly #groups = new Map<string | undefined, Group>()

  constructor(by: Grouping, span?: MetricsSpan) {
    this.#by = by
    this.#span = span
  }

  add(block: Measured): void {
    this.#group(this.#by === 'agent' ? block.from : block[this.#by]).add(block, this.#stepOf(block.at))
  }

  /** Cost and tokens that a program reported, as metrics of its agent or task. */
  use({ run, at, agent, task }: Used): void {
    if (this.#by === 'phase' || this.#by === 'workflow') return
    this.#group(this.#by === 'agent' ? agent : task).measure({ run }, this.#stepOf(at))
  }

  #group(key: string | undefined): Group {
    const group = this.#groups.get(key) ?? new Group()
    this.#groups.set(key, group)
    return group
  }

  /** Which step an instant falls into, if any. */
  #stepOf(at: string | undefined): number | undefined {
    if (!this.#span || at === undefined) return undefined
    const { sinceMs, stepMs, steps } = this.#span
    const step = Math.floor((Date.parse(at) - sinceMs) / stepMs)
    return step >= 0 && step < steps ? step : undefined
  }

  groups(compare: (a: string, b: string) => number): readonly MetricsGroup[] {
    const sorted = [...this.#groups].sort(([a], [b]) =>
      a === undefined ? 1 : b === undefined ? -1 : compare(a, b),
    )
    return sorted.map(([key, group]) => ({ ...present({ key }), ...group.summary(this.#span?.steps) }))
  }
}

class Group {
  #blocks = 0
  readonly #statuses = new Map<string, number>()
  readonly #metrics = new Map<string, Tally>()

  add({ status, metrics }: Measured, step: number | undefined): void {
    this.#blocks += 1
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    this.measure(metrics ?? {}, step)
  }

  measure(metrics: Readonly<Record<string, unknown>>, step: number | undefined): void {
    for (const [path, value] of leavesOf(metrics, '', 0)) {
      const key = `${value.type} ${path}`
      const tally = this.#metrics.get(key) ?? new Tally(path, value.type)
      this.#metrics.set(key, tally)
      tally.add(value, step)
    }
  }

  summary(steps: number | undefined): Omit<MetricsGroup, 'key'> {
    const metrics = [...this.#metrics.values()].map((tally) => tally.summary(steps))
    return {
      blocks: this.#blocks,
      statuses: Object.fromEntries(this.#statuses),
      metrics: metrics.sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1)),
    }
  }
}

/** Every value with its path: `test_types.unit`. */
function* leavesOf(
  data: Readonly<Record<string, unknown>>,
  above: string,
  depth: number,
): Generator<readonly [string, MetricValue]> {
  for (const [key, value] of Object.entries(data)) {
    const path = above === '' ? key : `${above}.${key}`
    if (isMapping(value) && depth < MOST_DEPTH) yield* leavesOf(value, path, depth + 1)
    else if (value !== null && value !== undefined) yield [path, metricValue(value)]
  }
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** All values of one path and one type. */
class Tally {
  readonly #path: string
  readonly #type: MetricType
  readonly #texts = new Set<string>()
  readonly #steps = new Map<number | undefined, { readonly sum: number; readonly count: number }>()
  #count = 0
  #sum = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #true = 0
  #more = 0

  constructor(path: string, type: MetricType) {
    this.#path = path
    this.#type = type
  }

  add({ type, value }: MetricValue, at: number | undefined): void {
    this.#count += 1
    if (type === 'boolean') this.#true += value ? 1 : 0
    else if (type === 'text') this.#list(value)
    else {
      this.#sum += value
      this.#min = Math.min(this.#min, value)
      this.#max = Math.max(this.#max, value)
      const { sum, count } = this.#steps.get(at) ?? { sum: 0, count: 0 }
      this.#steps.set(at, { sum: sum + value, count: count + 1 })
    }
  }

  summary(steps: number | undefined): MetricSummary {
    const type = this.#type
    const about = { path: this.#path, type, count: this.#count }
    if (type === 'boolean') return { ...about, true: this.#true, false: this.#count - this.#true }
    if (type === 'text')
      return { ...about, values: [...this.#texts], ...(this.#more > 0 && { more: this.#more }) }
    const inUnit = (value: number): number => exact(value / (type === 'duration' ? 1_000 : 1))
    const averages = Array.from({ length: steps ?? 0 }, (_, step) => {
      const said = this.#steps.get(step)
      return said ? inUnit(said.sum / said.count) : null
    })
    return {
      ...about,
      ...(type !== 'percent' && { sum: inUnit(this.#sum) }),
      ...(steps !== undefined && { steps: averages }),
      min: inUnit(this.#min),
      max: inUnit(this.#max),
      average: inUnit(this.#sum / this.#count),
    }
  }

  #list(text: string): void {
    const shown = text.length > TEXT_LENGTH ? `${text.slice(0, TEXT_LENGTH - 1)}…` : text
    if (this.#texts.has(shown)) return
    if (this.#texts.size < MOST_TEXTS) this.#texts.add(shown)
    else this.#more += 1
  }
}

/** Without the last digits, in which sums of decimal fractions go wrong. */
const exact = (value: number): number => Number(value.toPrecision(12))
