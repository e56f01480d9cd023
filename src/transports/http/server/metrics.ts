import { monitorEventLoopDelay } from 'node:perf_hooks'
import { STATES } from '../../../domain/lifecycle.ts'
import { TASK_STATES } from '../../../domain/tasks/task.ts'
import type { Service } from '../../../service/service.ts'
import { waitsHeld } from '../../../service/waits.ts'
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

  quantiles(): readonly (readonly [string, number])[] {
    const found = [0.5, 0.99, 1].map((quantile) => {
      const ms = this.#delay.percentile(quantile * 100) / 1e6 - LOOP_RESOLUTION_MS
      return [String(quantile), Math.max(0, ms || 0) / 1_000] as const
    })
    this.#delay.reset()
    return found
  }
}

const LOOP_RESOLUTION_MS = 10

/** The workspace and this server in the text format that Prometheus reads. */
export async function metricsText(
  service: Service,
  { answered, lag, open }: { readonly answered: Answered; readonly lag: LoopLag; readonly open: OpenLimit },
): Promise<string> {
  const { store, now } = service.deps
  const [{ handoffs, tasks, agents, entries }, [signed], [due], late, unsigned, events] = await Promise.all([
    service.looking.counts(),
    store.checkpoints({ limit: 1 }),
    store.dueDeliveries(now().toISOString(), 1),
    settlingLag(service),
    service.audit().then((audit) => audit.unsigned()),
    service.events(),
  ])
  const pools = (field: 'size' | 'used' | 'waiting') =>
    Object.entries(store.pools()).map(([pool, state]) => [pool, state[field]] as const)
  const dueMs = due?.due_at === undefined ? 0 : now().getTime() - Date.parse(due.due_at)
  // biome-ignore format: read as a table
  const figures: readonly Figure[] = [
    ['baton_handoffs', 'Handoffs by state.', 'state', STATES.map((state) => [state, handoffs[state] ?? 0])],
    ['baton_tasks', 'Tasks by status.', 'status', TASK_STATES.map((status) => [status, tasks[status] ?? 0])],
    ['baton_log_entries', 'Entries in the log.', entries],
    ['baton_log_unsigned_entries', 'Entries behind the newest signed checkpoint.', entries - (signed?.size ?? 0)],
    ['baton_log_unsigned_seconds', 'How long the oldest of them has waited.', unsigned.seconds],
    ['baton_due_handoffs', 'Handoffs past a deadline that is not settled yet.', late.count],
    ['baton_settling_lag_seconds', 'How late the oldest of them is.', late.seconds],
    ['baton_delivery_lag_seconds', 'How long the oldest message that is due has waited.', dueMs / 1_000],
    ['baton_work_age_seconds', 'Time since the work in the background succeeded last.', 'work', [...lastRuns].map(([work, at]) => [work, (performance.now() - at) / 1_000])],
    ['baton_pool_size', 'Places for writes, reads and slow reads of the store.', 'pool', pools('size')],
    ['baton_pool_used', 'Places that are in use.', 'pool', pools('used')],
    ['baton_pool_waiting', 'Calls that wait for a place.', 'pool', pools('waiting')],
    ['baton_replica_reads_total', 'Lists and searches by whether the replica answered.', 'replica', Object.entries(store.replicaReads?.() ?? {})],
    ['baton_open', 'Calls under way, the waits among them, and event streams.', 'what', [['calls', open.count('calls')], ['waits', waitsHeld(store)], ['event_streams', open.count('event streams')]]],
    ['baton_stream_lag_seconds', 'How late the log was read for event streams at most, since the last scrape.', events.lag()],
    ['baton_event_loop_lag_seconds', 'How late the event loop was, since the last scrape.', 'quantile', lag.quantiles()],
    ['baton_process_resident_memory_bytes', 'Memory of this server.', process.memoryUsage.rss()],
    ['baton_process_uptime_seconds', 'How long this server has been up.', process.uptime()],
  ]
  const lines = [
    ...figures.flatMap(figureLines),
    ...head('baton_agent_open_handoffs', 'gauge', 'Open handoffs of each agent, sent and received.'),
    ...Object.entries(agents).flatMap(([agent, counts]) =>
      (['outgoing', 'incoming'] as const).map(
        (direction) => `baton_agent_open_handoffs${labels({ agent, direction })} ${counts[direction]}`,
      ),
    ),
    ...answered.lines(),
  ]
  return `${lines.join('\n')}\n`
}

/** A name, its meaning, and a value or one for each value of a label. */
type Figure =
  | readonly [string, string, number]
  | readonly [string, string, string, readonly (readonly [string, number])[]]

function figureLines([name, help, label, values]: Figure): readonly string[] {
  const each = values?.map(([is, value]) => `${name}${labels({ [label]: is })} ${value}`)
  return [
    ...head(name, name.endsWith('_total') ? 'counter' : 'gauge', help),
    ...(each ?? [`${name} ${label}`]),
  ]
}

const head = (name: string, type: string, help: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

const labels = (given: Readonly<Record<string, string>>): string =>
  `{${Object.entries(given)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',')}}`
