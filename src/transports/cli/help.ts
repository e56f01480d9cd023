import { ERROR_CODES } from '../../domain/errors.ts'
import { NOUNS } from './catalog.ts'
import type { Command } from './command.ts'
import { type Flag, GLOBAL_FLAGS, typedOption } from './input/args.ts'
import type { Screen } from './screen/screen.ts'
import { pad, wrap } from './screen/width.ts'

type Group = readonly [title: string, commands: readonly (readonly [name: string, about: string])[]]

// biome-ignore format: read as a table
const LEFT: readonly Group[] = [
  ['Hand work over', [
    ['send',     'to an agent or a person'],
    ['answer',   'a question about it'],
    ['comment',  'say something about it'],
    ['verify',   'judge what was handed in'],
    ['edit',     'change what you sent'],
    ['reassign', 'give it to another'],
    ['cancel',   'take it back'],
    ['retry',    'offer failed work again'],
    ['resend',   'send ended work again'],
  ]],
  ['Look', [
    ['list',     'handoffs, newest first'],
    ['show',     'one handoff, all of it'],
    ['status',   'stuck work and counts'],
    ['watch',    'events, live'],
  ]],
]

// biome-ignore format: read as a table
const RIGHT: readonly Group[] = [
  ['Take work on', [
    ['inbox',    'your open work'],
    ['accept',   'take it on'],
    ['ask',      'the sender something'],
    ['submit',   'hand in, with evidence'],
    ['reject',   'decline it or give it back'],
    ['decide',   'a gate (people only)'],
  ]],
  ['Set up and look after', [
    ['init',     'settings for this project'],
    ['setup',    'connect a coding agent'],
    ['run',      'start agents for work'],
    ['serve',    'dashboard and HTTP'],
    ['trust',    'let baton.yaml take effect'],
    ['doctor',   'check store, log, machine'],
  ]],
]

const MORE: readonly (readonly [title: string, text: string])[] = [
  ['Also', 'create, wait, next, whoami, login, demo, store, folders, gc, uninstall'],
  [
    'Workflows',
    'baton workflow init|check|start|status|picture: steps, gates and who does what, from a file',
  ],
  ['Documents', 'baton check|convert|import|export: handoffs in files; baton migrate: files of version 1'],
  ['Pipelines', 'baton collect reads agents’ summaries, block writes one, report metrics sums them up'],
  ['Git', 'baton task start|finish|audit|clean, merge-check before a merge'],
  ['Proof', 'baton audit export|verify|redact|archive|anchor|trust, agent key'],
  ['For programs', 'hook, mcp, token, notify, completion; exit codes: baton help exit-codes'],
  ['All commands', `baton <noun> <verb>; nouns are ${Object.keys(NOUNS).join(', ')}`],
  ['Ids', 'any unique part of one, or @ for the only one that fits'],
]

/** A title with its sentence beside it, broken where the terminal ends. */
function moreLines(screen: Screen, title: string, text: string): string[] {
  const lines = screen.isTerminal ? wrap(text, screen.columns - MARGIN) : [text]
  return lines.map(
    (line, i) => (i === 0 ? screen.bold(title) + pad('', MARGIN - title.length) : pad('', MARGIN)) + line,
  )
}

const MARGIN = 14
/** Two columns need this much. */
const WIDE = 78

/** The first page: it fits on a screen and is made without loading a single operation. */
export function overview(screen: Screen): string {
  const [left, right] = [LEFT, RIGHT].map((groups) => groupLines(screen, groups)) as [string[], string[]]
  const isWide = screen.isTerminal && screen.columns >= WIDE
  const body = isWide
    ? Array.from({ length: Math.max(left.length, right.length) }, (_, i) =>
        (pad(left[i] ?? '', 40) + (right[i] ?? '')).trimEnd(),
      )
    : [...left, '', ...right]
  return [
    'Baton passes work between agents and people without losing it.',
    '',
    ...body,
    '',
    ...MORE.flatMap(([title, text]) => moreLines(screen, title, text)),
    '',
    screen.bold('Options of every command'),
    optionTable(screen, GLOBAL_FLAGS),
  ].join('\n')
}

const groupLines = (screen: Screen, groups: readonly Group[]): string[] =>
  groups.flatMap(([title, commands], i) => [
    ...(i === 0 ? [] : ['']),
    screen.bold(title),
    ...commands.map(([name, about]) => `  ${screen.paint('cyan', pad(name, 11))} ${about}`),
  ])

/** The page of one command. */
export function commandPage(screen: Screen, command: Command, isWhole: boolean): string {
  const own = command.flags ?? []
  const shown = isWhole || own.length <= MANY ? own : own.filter(({ name }) => USUAL_OPTIONS.includes(name))
  const left = own.length - shown.length
  const usage = [
    'baton',
    command.name,
    ...(command.words ?? []).map(bracketed),
    ...(own.length > 0 ? ['[options]'] : []),
  ]
  return [
    ...wrap(command.summary, screen.columns),
    '',
    `${screen.bold('Usage')}  ${usage.join(' ')}`,
    ...(own.length > 0 ? ['', screen.bold('Options'), optionTable(screen, shown)] : []),
    ...(left > 0 ? [screen.dim(`  ${left} more: baton ${command.name} --help --all`)] : []),
    '',
    screen.bold('Examples'),
    ...command.examples.flatMap((line) =>
      wrap(line, screen.columns - 4).map((part, i) => `  ${i === 0 ? screen.dim('$') : ' '} ${part}`),
    ),
    '',
    ...(isWhole
      ? [screen.bold('Options of every command'), optionTable(screen, GLOBAL_FLAGS)]
      : [screen.dim(`Also: ${GLOBAL_FLAGS.map(optionName).join(' ')}; see: baton help`)]),
  ].join('\n')
}

/** More options than this fill a screen; then those are shown that people use. */
const MANY = 20
// biome-ignore format: read as a list
const USUAL_OPTIONS = ['to', 'title', 'summary', 'deliverable', 'criterion', 'artifact', 'check', 'priority', 'timeout', 'then']

/** Exit codes of every command, from the table of errors. */
export function exitCodesPage(screen: Screen): string {
  const again = (retry: boolean) => (retry ? '; the same call may succeed later' : '')
  const rows = Object.entries(ERROR_CODES).map(([code, each]) => [
    `${each.exit}`,
    code,
    each.title + again(each.retry),
  ])
  const note =
    '--json gives the second column as error.code. audit verify and collect have codes of their own in their help.'
  const table = screen.table([['0', '', 'Done'], ...rows, ['130', '', 'Ended with Ctrl-C']])
  return [table, '', ...wrap(note, screen.columns)].join('\n')
}

/** The page of a noun: its verbs with what each does. */
export function nounPage(screen: Screen, noun: string, commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    `${screen.bold('Usage')}  baton ${noun} <verb> [options]`,
    '',
    ...commands.map(({ name, summary }) =>
      entry(screen, screen.paint('cyan', name), name.length, width, summary),
    ),
    '',
    `More on one: baton ${commands[0]?.name} --help`,
  ].join('\n')
}

const bracketed = (word: string): string => (word.startsWith('[') ? word : `<${word}>`)

function optionTable(screen: Screen, flags: readonly Flag[]): string {
  const rows = flags.map((flag) => ({ flag, left: spelled(flag) }))
  const width = Math.min(30, Math.max(...rows.map(({ left }) => left.length)))
  return rows
    .map(({ flag, left }) => entry(screen, screen.paint('cyan', left), left.length, width, about(flag)))
    .join('\n')
}

/** A name with its description beside it; below it where the name is too long. */
function entry(screen: Screen, painted: string, length: number, width: number, text: string): string {
  const lines = wrap(text, Math.max(20, screen.columns - width - 4))
  const margin = pad('', width + 4)
  const first = length > width ? `  ${painted}\n${margin}` : `  ${painted}${pad('', width - length + 2)}`
  return (first + lines.join(`\n${margin}`)).trimEnd()
}

const optionName = ({ name }: Flag): string => (name === 'color' ? '--no-color' : typedOption(name))

const spelled = (flag: Flag): string =>
  flag.placeholder === undefined || flag.optional
    ? optionName(flag)
    : `${optionName(flag)} <${flag.placeholder}>`

function about(flag: Flag): string {
  const parts = [
    flag.required ? 'needed' : '',
    flag.about ?? '',
    flag.choices ? `one of ${flag.choices.join(', ')}` : '',
    flag.repeats ? 'repeatable' : '',
  ]
  return parts.filter((part) => part !== '').join('; ')
}
