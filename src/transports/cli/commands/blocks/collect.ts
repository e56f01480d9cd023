import { appendFileSync } from 'node:fs'
import { VERDICTS, type Verdict } from '../../../../domain/blocks/block.ts'
import { ROUTE_MODES } from '../../../../domain/blocks/failure-routing.ts'
import { BatonError, ERROR_CODES, invalidInput } from '../../../../domain/errors.ts'
import { MetricsReport } from '../../../../domain/reports/metrics.ts'
import { compareIds } from '../../../../domain/tasks/task-order.ts'
import type { Command } from '../../command.ts'
import { type Arguments, choiceOf, flag, isOn } from '../../input/args.ts'
import { safeJson } from '../../screen/plain-text.ts'
import type { Shell } from '../../shell.ts'
import { filesAt, STDIN } from '../documents/files.ts'
import { type Gathered, gather, openIfAny, verdictFor } from './gathered-blocks.ts'

const FORMATS = ['table', 'json', 'junit', 'markdown', 'github'] as const
type Format = (typeof FORMATS)[number]

export const collect: Command = {
  name: 'collect',
  summary:
    'Reads the handoff blocks of agents’ summaries, stores them as history and does what they say. Exit code: 0 complete, 1 failed, 10 blocked, 11 not finished, 12 no block.',
  words: ['[files, folders or -]'],
  takesMore: true,
  flags: [
    flag('all', 'The worst of all blocks decides, not the last valid one'),
    flag('format <form>', 'How the answer looks; github is a step summary', { choices: FORMATS }),
    flag('no-store', 'Only read; needs no workspace and changes nothing'),
    flag('source <text>', 'Tells equal summaries of different runs apart, for example $GITHUB_RUN_ID'),
    flag('workflow <name>', 'For blocks without a workflow_id (the UTC day)'),
    flag('run <id>', 'The run of a workflow that the blocks belong to'),
    flag('route-mode <mode>', 'The agent that retries: the same one, or route_to from the first failure on', {
      choices: ROUTE_MODES,
    }),
    flag(
      'follow',
      'Go on with what is written into the files, or without files with what is stored, until Ctrl-C',
      { also: ['f'] },
    ),
    flag('count <number>', 'With --follow: end after so many blocks'),
  ],
  examples: [
    'baton collect reports/*.md',
    'baton collect --all --format junit reports/*.md > junit.xml',
    'agent run | baton collect - --no-store',
    'baton collect --follow reports/',
  ],
  async run(shell, args) {
    const format = formatOf(shell, args)
    // Refused before a workspace is made.
    choiceOf(args, 'route-mode', ROUTE_MODES)
    demandWords(args)
    if (isOn(args, 'follow')) return (await import('./follow.ts')).follow(shell, args.words)
    const targets = filesAt(args.words, shell.io.cwd)
    const gathered = await gather(shell, await openIfAny(shell), targets)
    const verdict = verdictFor(gathered.blocks, isOn(args, 'all'))
    await show(shell, format, gathered, verdict)
    if (verdict === 'complete') warnOfOthers(shell, gathered, isOn(args, 'all'))
    const isRefused = gathered.blocks.some(({ outcome }) => outcome === 'refused')
    const { exit } = VERDICTS[verdict]
    return exit === 0 && isRefused ? ERROR_CODES.unmet.exit : exit
  },
}

/** A pipeline that goes on over a failure does so knowingly. */
function warnOfOthers(shell: Shell, { blocks }: Gathered, all: boolean): void {
  const bad = blocks.filter(({ verdict }) => verdict === 'failed' || verdict === 'blocked')
  if (all || bad.length === 0 || shell.isJson) return
  shell.warn(
    `${bad.length} of ${blocks.length} blocks failed or ${bad.length === 1 ? 'is' : 'are'} blocked, and the last one decides; the worst decides with --all`,
  )
}

function formatOf(shell: Shell, args: Arguments): Format {
  const format = choiceOf(args, 'format', FORMATS)
  if (format === undefined) return shell.isJson ? 'json' : 'table'
  if (shell.isJson && format !== 'json')
    throw new BatonError('invalid_input', '--json and --format are two forms of one answer; give one of them')
  return format
}

function demandWords(args: Arguments): void {
  const isFollowing = isOn(args, 'follow')
  if (args.words.length === 0 && !isFollowing)
    throw invalidInput('collect needs a file, a folder or -; for example: baton collect reports/*.md')
  if (args.words.includes(STDIN) && (args.words.length > 1 || isFollowing))
    throw invalidInput('- stands for what comes through the pipe and cannot be mixed with files or followed')
}

async function show(shell: Shell, format: Format, gathered: Gathered, verdict: Verdict): Promise<void> {
  if (format === 'json') {
    shell.print(safeJson(reportOf(gathered, verdict), shell.io.stdout.isTTY ? 2 : undefined))
    return
  }
  const { findings, tableOf } = await import('./table.ts')
  if (format === 'junit') shell.print((await import('./junit.ts')).toJunit(gathered).trimEnd())
  else if (format === 'table') shell.print(tableOf(shell.screen, gathered, verdict))
  else {
    const text = (await import('./markdown.ts')).toMarkdown(reportOf(gathered, verdict))
    shell.print(text.trimEnd())
    if (format === 'github') appendSummary(shell, text)
  }
  for (const finding of findings(gathered)) shell.warn(finding)
}

export type Report = ReturnType<typeof reportOf>

function reportOf({ blocks, order, progress, stored }: Gathered, verdict: Verdict) {
  const metrics = new MetricsReport('agent')
  for (const { outcome, from, phase, status, task, workflow, metrics: said } of blocks)
    if (from !== undefined && phase !== undefined && status !== undefined && outcome !== 'inferred')
      metrics.add({ from, phase, status, task, workflow, metrics: said })
  return {
    verdict,
    exit_code: VERDICTS[verdict].exit,
    stored,
    blocks,
    order,
    progress,
    metrics: metrics.groups(compareIds),
  }
}

/** GitHub shows what is in this file below the job. That it cannot be written must not fail the job. */
function appendSummary(shell: Shell, text: string): void {
  const file = shell.io.env.stepSummary
  if (file === undefined) return
  try {
    appendFileSync(file, `${text}\n`)
  } catch (error) {
    shell.warn(`the step summary ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
}
