import { STATES } from '../../domain/lifecycle.ts'
import { TASK_STATES } from '../../domain/task.ts'
import type { Service } from '../../service/service.ts'

/** Upper bounds of the histogram of answers, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What this server has answered, by operation and status. */
export class Answered {
  readonly #counts = new Map<string, number>()
  readonly #times = new Map<string, { readonly buckets: number[]; sum: number; count: number }>()

  note(operation: string, status: number, ms: number): void {
    const key = labels({ operation, status: String(status) })
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    const times = this.#times.get(operation) ?? { buckets: BOUNDS.map(() => 0), sum: 0, count: 0 }
    const seconds = ms / 1_000
    for (const [i, bound] of BOUNDS.entries()) if (seconds <= bound) times.buckets[i]! += 1
    times.sum += seconds
    times.count += 1
    this.#times.set(operation, times)
  }

  lines(): readonly string[] {
    return [
      ...head('baton_http_requests_total', 'counter', 'Answers by operation and status.'),
      ...[...this.#counts].map(([key, count]) => `baton_http_requests_total${key} ${count}`),
      ...head('baton_http_request_seconds', 'histogram', 'How long answers took.'),
      ...[...this.#times].flatMap(([operation, { buckets, sum, count }]) => [
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

/** The workspace and this server in the text format that Prometheus reads. */
export async function metricsText(service: Service, answered: Answered): Promise<string> {
  const { handoffs, tasks, agents, entries } = await service.looking.counts()
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
    ...answered.lines(),
    ...head('baton_process_resident_memory_bytes', 'gauge', 'Memory of this server.'),
    `baton_process_resident_memory_bytes ${process.memoryUsage.rss()}`,
    ...head('baton_process_uptime_seconds', 'gauge', 'How long this server has been up.'),
    `baton_process_uptime_seconds ${process.uptime()}`,
  ]
  return `${lines.join('\n')}\n`
}

const head = (name: string, type: string, help: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

const labels = (given: Readonly<Record<string, string>>): string =>
  `{${Object.entries(given)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',')}}`
