import type { FlowAnswer } from '../../../domain/reports/flow.ts'
import type { Shell } from '../shell.ts'

/** How much was handed over and how it ended, by agent and by pair. */
export function flowView(shell: Shell, flow: FlowAnswer): string {
  const { screen } = shell
  if (flow.made + flow.completed + flow.failed + flow.rejected === 0)
    return shell.nothing(`Nothing was handed over in the last ${flow.window}; a wider look: --window 90d`)
  const agents = flow.agents.map(
    ({ name, load, sent, received, completed, failed, rejected, failure_rate, retries, median_s }) => [
      { text: name, style: 'bold' as const },
      loadOf(load.incoming, load.max_incoming),
      loadOf(load.outgoing, load.max_outgoing),
      String(sent),
      String(received),
      String(completed),
      { text: String(failed), ...(failed > 0 && { style: 'red' as const }) },
      String(rejected),
      failure_rate === undefined ? '' : `${Math.round(failure_rate * 100)}%`,
      String(retries),
      median_s === undefined ? '' : spanOf(median_s),
    ],
  )
  const edges = flow.edges.map(({ from, to, made, completed, failed, rejected }) => [
    { text: `${from} → ${to}`, style: 'bold' as const },
    String(made),
    String(completed),
    String(failed),
    String(rejected),
  ])
  return [
    `${flow.made} made, ${flow.completed} completed, ${flow.failed} failed, ${flow.rejected} rejected in the last ${flow.window}`,
    screen.table(agents, [
      'agent',
      'holds',
      'waits for',
      'sent',
      'received',
      'completed',
      'failed',
      'rejected',
      'rate',
      'retries',
      'median',
    ]),
    screen.table(edges, ['from → to', 'made', 'completed', 'failed', 'rejected']),
  ].join('\n\n')
}

const loadOf = (open: number, most: number | undefined): string =>
  most === undefined ? String(open) : `${open}/${most}`

function spanOf(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  return seconds < 48 * 3_600 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`
}
