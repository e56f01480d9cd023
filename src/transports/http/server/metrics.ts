import { STATES } from '../../../domain/lifecycle.ts'
import { TASK_STATES } from '../../../domain/tasks/task.ts'
import type { Service } from '../../../service/service.ts'

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
