import { invalidInput } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/texts/nearest.ts'
import { firstWords, isOtherCommand, NOUNS, secondWords, shortForm } from './catalog.ts'
import { shellQuoted } from './hint.ts'
import { type CommandLine, GLOBAL_FLAGS, optionsOf, readArguments, readCommandLine } from './input/args.ts'
import type { Io } from './io.ts'
import { Interrupted, Shell, screenFor } from './shell.ts'

/** Commands under an earlier name. They work and are not shown. */
const OLD_WORDS: Readonly<Record<string, string>> = { 'store copy': 'move' }

/** A person pressed Ctrl-C, as shells count it. */
const INTERRUPTED = 130

/** Runs one command and answers its exit code. Never ends the process, never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(argv)
  try {
    return await run(line, io)
  } catch (error) {
    if (io.isInterrupted || error instanceof Interrupted) return INTERRUPTED
    const code = (await import('./failure.ts')).tellFailure(error, line, io)
    const [first, second] = line.words
    // Agents take exit code 2 of a hook for an order: a failure of Baton must not be one.
    return first === 'hook' && second !== 'pre-commit' ? 0 : code
  }
}

async function run(line: CommandLine, io: Io): Promise<number> {
  const [first, second] = line.words
  if (first === '__complete')
    return (await import('./commands/programs/complete.ts')).complete(line.argv.slice(1), io)
  if (first === '__guard') return (await import('../../programs/guard.ts')).guard()
  if (first === undefined || first === 'help') return help(line, io)
  const found = await findCommand(first, second, line.rest(1))
  if (!found) return (await import('./pages.ts')).showNoun(first, line, io)
  const { command, words } = found
  const typed = line.rest(words)
  const isWhole = typed.includes('--help') && typed.includes('--all')
  const asked = isWhole ? typed.filter((token) => token !== '--all') : typed
  const args = readArguments(asked, optionsOf(command), command.name, command.words)
  const shell = new Shell(io, args)
  if (args.switches.get('help')) {
    const { commandPage } = await import('./help.ts')
    shell.print(commandPage(shell.screen, command, isWhole))
    return 0
  }
  try {
    return (await command.run(shell, args)) ?? 0
  } finally {
    await shell.close()
  }
}

/** The command and how many words name it; undefined for a noun that stands alone. */
async function findCommand(first: string, second: string | undefined, rest: readonly string[]) {
  const operation = shortForm(first) ?? (second === undefined ? undefined : NOUNS[first]?.[second])
  if (operation) {
    const { operationCommand } = await import('./operation-command.ts')
    return { command: await operationCommand(operation), words: shortForm(first) ? 1 : 2 }
  }
  if (!isOtherCommand(first) && !Object.hasOwn(NOUNS, first))
    throw invalidInput(
      `baton has no command ${first}${elsewhere(first, rest) || didYouMean(first, firstWords()) || '; see: baton help'}`,
      { command: first },
    )
  if (isOtherCommand(first)) {
    const verbs = secondWords(first)
    const { loadCommand } = await import('./commands/index.ts')
    if (verbs.length === 0) return { command: await loadCommand(first), words: 1 }
    const verb = OLD_WORDS[`${first} ${second}`] ?? second
    if (verb !== undefined && verbs.includes(verb))
      return { command: await loadCommand(first, verb), words: 2 }
  }
  if (second === undefined) return undefined
  const verbs = secondWords(first)
  throw invalidInput(
    `${first} has no verb ${second}${didYouMean(second, verbs) || `; it has ${[...verbs].sort().join(', ')}`}`,
    { command: first, verb: second },
  )
}

/** People remember the verb and forget the noun. */
function elsewhere(verb: string, rest: readonly string[]): string {
  if (verb === 'version') return '; did you mean baton --version?'
  const found = Object.keys(NOUNS).filter((noun) => secondWords(noun).includes(verb))
  const typed = [verb, ...rest.map(shellQuoted)].join(' ')
  return found.length === 0
    ? ''
    : `; did you mean ${found.map((noun) => `baton ${noun} ${typed}`).join(' or ')}?`
}

/** `baton help send` is `baton send --help`, and `baton` alone shows what there is. */
async function help({ argv, words, color }: CommandLine, io: Io): Promise<number> {
  if (words[0] === 'help' && words.length > 1 && words[1] !== 'exit-codes') {
    const named = argv.filter((token) => !token.startsWith('-')).slice(1, 3)
    return run(readCommandLine([...named, '--help', ...argv.filter((token) => token === '--all')]), io)
  }
  if (
    argv.some(
      (token) => token.startsWith('-') && !/^--?(h|help|no-color|no-colour|json|quiet|q)$/.test(token),
    )
  )
    readArguments(argv, GLOBAL_FLAGS, 'baton')
  const { exitCodesPage, overview } = await import('./help.ts')
  const page = words[1] === 'exit-codes' ? exitCodesPage : overview
  io.stdout.write(`${page(screenFor(io, 'stdout', color))}\n`)
  return 0
}
