import { monitorEventLoopDelay } from 'node:perf_hooks'
import { STATES } from '../../../domain/lifecycle.ts'
import { TASK_STATES } from '../../../domain/tasks/task.ts'
import type { Service } from '../../../service/service.ts'
import { lastRuns } from '../workers/repeat.ts'
import { settlingLag } from '../workers/settlement-worker.ts'
import type { OpenLimit } from './rate.ts'

/** Upper bounds of the histogram of answers, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Seen {
  readonly counts: Map<number, number>
  readonly buckets: number[]
  sum: number
  count: number
}

/** Counts the answers of this server, by operation and status. */
export class Answered {
  readonly #operations = new Map<string, Seen>()

  note(operation: string, status: number, ms: number): void {
    const seen = this.#operations.get(operation) ?? {
      counts: new Map(),
      buckets: BOUNDS.map(() => 0),
      sum: 0,
      count: 0,
    }
    this.#operations.set(operation, seen)
    seen.counts.set(status, (seen.counts.get(status) ?? 0) + 1)
    const seconds = ms / 1_000
    for (let i = BOUNDS.length - 1; i >= 0 && seconds <= BOUNDS[i]!; i--) seen.buckets[i]! += 1
    seen.sum += seconds
    seen.count += 1
  }

  lines(): readonly string[] {
    const all = [...this.#operations]
    return [
      ...head('baton_http_requests_total', 'counter', 'Answers by operation and status.'),
      ...all.flatMap(([operation, { counts }]) =>
        [...counts].map(
          ([status, count]) =>
            `baton_http_requests_total${labels({ operation, status: String(status) })} ${count}`,
        ),
      ),
      ...head('baton_http_request_seconds', 'histogram', 'How long answers took.'),
      ...all.flatMap(([operation, { buckets, sum, count }]) => [
        ...BOUNDS.map(
          (bound, i) =>
            `baton_http_request_seconds_bucket${labels({ operation, le: String(bound) })} ${buckets[i]}`,
        ),
        `baton_http_request_seconds_bucket${labels({ operation, le: '+Inf' })} ${count}`,
        `baton_http_request_seconds_sum${labels({ operation })} ${sum}`,
        `baton_http_request_seconds_count${labels({ operation })} ${count}`,
      ]),
    ]
  }
}

/** How long the event loop was held up, since the last time it was asked. */
export class LoopLag {
  readonly #delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })

  constructor() {
    this.#delay.enable()
  }

  lines(): readonly string[] {
    const quantiles = [0.5, 0.99, 1].map((quantile) => {
      const ms = this.#delay.percentile(quantile * 100) / 1e6 - LOOP_RESOLUTION_MS
      return `baton_event_loop_lag_seconds${labels({ quantile: String(quantile) })} ${Math.max(0, ms || 0) / 1_000}`
    })
    this.#delay.reset()
    return [
      ...head('baton_event_loop_lag_seconds', 'gauge', 'How late the event loop was, since the last scrape.'),
      ...quantiles,
    ]
  }
}

const LOOP_RESOLUTION_MS = 10

/** The workspace and this server in the text format that Prometheus reads. */
export async function metricsText(
  service: Service,
  { answered, lag, open }: { readonly answered: Answered; readonly lag: LoopLag; readonly open: OpenLimit },
): Promise<string> {
  const { store, now } = service.deps
  const [{ handoffs, tasks, agents, entries }, [signed], [due], late] = await Promise.all([
    service.looking.counts(),
    store.checkpoints({ limit: 1 }),
    store.dueDeliveries(now().toISOString(), 1),
    settlingLag(service),
  ])
  const pools = Object.entries(store.pools())
  const lines = [
    ...head('baton_handoffs', 'gauge', 'Handoffs by state.'),
    ...STATES.map((state) => `baton_handoffs${labels({ state })} ${handoffs[state] ?? 0}`),
    ...head('baton_tasks', 'gauge', 'Tasks by status.'),
    ...TASK_STATES.map((status) => `baton_tasks${labels({ status })} ${tasks[status] ?? 0}`),
    ...head('baton_agent_open_handoffs', 'gauge', 'Open handoffs of each agent, sent and received.'),
    ...Object.entries(agents).flatMap(([agent, { outgoing, incoming }]) => [
      `baton_agent_open_handoffs${labels({ agent, direction: 'outgoing' })} ${outgoing}`,
      `baton_agent_open_handoffs${labels({ agent, direction: 'incoming' })} ${incoming}`,
    ]),
    ...head('baton_log_entries', 'gauge', 'Entries in the log.'),
    `baton_log_entries ${entries}`,
    ...head('baton_log_unsigned_entries', 'gauge', 'Entries behind the newest signed checkpoint.'),
    `baton_log_unsigned_entries ${entries - (signed?.size ?? 0)}`,
    ...head('baton_due_handoffs', 'gauge', 'Handoffs past a deadline that is not settled yet.'),
    `baton_due_handoffs ${late.count}`,
    ...head('baton_settling_lag_seconds', 'gauge', 'How late the oldest of them is.'),
    `baton_settling_lag_seconds ${late.seconds}`,
    ...head('baton_delivery_lag_seconds', 'gauge', 'How long the oldest message that is due has waited.'),
    `baton_delivery_lag_seconds ${due?.due_at ? (now().getTime() - Date.parse(due.due_at)) / 1_000 : 0}`,
    ...head('baton_work_age_seconds', 'gauge', 'Time since the work in the background succeeded last.'),
    ...[...lastRuns].map(
      ([work, at]) => `baton_work_age_seconds${labels({ work })} ${(performance.now() - at) / 1_000}`,
    ),
    ...(['size', 'used', 'waiting'] as const).flatMap((field) => [
      ...head(`baton_pool_${field}`, 'gauge', POOL_HELP[field]),
      ...pools.map(([pool, state]) => `baton_pool_${field}${labels({ pool })} ${state[field]}`),
    ]),
    ...head('baton_open', 'gauge', 'Calls under way, waits included, and event streams.'),
    ...(['calls', 'event streams'] as const).map(
      (what) => `baton_open${labels({ what: what.replace(' ', '_') })} ${open.count(what)}`,
    ),
    ...lag.lines(),
    ...answered.lines(),
    ...head('baton_process_resident_memory_bytes', 'gauge', 'Memory of this server.'),
    `baton_process_resident_memory_bytes ${process.memoryUsage.rss()}`,
    ...head('baton_process_uptime_seconds', 'gauge', 'How long this server has been up.'),
    `baton_process_uptime_seconds ${process.uptime()}`,
  ]
  return `${lines.join('\n')}\n`
}

const POOL_HELP = {
  size: 'Places for writes, reads and slow reads of the store.',
  used: 'Places that are in use.',
  waiting: 'Calls that wait for a place.',
}

const head = (name: string, type: string, help: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

const labels = (given: Readonly<Record<string, string>>): string =>
  `{${Object.entries(given)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',')}}`
