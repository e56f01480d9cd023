import { type ChildProcess, spawn } from 'node:child_process'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../../domain/errors.ts'
import type { StoreLimits } from '../pools.ts'
import type { Rows } from '../queries.ts'
import { SlowReads, STORE_LIMITS } from '../slow-reads.ts'
import { toBatonError } from './errors.ts'
import { Statements } from './statements.ts'

/** The first argument of a process that reads; it shows in lists of processes. */
export const ROLE = 'baton: read slowly'
/** This file; in the library its text, which no bundle of the user can lose. */
const MODULE: URL | string = new URL(import.meta.url)
const READ_LOCK_MS = 5_000

type ReadAnswer = { readonly rows: Rows } | { readonly message: string }
export type Question = readonly [sql: string, ...values: SQLInputValue[]]

/** Slow reads in a process of their own, one at a time: a long one must not stop the server. */
export class ProcessReads extends SlowReads {
  readonly #path: string
  #child: ChildProcess | undefined

  constructor(path: string, limits: Partial<StoreLimits> | undefined) {
    super({ ...STORE_LIMITS, ...limits, slowReaders: 1 })
    this.#path = path
  }

  ask(question: Question): Promise<Rows> {
    return this.run((signal) => this.#answer(question, signal))
  }

  /** SQLite cannot be interrupted from here: a read that nobody waits for any more ends with its process. */
  async #answer(question: Question, signal: AbortSignal): Promise<Rows> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadAnswer>()
    const child = this.#started()
    const fail = (error: unknown) => {
      this.close()
      reject(error)
    }
    const stop = () => fail(signal.reason)
    const ended = () => fail(unavailable('the process that searches has ended; repeat the call'))
    child.once('message', resolve).once('error', ended).once('exit', ended)
    signal.addEventListener('abort', stop)
    child.ref()
    child.channel?.ref()
    child.send(question)
    try {
      const answer = await promise
      if ('rows' in answer) return answer.rows
      throw toBatonError(Object.assign(new Error(answer.message), answer), this.#path)
    } finally {
      signal.removeEventListener('abort', stop)
      child.off('message', resolve).off('error', ended).off('exit', ended)
      child.channel?.unref()
      child.unref()
    }
  }

  #started(): ChildProcess {
    if (this.#child?.connected) return this.#child
    const program = typeof MODULE === 'string' ? ['-e', MODULE] : [fileURLToPath(MODULE)]
    const child = spawn(process.execPath, [...program, ROLE, this.#path], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    // One that was killed for memory between two reads must not end the server.
    child.on('error', () => undefined)
    this.#child = child
    return child
  }

  close(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}

const [role, path] = process.argv.slice(-2)
if (role === ROLE && path && process.send) {
  const answer = (given: ReadAnswer) => process.send?.(given)
  const db = new DatabaseSync(path, { readOnly: true, timeout: READ_LOCK_MS })
  const statements = new Statements(db)
  process.on('disconnect', () => process.exit())
  process.on('message', (question: Question) => {
    try {
      answer({ rows: statements.rows(...question) })
    } catch (error) {
      // Only the text of an error comes through whole.
      const { message, code, errcode } = error as Error & { code: string; errcode: number }
      answer({ message, ...{ code, errcode } })
    }
  })
}
