import { VERDICTS, type Verdict } from '../../../../domain/blocks/block.ts'
import { inWords } from '../../../../domain/texts/visible.ts'
import { oneLine } from '../../screen/plain-text.ts'
import type { Cell, Screen, Style } from '../../screen/screen.ts'
import { count, outcomesOf } from '../../views/words.ts'
import type { Gathered, GatheredBlock } from './gathered-blocks.ts'

export const VERDICT_STYLES: Readonly<Record<Verdict, Style>> = {
  complete: 'green',
  failed: 'red',
  blocked: 'yellow',
  unfinished: 'cyan',
  no_block: 'dim',
}

const HEAD = ['', 'agent', 'phase', 'status', 'next', 'where']

/** One row for each block, then where the workflows stand, then what the pipeline is told. */
export function tableOf(screen: Screen, { blocks, progress }: Gathered, verdict: Verdict): string {
  const workflows = progress.map(({ key, phase, step, of, holder, status }) => [
    { text: key === '' ? 'workflow' : key, style: 'bold' as const },
    `${phase} ${step}/${of}`,
    inWords(status),
    holder ?? '',
  ])
  return [
    screen.table(
      blocks.map((entry) => rowOf(screen, entry)),
      HEAD,
    ),
    stories(screen, blocks),
    screen.table(workflows, ['workflow', 'phase', 'status', 'holder']),
    `${screen.paint(VERDICT_STYLES[verdict], VERDICTS[verdict].title)} (${counts(blocks)})`,
  ]
    .filter((part) => part !== '')
    .join(screen.isTerminal ? '\n\n' : '\n')
}

export function rowOf(screen: Screen, entry: GatheredBlock): readonly Cell[] {
  const { verdict, from, phase, status, to, task, file, line, outcome } = entry
  const mark = { complete: '✓', failed: '✗', blocked: '!', unfinished: '…', no_block: '·' }[verdict]
  return [
    { text: mark, style: VERDICT_STYLES[verdict] },
    { text: from ?? '', style: 'bold' },
    phase ?? '',
    { text: inWords(status ?? outcome), style: VERDICT_STYLES[verdict] },
    to === undefined || to === 'None' ? '' : to,
    ...(screen.isTerminal
      ? [
          {
            text: `${task === undefined ? '' : `${task} in `}${file}:${line}`,
            style: 'dim',
            fill: 'whole',
          } as const,
        ]
      : [task ?? '', `${file}:${line}`, storyOf(entry)]),
  ]
}

/** A terminal is too narrow for what became of each block: it stands below. */
function stories(screen: Screen, blocks: readonly GatheredBlock[]): string {
  if (!screen.isTerminal) return ''
  return blocks
    .flatMap((entry) => {
      const story = storyOf(entry)
      return story === '' ? [] : [screen.paragraph(`${entry.from ?? entry.file}: ${story}`)]
    })
    .join('\n')
}

/** The outcome of a block, in a few words. */
export function storyOf(entry: GatheredBlock): string {
  const { outcome, followed = {}, reason, unmet } = entry
  const { next, retry, routed, escalated, notified, problem } = followed
  return [
    {
      recorded: '',
      read: '',
      unchanged: 'known before',
      refused: 'refused',
      invalid: 'invalid',
      no_block: '',
    }[outcome as 'read'] ?? 'inferred from its lines, not stored',
    reason,
    next && `handed on: ${next.id}`,
    retry && `retry ${retry.retry_count}: ${retry.id} to ${retry.to}`,
    routed && `routed to ${routed.to}: ${routed.id}`,
    escalated && `escalated to ${escalated.to}: ${escalated.id}`,
    notified && `${notified} was told`,
    problem && `not handed on: ${problem}`,
    unmet && `waits for ${unmet.join(', ')}`,
  ]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => oneLine(part as string))
    .join('; ')
}

const counts = (blocks: readonly GatheredBlock[]): string =>
  [count(blocks.length, 'entry', 'entries'), ...outcomesOf(blocks)].join(', ')

/** Warnings and errors of the blocks and of their order, as lines. */
export function findings({ blocks, order }: Pick<Gathered, 'blocks' | 'order'>): readonly string[] {
  const own = blocks.flatMap(({ file, diagnostics }) =>
    diagnostics
      .filter(({ severity }) => severity !== 'info')
      .map(({ line, code, message }) => `${file}:${line} ${code}: ${message}`),
  )
  return [...own, ...order.map(({ code, message }) => `${code}: ${message}`)]
}
