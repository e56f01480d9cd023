import type { Arguments, Flag } from './input/args.ts'
import type { Shell } from './shell.ts'

/** One thing to type. Operations become commands by `operationCommand`; the others are written by hand. */
export interface Command {
  /** As typed after `baton`: `send`, `store backup`. */
  readonly name: string
  readonly summary: string
  /** Positional arguments, in order; optional ones in brackets. */
  readonly words?: readonly string[]
  /** More words than these are the command's own affair. */
  readonly takesMore?: true
  /** Its own options, beside those of every command. */
  readonly flags?: readonly Flag[]
  /** Options of every command that this one does not take. */
  readonly lacks?: readonly string[]
  readonly examples: readonly string[]
  /** Answers the exit code, 0 when it answers nothing. */
  run(shell: Shell, args: Arguments): Promise<number | undefined>
}
