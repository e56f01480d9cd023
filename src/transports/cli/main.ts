import { BatonError } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/texts/nearest.ts'
import { firstWords, isOtherCommand, NOUNS, secondWords, shortForm } from './catalog.ts'
import type { Command } from './command.ts'
import {
  exitCodeOf,
  failureJson,
  failureText,
  INTERRUPTED,
  Interrupted,
  stackOf,
  toBatonError,
  withCommand,
} from './failure.ts'
import { typedContext, withContext } from './hint.ts'
import { type CommandWords, commandWords, readArguments } from './input/args.ts'
import type { Io } from './io.ts'
import { Shell, screenFor } from './shell.ts'

/** Runs one command and answers its exit code. Never ends the process, never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await run(argv, io)
  } catch (error) {
    if (io.isInterrupted || error instanceof Interrupted) return INTERRUPTED
    const code = tell(error, argv, io)
    // Agents take exit code 2 of a hook for an order: a failure of Baton must not be one.
    return isAgentHook(argv) ? 0 : code
  }
}

async function run(argv: readonly string[], io: Io): Promise<number> {
  const typed = commandWords(argv)
  const [first, second] = typed.words
  if (first === '__complete')
    return (await import('./commands/programs/complete.ts')).complete(argv.slice(1), io)
  if (first === undefined || first === 'help') return help(typed, argv, io)
  const found = await findCommand(first, second)
  if (!found) return (await import('./pages.ts')).showNoun(first, argv, io)
  const { command, words } = found
  const args = readArguments(typed.rest(words), command.flags, command.name, command.words)
  const shell = new Shell(io, args)
  if (args.switches.get('help')) {
    const { commandPage } = await import('./help.ts')
    shell.print(commandPage(shell.screen, command))
    return 0
  }
  try {
    return (await command.run(shell, args)) ?? 0
  } finally {
    await shell.close()
  }
}

const isAgentHook = (argv: readonly string[]): boolean => {
  const [first, second] = commandWords(argv).words
  return first === 'hook' && second !== 'pre-commit'
}

/** The command and how many words name it; undefined for a noun that stands alone. */
async function findCommand(
  first: string,
  second?: string,
): Promise<{ command: Command; words: number } | undefined> {
  const operation = shortForm(first) ?? (second === undefined ? undefined : NOUNS[first]?.[second])
  if (operation) {
    const { operationCommand } = await import('./operation-command.ts')
    return { command: await operationCommand(operation), words: shortForm(first) ? 1 : 2 }
  }
  if (!isOtherCommand(first) && !Object.hasOwn(NOUNS, first))
    throw new BatonError(
      'invalid_input',
      `baton has no command ${first}${elsewhere(first) || didYouMean(first, firstWords()) || '; see: baton help'}`,
      {
        command: first,
      },
    )
  if (isOtherCommand(first)) {
    const verbs = secondWords(first)
    const { loadCommand } = await import('./commands/index.ts')
    if (verbs.length === 0) return { command: await loadCommand(first), words: 1 }
    if (second !== undefined && verbs.includes(second))
      return { command: await loadCommand(first, second), words: 2 }
  }
  if (second === undefined) return undefined
  const verbs = secondWords(first)
  throw new BatonError(
    'invalid_input',
    `${first} has no verb ${second}${didYouMean(second, verbs) || `; it has ${[...verbs].sort().join(', ')}`}`,
    { command: first, verb: second },
  )
}

/** People remember the verb and forget the noun. */
function elsewhere(verb: string): string {
  const found = Object.keys(NOUNS).filter((noun) => secondWords(noun).includes(verb))
  return found.length === 0
    ? ''
    : `; did you mean ${found.map((noun) => `baton ${noun} ${verb}`).join(' or ')}?`
}

/** `baton help send` is `baton send --help`, and `baton` alone shows what there is. */
async function help(typed: CommandWords, argv: readonly string[], io: Io): Promise<number> {
  if (typed.words[0] === 'help' && typed.words.length > 1) {
    const words = argv.filter((token) => !token.startsWith('-')).slice(1, 3)
    return run([...words, '--help'], io)
  }
  if (
    argv.some(
      (token) => token.startsWith('-') && !/^--?(h|help|no-color|no-colour|json|quiet|q)$/.test(token),
    )
  )
    readArguments(argv, (await import('./input/args.ts')).GLOBAL_FLAGS, 'baton')
  const { overview } = await import('./help.ts')
  const screen = screenFor(io, 'stdout', argv.includes('--no-color') ? false : undefined)
  io.stdout.write(`${overview(screen)}\n`)
  return 0
}

function tell(failure: unknown, argv: readonly string[], io: Io): number {
  const hint = (text: string) => withContext(text, typedContext(argv))
  const error = withCommand(toBatonError(failure), hint)
  const screen = screenFor(io, 'stderr', argv.includes('--no-color') ? false : undefined)
  const isJson = argv.slice(0, argv.indexOf('--') === -1 ? undefined : argv.indexOf('--')).includes('--json')
  io.stderr.write(`${isJson ? failureJson(error) : failureText(error, screen, hint)}\n`)
  if (io.env.debug) io.stderr.write(`${stackOf(failure)}\n`)
  return exitCodeOf(error)
}
