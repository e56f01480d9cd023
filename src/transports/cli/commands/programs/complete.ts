import type { OperationName } from '../../../../operations/index.ts'
import { firstWords, isOtherCommand, NOUNS, secondWords, shortForm } from '../../catalog.ts'
import type { Command } from '../../command.ts'
import {
  type Flag,
  GLOBAL_FLAGS,
  optionsOf,
  readArguments,
  readCommandLine,
  typedOption,
} from '../../input/args.ts'
import type { Io } from '../../io.ts'
import { commandOf } from '../../pages.ts'
import { oneLine } from '../../screen/plain-text.ts'
import { Shell } from '../../shell.ts'

interface Completion {
  readonly word: string
  readonly about?: string
}

/** Answers the shell's completion: candidates for the last word. It never fails and never writes. */
export async function complete(words: readonly string[], io: Io): Promise<number> {
  const current = words.at(-1) ?? ''
  try {
    const found = await candidatesFor(words.slice(0, -1), current, io)
    const lines = (/^\d+$/.test(current) ? found.map(toShort) : found)
      .filter(({ word }) => word.startsWith(current))
      .map(({ word, about }) => (about === undefined ? word : `${word}\t${oneLine(about)}`))
    if (lines.length > 0) io.stdout.write(`${lines.join('\n')}\n`)
  } catch {
    // A shell that completes has no place for a message: there is nothing to offer.
  }
  return 0
}

async function candidatesFor(
  before: readonly string[],
  current: string,
  io: Io,
): Promise<readonly Completion[]> {
  const [first, second] = readCommandLine(before).words
  if (first === undefined)
    return [...firstWords(), ...(current.startsWith('-') ? optionNames(GLOBAL_FLAGS) : [])].map(toCandidate)
  const operation = shortForm(first) ?? (second === undefined ? undefined : NOUNS[first]?.[second])
  if (operation === undefined && second === undefined && secondWords(first).length > 0)
    return secondWords(first).map(toCandidate)
  if (!operation && (!isOtherCommand(first) || first === 'help')) return []
  const command = await commandOf(first, second, operation)
  const flag = pendingFlag(before, command)
  if (flag) return valuesOf(flag, before, io)
  if (current.startsWith('-'))
    return optionsOf(command).map(({ name, about }) => ({ word: typedOption(name), ...(about && { about }) }))
  const isOfTask = first === 'task' && command.words?.includes('id')
  const asked = operation ?? (isOfTask ? 'task_get' : undefined)
  return asked === undefined ? [] : idsFor(asked, before, io)
}

/** People type 12 for HO-2026-012. */
const toShort = ({ word, ...rest }: Completion): Completion => ({
  word: word.replace(/^HO-\d{4}-0*(\d+)$/, '$1'),
  ...rest,
})
const toCandidate = (word: string): Completion => ({ word })
const optionNames = (flags: readonly Flag[]): string[] => flags.map(({ name }) => typedOption(name))

/** The option whose value is being typed. */
function pendingFlag(before: readonly string[], command: Command): Flag | undefined {
  const name = before.at(-1)?.replace(/^--?/, '')
  if (!before.at(-1)?.startsWith('-')) return undefined
  return optionsOf(command).find(
    (flag) => flag.placeholder !== undefined && [flag.name, ...(flag.also ?? [])].includes(name ?? ''),
  )
}

async function valuesOf(flag: Flag, before: readonly string[], io: Io): Promise<readonly Completion[]> {
  if (flag.choices) return flag.choices.map(toCandidate)
  if (flag.placeholder !== 'agent' && flag.name !== 'agent') return []
  return withSession(before, io, async (session) => {
    const { items } = await session.call('agent_list', {})
    return items.map(({ name, kind }) => ({ word: name, about: kind }))
  })
}

/** The ids that the verb can be applied to, as `@` would choose. */
async function idsFor(
  operation: OperationName,
  before: readonly string[],
  io: Io,
): Promise<readonly Completion[]> {
  const noun = operation.slice(0, operation.indexOf('_'))
  if (noun === 'task' || noun === 'thought')
    return withSession(before, io, async (session) => {
      const { items } = await session.call('task_list', { limit: 50 })
      return items.map(({ id, title }) => ({ word: id, about: title }))
    })
  if (noun !== 'handoff' && noun !== 'gate') return []
  const { candidates } = await import('../../session/reference.ts')
  return withSession(before, io, async (session) => {
    const isLook = operation === 'handoff_get' || operation === 'handoff_comment'
    const found = isLook
      ? (await session.call('handoff_list', { limit: 50 })).items
      : await candidates(session, operation, await session.actor())
    return found.slice(0, 50).map(({ id, title }) => ({ word: id, about: title }))
  })
}

async function withSession(
  before: readonly string[],
  io: Io,
  ask: (session: Awaited<ReturnType<Shell['open']>>) => Promise<readonly Completion[]>,
): Promise<readonly Completion[]> {
  const at = before.indexOf('--as')
  const named = at >= 0 && before[at + 1] !== undefined ? ['--as', before[at + 1]!] : []
  const shell = new Shell(io, readArguments([...named, '--quiet'], GLOBAL_FLAGS, 'baton'))
  try {
    return await ask(await shell.open({ write: false }))
  } finally {
    await shell.close()
  }
}
