import { inWords } from '../../../domain/texts/visible.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import type { Shell } from '../shell.ts'

/** How stored blocks and the workflows that they tell of look to people. */
export const NO_BLOCKS = 'No block was collected yet; for example: baton collect reports/*.md'

export const progressView = (shell: Shell, page: OperationOutput<'report_progress'>): string =>
  shell.list(page, NO_BLOCKS, [page.by, 'phase', 'progress', 'status', 'holder', ''], (found) => [
    { text: found.key, style: 'bold' },
    found.phase,
    `${found.step}/${found.of} ${found.percent}%`,
    found.complete ? 'workflow complete' : inWords(found.status),
    found.holder ?? '',
    { text: shell.screen.when(found.updated_at), style: 'dim' },
  ])

export const historyView = (shell: Shell, page: OperationOutput<'report_history'>): string =>
  shell.list(page, NO_BLOCKS, ['agent', 'phase', 'status', 'next', 'task', 'where', ''], (block) => [
    { text: block.from, style: 'bold' },
    block.phase,
    inWords(block.status),
    block.to === 'None' ? '' : block.to,
    block.task ?? block.workflow ?? '',
    { text: block.made ? 'baton' : (block.source ?? '-'), fill: true },
    { text: shell.screen.when(block.stored_at), style: 'dim' },
  ])
