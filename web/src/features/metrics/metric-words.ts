import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { spanOf } from '../../ui/span.ts'

export type Group = OperationOutput<'report_metrics'>['groups'][number]
export type Metric = Group['metrics'][number]

export function worded(type: Metric['type'], value: number): string {
  const rounded = Math.round(value * 10) / 10
  if (type === 'percent') return `${rounded}%`
  return type === 'duration' ? spanOf(value) : String(rounded)
}
