import { inWords } from '../../../domain/texts/visible.ts'
import type { OperationOutput } from '../../../runner/calls.ts'
import type { Shell } from '../shell.ts'

/** How stored blocks and the workflows that they tell of look to people. */
export const NO_BLOCKS = 'No block was collected yet; for example: baton collect reports/*.md'

export function progressView(shell: Shell, { by, items }: OperationOutput<'report_progress'>): string {
  if (items.length === 0) return shell.nothing(NO_BLOCKS)
  const rows = items.map(({ key, phase, step, of, percent, status, holder, complete, updated_at }) => [
    { text: key, style: 'bold' as const },
    phase,
    `${step}/${of} ${percent}%`,
    complete ? 'workflow complete' : inWords(status),
    holder ?? '',
    { text: shell.screen.when(updated_at), style: 'dim' as const },
  ])
  return shell.screen.table(rows, [by, 'phase', 'progress', 'status', 'holder', ''])
}

export function historyView(shell: Shell, { items, next }: OperationOutput<'report_history'>): string {
  if (next !== undefined) shell.more(next)
  if (items.length === 0) return shell.nothing(NO_BLOCKS)
  const rows = items.map(({ from, phase, status, to, task, workflow, source, made, stored_at }) => [
    { text: from, style: 'bold' as const },
    phase,
    inWords(status),
    to === 'None' ? '' : to,
    task ?? workflow ?? '',
    { text: made ? 'baton' : (source ?? '-'), fill: true },
    { text: shell.screen.when(stored_at), style: 'dim' as const },
  ])
  return shell.screen.table(rows, ['agent', 'phase', 'status', 'next', 'task', 'where', ''])
}
