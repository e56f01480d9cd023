import type { Context, OpenContextOptions } from '../../compose/open.ts'
import { invalidInput } from '../../domain/errors.ts'
import { present } from '../../domain/present.ts'
import { withContext } from './hint.ts'
import type { Arguments } from './input/args.ts'
import { isOn, textOf } from './input/args.ts'
import type { Io } from './io.ts'
import { safeJson } from './screen/plain-text.ts'
import { type Cell, Screen } from './screen/screen.ts'
import type { Live } from './session/live.ts'
import type { Session } from './session/session.ts'

/** Thrown where a question was left with Ctrl-C. */
export class Interrupted extends Error {}

export interface SessionOptions
  extends Pick<OpenContextOptions, 'write' | 'upgrade' | 'existing' | 'explicit'> {
  /** The command needs the store itself and not a server's answers. */
  readonly local?: boolean
}

/** One command at work: its options, its way of speaking and its session. */
export class Shell {
  readonly io: Io
  readonly args: Arguments
  readonly as: string | undefined
  readonly store: string | undefined
  readonly isJson: boolean
  readonly screen: Screen
  readonly #errors: Screen
  readonly #isQuiet: boolean
  readonly #after: string[] = []
  #session: Session | undefined
  /** The live folders that the command has brought up to date. */
  live: Live | undefined

  constructor(io: Io, args: Arguments) {
    this.io = io
    this.args = args
    this.as = textOf(args, 'as')
    this.store = textOf(args, 'store')
    this.isJson = isOn(args, 'json')
    this.#isQuiet = isOn(args, 'quiet')
    this.screen = screenFor(io, 'stdout', args.switches.get('color'))
    this.#errors = screenFor(io, 'stderr', args.switches.get('color'))
  }

  /** An answer: the value itself with `--json`, else how it looks. */
  answer(value: unknown, look: () => string): void {
    if (this.isJson) this.print(safeJson(value, this.io.stdout.isTTY ? 2 : undefined))
    else this.print(look())
    for (const text of this.#after.splice(0)) this.say(text)
  }

  print(text: string): void {
    if (text !== '') this.io.stdout.write(`${text}\n`)
  }

  /** Writes a remark that is not the answer. */
  say(text: string): void {
    if (!this.#isQuiet) this.io.stderr.write(`${text}\n`)
  }

  warn(text: string): void {
    this.say(this.#errors.marked(this.#errors.mark, this.hint(text)))
  }

  note(text: string): void {
    this.say(this.#errors.marked(this.#errors.tick, this.hint(text)))
  }

  /** Says after the answer what to type next. */
  next(command: string): void {
    this.#after.push(this.#errors.dim(this.hint(`next: ${command}`)))
  }

  /** The answer is longer than a page. */
  more(cursor: string): void {
    this.#after.push(this.#errors.dim(`more: run it again with --cursor ${cursor}`))
  }

  /** An empty answer: a sentence for people, nothing for programs. */
  nothing(sentence: string): string {
    const text = this.screen.fit(this.hint(sentence))
    if (this.screen.isTerminal) return text
    this.say(text)
    return ''
  }

  /** A page of rows; an empty page is the sentence. */
  list<T>(
    { items, next }: { readonly items: readonly T[]; readonly next?: string | undefined },
    none: string,
    head: readonly string[],
    row: (item: T) => readonly Cell[],
  ): string {
    if (items.length === 0) return this.nothing(none)
    if (next !== undefined) this.more(next)
    return this.screen.table(
      items.map((item) => row(item)),
      head,
    )
  }

  /** A text for the caller: the commands in it repeat the caller's own `--as` and `--store`. */
  hint(text: string): string {
    return withContext(text, this)
  }

  /** The workspace or the server that this call is for. One for each command; `close` ends it. */
  async open(options: SessionOptions): Promise<Session> {
    this.#session ??= await this.#opened(options)
    return this.#session
  }

  /** The store of this machine itself, for a command that a server cannot answer. */
  async openLocal(options: Omit<SessionOptions, 'local'>): Promise<Context> {
    return (await this.open({ ...options, local: true })).context!
  }

  async close(): Promise<void> {
    await this.#session?.close()
  }

  async #opened({ write, local = false, upgrade, existing, explicit }: SessionOptions): Promise<Session> {
    const { env } = this.io
    if (env.url !== undefined && this.store === undefined) {
      if (local)
        throw invalidInput(
          'this command works on a store and not through a server; unset BATON_URL, or name the store with --store',
        )
      const { remoteSession } = await import('./session/remote-session.ts')
      return remoteSession(this.io, this.as)
    }
    const [{ openContext }, { localSession, instanceOf, storePlace }] = await Promise.all([
      import('../../compose/open.ts'),
      import('./session/session.ts'),
    ])
    const { codingAgent, ...plain } = env
    const context = await openContext({
      cwd: this.io.cwd,
      // An explicit command, such as serve, asks for the workspace itself and does not act for an agent.
      environment: explicit || codingAgent === undefined ? plain : env,
      as: this.as,
      isTerminal: this.io.isTerminal,
      write,
      store: this.store,
      upgrade,
      existing,
      explicit,
    })
    for (const warning of context.warnings) this.warn(warning)
    if (context.created) this.note('created workspace .baton/ (SQLite)')
    const instance = await instanceOf(this.io, storePlace(context), () => context.actor)
    const actor = { ...context.actor, ...present({ instance }) }
    return localSession({ ...context, actor }, codingAgent !== undefined)
  }
}

/** Colour where the stream is a terminal, unless the person or the terminal does not want it. */
export function screenFor(io: Io, stream: 'stdout' | 'stderr', wanted?: boolean): Screen {
  const isTerminal = io[stream].isTTY === true
  return new Screen({ isTerminal, colour: wanted ?? (isTerminal && !io.env.noColor), columns: io.columns })
}
