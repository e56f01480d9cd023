import { invalidInput } from '../../../../domain/errors.ts'
import type { MetricSummary, MetricsGroup, UsageTotal } from '../../../../domain/reports/metrics.ts'
import { durationText } from '../../../../domain/reports/metrics-value.ts'
import { flag } from '../../input/args.ts'
import { added } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import { oneLine } from '../../screen/plain-text.ts'
import type { Screen } from '../../screen/screen.ts'
import { cut, pad, widthOf } from '../../screen/width.ts'
import type { Shell } from '../../shell.ts'
import { NO_BLOCKS } from '../../views/blocks.ts'
import { count, countsOf } from '../../views/words.ts'
import { valueText } from './markdown.ts'

interface Metrics {
  readonly by: string
  readonly groups: readonly MetricsGroup[]
  readonly usage?: UsageTotal
}

const FLAGS = [
  flag('csv', 'One line for each metric, for a spreadsheet'),
  flag('chart', 'Durations and blocks as bars'),
].map(added)

/** Beside the table: lines for a spreadsheet, and bars. */
export const metrics: Extra = {
  flags: (own) => [...own, ...FLAGS],
  async before(shell, _session, input) {
    const { csv, chart, ...rest } = input
    if ([csv === true, chart === true, shell.isJson].filter(Boolean).length > 1)
      throw invalidInput('--json, --csv and --chart are forms of one answer; give one of them')
    return { input: rest }
  },
  async after(shell, output) {
    const { switches } = shell.args
    const found = output as Metrics
    if (switches.get('csv')) shell.print(csvOf(found))
    else shell.answer(found, () => (switches.get('chart') ? chartOf(shell, found) : tableOf(shell, found)))
    return true
  },
}

const groupName = ({ key }: MetricsGroup): string => key ?? '(none)'

function tableOf(shell: Shell, { by, groups, usage }: Metrics): string {
  if (groups.length === 0) return shell.nothing(NO_BLOCKS)
  const rows = groups.flatMap((group) => [
    [
      { text: groupName(group), style: 'bold' as const },
      'blocks',
      { text: group.blocks === 0 ? '0' : `${group.blocks} (${statuses(group)})`, fill: true },
    ],
    ...group.metrics.map((metric) => [
      groupName(group),
      metric.path,
      { text: valueText(metric), fill: true },
    ]),
  ])
  const total = Object.entries(usage ?? {}).map(([name, value]) => ['total', `run.${name}`, String(value)])
  return shell.screen.table([...rows, ...total], [by, 'metric', 'value'])
}

const statuses = (group: MetricsGroup): string => countsOf(group.statuses).join(', ')

const COLUMNS = [
  'count',
  'sum',
  'min',
  'max',
  'average',
  'true',
  'false',
] as const satisfies readonly (keyof MetricSummary)[]

function csvOf({ by, groups }: Metrics): string {
  const head = [by, 'metric', 'type', ...COLUMNS, 'values']
  const rows = groups.flatMap((group) =>
    group.metrics.map((metric) => [
      groupName(group),
      metric.path,
      metric.type,
      ...COLUMNS.map((column) => metric[column] ?? ''),
      (metric.values ?? []).join('; '),
    ]),
  )
  return [head, ...rows].map((row) => row.map(cell).join(',')).join('\n')
}

/** RFC 4180; a text that a spreadsheet would take for a formula is marked as text. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = oneLine(value)
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const BAR = 40

/** Durations by group and metric, and how many blocks there are. */
function chartOf(shell: Shell, { by, groups }: Metrics): string {
  if (groups.length === 0) return shell.nothing(NO_BLOCKS)
  const durations = groups.flatMap((group) =>
    group.metrics
      .filter(({ type }) => type === 'duration')
      .map(({ path, sum = 0 }) => ({
        name: `${groupName(group)} ${path}`,
        size: sum,
        text: durationText(sum * 1_000) || '0s',
      })),
  )
  const blocks = groups.map((group) => ({
    name: groupName(group),
    size: group.blocks,
    text: `${count(group.blocks, 'block')} (${statuses(group)})`,
  }))
  return [
    ...(durations.length > 0
      ? [shell.screen.bold(`Durations by ${by}`), bars(shell.screen, durations), '']
      : []),
    shell.screen.bold(`Blocks by ${by}`),
    bars(shell.screen, blocks),
  ].join('\n')
}

function bars(screen: Screen, all: readonly { name: string; size: number; text: string }[]): string {
  const most = Math.max(...all.map(({ size }) => size), Number.MIN_VALUE)
  const names = all.map(({ name }) => (screen.isTerminal ? cut(oneLine(name), BAR) : oneLine(name)))
  const width = Math.max(...names.map(widthOf))
  return all
    .map(({ size, text }, i) => {
      const bar = '█'.repeat(Math.max(size > 0 ? 1 : 0, Math.round((size / most) * BAR)))
      return `  ${pad(names[i]!, width)}  ${screen.paint('cyan', bar)} ${text}`
    })
    .join('\n')
}
