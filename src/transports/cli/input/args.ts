import { BatonError, invalidInput } from '../../../domain/errors.ts'
import { present } from '../../../domain/present.ts'
import { didYouMean } from '../../../domain/texts/nearest.ts'
import type { Command } from '../command.ts'
import { shellQuoted } from '../hint.ts'

/** One option of a command. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string
  /** Other spellings that are understood and not shown. */
  readonly also?: readonly string[]
  readonly repeats?: boolean
  /** `--no-name` says false. */
  readonly negatable?: boolean
  readonly required?: boolean
  readonly about?: string
  /** Stands for the value in help: `<name>`. An option without it is a switch and takes no value. */
  readonly placeholder?: string
  readonly choices?: readonly string[]
  /** The value may be left out; help does not show it then. */
  readonly optional?: true
}

/** `name <placeholder>` as help shows it, or the name of a switch. */
export function flag(spelling: string, about: string, more: Omit<Flag, 'name' | 'about'> = {}): Flag {
  const [name = '', placeholder] = spelling.split(/ <|>/)
  return { name, about, ...present({ placeholder }), ...more }
}

/** An option as it is typed: `-m`, `--title`. */
export const typedOption = (name: string): string => (name.length === 1 ? `-${name}` : `--${name}`)

export interface Arguments {
  readonly words: readonly string[]
  /** By the flag's first name: the texts given, or a switch's state. */
  readonly texts: ReadonlyMap<string, readonly string[]>
  readonly switches: ReadonlyMap<string, boolean>
}

/** The only text of an option, or undefined. */
export const textOf = (args: Arguments, name: string): string | undefined => args.texts.get(name)?.[0]
export const textsOf = (args: Arguments, name: string): readonly string[] => args.texts.get(name) ?? []
export const isOn = (args: Arguments, name: string): boolean => args.switches.get(name) ?? false

/** The same arguments with the caller where every command looks for it. */
export const withCaller = (args: Arguments, agent: string): Arguments => ({
  ...args,
  texts: new Map([...args.texts, ['as', [agent]]]),
})

/** A refusal of the text that was typed for an option. */
export const badOption = (name: string, problem: string): BatonError =>
  new BatonError('invalid_input', `${typedOption(name)} ${problem}`, { option: name })

/** The options of a command that only shows its work until it is told to do it. */
export const CONSENT: readonly Flag[] = [
  flag('yes', 'Do it; without this it only shows what it would do', { also: ['y', 'apply'] }),
  flag('dry-run', 'Only show it, even with --yes'),
]
export const isConsented = (args: Arguments): boolean => isOn(args, 'yes') && !isOn(args, 'dry-run')

export function numberOf(args: Arguments, name: string, least = 0, most?: number): number | undefined {
  const text = textOf(args, name)
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= (most ?? Infinity))
    return Number(text)
  throw badOption(name, `${text} is not a number from ${least}${most === undefined ? '' : ` to ${most}`}`)
}

/** The word of an option that takes one of a few, with dashes or underscores. */
export function choiceOf<T extends string>(args: Arguments, name: string, all: readonly T[]): T | undefined {
  const text = textOf(args, name)
  const chosen = all.find((each) => each.replaceAll('_', '-') === text?.replaceAll('_', '-'))
  if (text === undefined || chosen !== undefined) return chosen
  throw badOption(name, `is one of ${all.join(', ')}`)
}

/** Options that every command takes. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  flag('as <agent>', 'Your name (BATON_AGENT, else the system user)'),
  flag('json', 'The answer as one JSON document'),
  flag('key <text>', 'A repeated call with the same key acts once'),
  flag('store <address>', 'Another store: a file or postgres://…'),
  flag('quiet', 'Answers and errors only, without notes and next: lines', { also: ['q'] }),
  flag('color', 'No colours, also with NO_COLOR', { also: ['colour'], negatable: true }),
  flag('help', 'The page of a command', { also: ['h'] }),
]

/** The options of a command: its own, then those of every command that it takes. */
export const optionsOf = ({ flags = [], lacks = [] }: Pick<Command, 'flags' | 'lacks'>): readonly Flag[] => [
  ...flags,
  ...GLOBAL_FLAGS.filter(({ name }) => !lacks.includes(name)),
]

/** Reads the arguments of one command. Refuses what it does not know, with the option that was probably meant. */
export function readArguments(
  argv: readonly string[],
  flags: readonly Flag[],
  command: string,
  takes: readonly string[] = [],
): Arguments {
  const known = new Map<string, Flag>()
  for (const flag of flags) for (const name of [flag.name, ...(flag.also ?? [])]) known.set(name, flag)
  const words: string[] = []
  const texts = new Map<string, string[]>()
  const switches = new Map<string, boolean>()
  const rest = [...argv]
  while (rest.length > 0) {
    const token = rest.shift()!
    if (token === '--') {
      words.push(...rest.splice(0))
    } else if (!/^--?[A-Za-z]/.test(token)) {
      words.push(token)
    } else {
      const { name, value, no } = split(token, known, { command, takes, words, next: rest[0] })
      const flag = known.get(name)!
      if (flag.placeholder === undefined || no) {
        if (value !== undefined) refuse(`${token.split('=')[0]} takes no value`, command, flag.name)
        switches.set(flag.name, !no)
      } else {
        const given = value ?? (isFlag(rest[0], known) ? undefined : rest.shift())
        if (given === undefined && !flag.optional)
          refuse(`${typedOption(name)} needs a value; see: baton ${command} --help`, command, flag.name)
        if (texts.has(flag.name) && !flag.repeats)
          refuse(`${typedOption(flag.name)} was given twice, and one is enough`, command, flag.name)
        if (given === undefined) switches.set(flag.name, true)
        else texts.set(flag.name, [...(texts.get(flag.name) ?? []), given])
      }
    }
  }
  return { words, texts, switches }
}

interface Shape {
  readonly command: string
  /** The positional arguments of the command. */
  readonly takes: readonly string[]
  /** The words before the option, and the one after it. */
  readonly words: readonly string[]
  readonly next: string | undefined
}

function split(token: string, known: ReadonlyMap<string, Flag>, { command, takes, words, next }: Shape) {
  const [dashed, ...after] = token.split('=')
  const value = after.length > 0 ? after.join('=') : undefined
  const name = dashed!.replace(/^--?/, '').replaceAll('_', '-')
  if (known.has(name)) return { name, value, no: false }
  const positive = name.replace(/^no-/, '')
  if (name !== positive && known.get(positive)?.negatable) return { name: positive, value, no: true }
  const isWord = takes.some((word) => word.replace(/[[\]]/g, '').replaceAll('_', '-') === name)
  const meant = isWord
    ? `; write it without: baton ${command} ${takes.map((word, i) => asTyped(word, name, words[i], value ?? next)).join(' ')}`
    : didYouMean(name, known.keys(), (meant) => typedOption(known.get(meant)!.name))
  const help = command === 'baton' ? 'baton help' : `baton ${command} --help`
  return refuse(`${command} has no option ${dashed}${meant || `; see: ${help}`}`, command, name)
}

/** A positional argument as it is to be typed: what stood behind the option or in its place, else its name. */
function asTyped(word: string, option: string, typed: string | undefined, value: string | undefined): string {
  const name = word.replace(/[[\]]/g, '')
  const given = name.replaceAll('_', '-') === option ? value : typed
  if (given !== undefined) return shellQuoted(given)
  return word === name ? `<${word}>` : word
}

/** Whether a token can only be the next option: then a value was forgotten. */
const isFlag = (token: string | undefined, known: ReadonlyMap<string, Flag>): boolean =>
  /^-(?:-|.(?:=|$))/.test(token ?? '') && known.has(token!.replace(/^--?/, '').split('=')[0]!)

function refuse(message: string, command: string, option: string): never {
  throw new BatonError('invalid_input', message, { command, option })
}

/** Words or options are missing; `fields` are what these are called in the input. */
export function incomplete(
  { name, examples }: Pick<Command, 'name' | 'examples'>,
  missing: readonly string[],
  fields: readonly string[] = missing.map((typed) => typed.replaceAll(/^--|[<>]/g, '')),
): BatonError {
  const listed =
    missing.length < 3 ? missing.join(' and ') : `${missing.slice(0, -1).join(', ')} and ${missing.at(-1)}`
  return new BatonError('invalid_input', `${name} needs ${listed}; for example: ${examples[0]}`, {
    command: name,
    missing: fields,
  })
}

export function refuseMoreWords(words: readonly string[], takes: number, command: string): void {
  const extra = words.slice(takes)
  if (extra.length === 0) return
  const isSplit = takes > 0 && words.length > 1 && !extra.some((word) => word.includes(' '))
  const advice = isSplit ? 'put text with spaces in quotes' : `see: baton ${command} --help`
  throw invalidInput(
    `${command} does not take ${extra.map((word) => JSON.stringify(word)).join(' ')}; ${advice}`,
    { command, words: extra },
  )
}

/** A command line as far as it can be read before its command, and with it the other options, is known. */
export interface CommandLine {
  readonly argv: readonly string[]
  /**
   * The words that name a command: the first one or two, with nothing but global options before them, because
   * what another option takes is known only when the command is.
   */
  readonly words: readonly string[]
  readonly as?: string | undefined
  readonly store?: string | undefined
  readonly isJson: boolean
  /** False with `--no-color`. */
  readonly color?: false | undefined
  /** The arguments without the first `count` words of the command. */
  rest(count: number): string[]
}

export function readCommandLine(argv: readonly string[]): CommandLine {
  const at: number[] = []
  for (let i = 0; i < argv.length && at.length < 2; i++) {
    const token = argv[i]!
    if (!token.startsWith('-')) at.push(i)
    else if (globalFlag(token) === undefined) break
    else if (globalFlag(token)?.placeholder !== undefined && !token.includes('=')) i += 1
  }
  const options = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const textAfter = (name: string): string | undefined => {
    const place = options.findIndex((token) => RegExp(`^--?${name}(?:=|$)`).test(token))
    return place === -1 ? undefined : (/=(.*)/s.exec(options[place]!)?.[1] ?? options[place + 1])
  }
  return {
    argv,
    words: at.map((i) => argv[i]!),
    as: textAfter('as'),
    store: textAfter('store'),
    isJson: options.includes('--json'),
    color: options.includes('--no-color') ? false : undefined,
    rest: (count) => argv.filter((_, i) => !at.slice(0, count).includes(i)),
  }
}

const globalFlag = (token: string): Flag | undefined => {
  const name = token.replace(/^--?(no-)?/, '').split('=')[0]!
  return GLOBAL_FLAGS.find((flag) => flag.name === name || flag.also?.includes(name))
}
