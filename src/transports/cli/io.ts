import type { Readable } from 'node:stream'
import type { Environment } from '../../config/config.ts'
import type { Running } from '../../workspace/process-tree.ts'

/** A stream that a command writes to, such as process.stdout or process.stderr. */
export interface Output {
  readonly isTTY?: boolean | undefined
  write(text: string): unknown
}

/** The world of one command. Nothing in this folder reaches for `process` but the entry. */
export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: Readable
  /** The same a piece at a time, waited for in place; undefined at its end. Absent where somebody types. */
  readonly pull?: () => Uint8Array | undefined
  /** Somebody sits there: a question can be asked and answered. */
  readonly isTerminal: boolean
  /** Why it is in doubt that a person calls; asked where only a person may decide. */
  readonly doubt?: (isTerminal?: boolean) => Promise<string | undefined>
  /** The processes above this one, nearest first: a session of an agent is known by the process of its program. */
  readonly above?: () => Promise<readonly Running[]>
  readonly columns: number
  readonly env: Environment
  readonly cwd: string
  /**
   * Says that the command waits or follows: from now on Ctrl-C raises the signal instead of ending the process, and a
   * reader that is behind holds nothing up. To be called before anybody is told that it waits. A second Ctrl-C ends
   * the process, unless `onAgain` wants to hear of it; then the third does.
   */
  readonly lasting: (onAgain?: () => void) => AbortSignal
  /** Ctrl-C was pressed while it waited or followed. */
  readonly isInterrupted: boolean
  /** Waits for a slow reader of standard output; for what writes without end. */
  readonly drained?: () => Promise<void>
  /** Says that the process is to end with the command, whatever it still waits for. */
  readonly leave?: () => void
}
