import { VERDICTS } from '../../../../domain/blocks/block.ts'
import type { MetricSummary, MetricsGroup } from '../../../../domain/reports/metrics.ts'
import { durationText } from '../../../../domain/reports/metrics-value.ts'
import { oneLine } from '../../screen/plain-text.ts'
import type { Report } from './collect.ts'
import { findings, storyOf } from './table.ts'

const MARKS = { complete: '✅', failed: '❌', blocked: '⛔', unfinished: '⏳', no_block: '➖' } as const

/** A report for a pull request or a step summary: verdict, blocks, workflows, metrics, findings. */
export function toMarkdown(report: Report): string {
  const { verdict, blocks, progress, metrics } = report
  const said = findings(report)
  return [
    `## ${MARKS[verdict]} Handoffs: ${VERDICTS[verdict].title}`,
    table(
      ['', 'Agent', 'Phase', 'Status', 'Next', 'Task', 'Where', 'Result'],
      blocks.map((entry) => [
        MARKS[entry.verdict],
        entry.from ?? '',
        entry.phase ?? '',
        entry.status ?? entry.outcome,
        entry.to ?? '',
        entry.task ?? '',
        `${entry.file}:${entry.line}`,
        storyOf(entry),
      ]),
    ),
    ...(progress.length > 0 ? ['### Workflows', workflows(progress)] : []),
    ...metrics.filter((group) => group.metrics.length > 0).map(metricsOf),
    ...(said.length > 0 ? ['### Findings', said.map((line) => `- ${cellText(line)}`).join('\n')] : []),
  ].join('\n\n')
}

const workflows = (progress: Report['progress']): string =>
  table(
    ['Workflow', 'Phase', 'Progress', 'Status', 'Holder'],
    progress.map(({ key, phase, step, of, percent, status, holder = '' }) => [
      key,
      phase,
      `${step}/${of} (${percent}%)`,
      status,
      holder,
    ]),
  )

const metricsOf = ({ key = '', metrics }: MetricsGroup): string =>
  `### Metrics of ${cellText(key)}\n\n${table(
    ['Metric', 'Value', 'From'],
    metrics.map((metric) => [metric.path, valueText(metric), `${metric.count}`]),
  )}`

/** One metric in a cell: sums of numbers and durations, averages of percents, counts of yes and no. */
export function valueText(metric: MetricSummary): string {
  const { type, sum = 0, min, max, average, values = [], more } = metric
  switch (type) {
    case 'number':
      return metric.count === 1 ? `${sum}` : `${sum} (min ${min}, max ${max})`
    case 'duration':
      return durationText(sum * 1_000) || '0s'
    case 'percent':
      return metric.count === 1 ? `${average}%` : `${average}% on average, ${min}% at least`
    case 'boolean':
      return `${metric.true} true, ${metric.false} false`
    case 'text':
      return [...values, ...(more ? [`and ${more} more`] : [])].join(', ')
  }
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cellText))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')

/** An agent's words are shown as words: no markup, no link, no mention of a person, no end of a cell. */
const cellText = (said: string): string =>
  oneLine(said)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/([\\`*_[\]|~#!])/g, '\\$1')
    .replaceAll('@', '@<!-- -->')
