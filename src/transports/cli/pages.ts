import { type BatonError, invalidInput } from '../../domain/errors.ts'
import { isOtherCommand, NOUNS, secondWords } from './catalog.ts'
import type { Command } from './command.ts'
import { nounPage } from './help.ts'
import type { CommandLine } from './input/args.ts'
import type { Io } from './io.ts'
import { screenFor } from './shell.ts'

/** A noun without a verb: its verbs. Asked for, that is an answer; else something was forgotten. */
export async function showNoun(noun: string, line: CommandLine, io: Io): Promise<number> {
  const asked = line.argv.some((token) => token === '--help' || token === '-h')
  if (!asked && line.isJson) throw verbless(noun)
  const commands = await Promise.all(
    secondWords(noun).map(async (verb) => ({ ...(await commandOf(noun, verb)), name: `${noun} ${verb}` })),
  )
  const stream = asked ? 'stdout' : 'stderr'
  const screen = screenFor(io, stream, line.color)
  io[stream].write(`${nounPage(screen, noun, commands)}\n`)
  return asked ? 0 : 2
}

/** Programs get a refusal as they get every other. */
function verbless(noun: string): BatonError {
  const verbs = [...secondWords(noun)].sort()
  return invalidInput(`${noun} needs a verb: ${verbs.join(', ')}; for example: baton ${noun} ${verbs[0]}`, {
    command: noun,
    verbs,
  })
}

/** The command that one or two words name; its operation where it is one. */
export async function commandOf(noun: string, verb = '', operation = NOUNS[noun]?.[verb]): Promise<Command> {
  if (operation) return (await import('./operation-command.ts')).operationCommand(operation)
  if (isOtherCommand(noun)) return (await import('./commands/index.ts')).loadCommand(noun, verb)
  throw new Error(`${noun} ${verb} is listed and not written`)
}
