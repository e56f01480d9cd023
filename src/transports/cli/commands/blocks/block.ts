import { PHASES, STATUSES } from '../../../../domain/blocks/phases.ts'
import type { Command } from '../../command.ts'
import {
  type Arguments,
  badOption,
  type Flag,
  flag,
  incomplete,
  numberOf,
  textOf,
  textsOf,
} from '../../input/args.ts'

const OPTIONS: readonly Flag[] = [
  flag('phase <phase>', 'State of the work', { required: true, choices: PHASES }),
  flag('from <agent>', 'The author (--as, else BATON_AGENT)'),
  flag('to <agent>', 'The next agent (None)'),
  flag('status <status>', 'How it ended', { required: true, choices: STATUSES }),
  flag('retry-count <number>', 'Retries so far'),
  flag('metric <name=value>', 'One number or result, for example tests_passed=25 or test_types.unit=12', {
    repeats: true,
  }),
  flag('depends-on <task>', 'A task that this work depends on', { also: ['dependency'], repeats: true }),
  flag('retry <number>', 'On failure: retries at most'),
  flag('route-to <agent>', 'On failure: the agent that gets the work'),
  flag('notify <agent>', 'On failure: the agent that is told'),
  flag('escalate-after <number>', 'On failure: number of failures after which the delegator is told'),
  flag('failure-context <text>', 'On failure: notes for the agent that handles it'),
  flag('task <id>', 'The task that it is about'),
  flag('workflow <name>', 'The workflow that the work belongs to'),
  flag('context <name=value>', 'Anything else that the next agent needs', { repeats: true }),
  flag('at <instant>', 'When it was written (now)'),
]

export const block: Command = {
  name: 'block',
  summary: 'Writes the handoff block for the end of an agent’s summary. Needs no workspace.',
  flags: OPTIONS,
  examples: [
    'baton block --as unit-testing-agent --phase Testing --status complete --metric tests_passed=25 --metric coverage=95%',
    'baton block --from qa --phase QA --status failed --retry 2 --route-to fixer --escalate-after 3 >> report.md',
  ],
  async run(shell, args) {
    // The system user is not an agent, so the name is never taken from there.
    const from = textOf(args, 'from') ?? shell.as ?? shell.io.env.agent
    if (from === undefined) throw incomplete(block, ['--from (or --as)'], ['from'])
    const { writeBlock } = await import('../../../../service/blocks/block-writer.ts')
    const text = writeBlock({
      phase: textOf(args, 'phase')!,
      from,
      to: textOf(args, 'to') ?? 'None',
      status: textOf(args, 'status')!,
      retry_count: numberOf(args, 'retry-count'),
      metrics: mappingOf(args, 'metric'),
      dependencies: args.texts.has('depends-on') ? textsOf(args, 'depends-on') : undefined,
      on_failure: failureFlags(args),
      task: textOf(args, 'task'),
      workflow: textOf(args, 'workflow'),
      context: mappingOf(args, 'context'),
      at: instantOf(textOf(args, 'at')),
    })
    shell.answer({ text }, () => text.trimEnd())
  },
}

function failureFlags(args: Arguments) {
  const rules = {
    retry: numberOf(args, 'retry'),
    route_to: textOf(args, 'route-to'),
    notify: textOf(args, 'notify'),
    escalate_after: numberOf(args, 'escalate-after'),
    context: textOf(args, 'failure-context'),
  }
  return Object.values(rules).some((value) => value !== undefined) ? rules : undefined
}

/** `a.b=1` as data; numbers and true and false as what they are, everything else as text. */
function mappingOf(args: Arguments, name: string): Record<string, unknown> | undefined {
  const pairs = textsOf(args, name)
  if (pairs.length === 0) return undefined
  const data = new Map<string, unknown>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw badOption(name, 'is written name=value')
    putAt(data, pair.slice(0, at).split('.'), scalarOf(pair.slice(at + 1)))
  }
  return toData(data)
}

function putAt(data: Map<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    data.set(key, value)
    return
  }
  const below = data.get(key)
  const next = below instanceof Map ? below : new Map<string, unknown>()
  data.set(key, next)
  putAt(next, rest, value)
}

const toData = (data: ReadonlyMap<string, unknown>): Record<string, unknown> =>
  Object.fromEntries([...data].map(([key, value]) => [key, value instanceof Map ? toData(value) : value]))

function scalarOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(text) ? Number(text) : text
}

function instantOf(text: string | undefined): string {
  const at = text === undefined ? new Date() : new Date(text)
  if (Number.isNaN(at.getTime())) throw badOption('at', 'is an instant, for example 2026-02-21T14:30:00Z')
  return at.toISOString()
}
