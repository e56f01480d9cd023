import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import type { StoreLimits } from '../pools.ts'
import type { Rows } from '../queries.ts'
import { SlowReads, STORE_LIMITS } from '../slow-reads.ts'
import { toBatonError } from './errors.ts'
import { Statements } from './statements.ts'

const ROLE = 'baton: read slowly'
const READ_LOCK_MS = 5_000

interface ReadWork {
  readonly role: typeof ROLE
  readonly path: string
}
type ReadAnswer = { readonly rows: Rows } | { readonly message: string }
export type Question = readonly [sql: string, ...values: SQLInputValue[]]

/** Slow reads in a thread with a connection of its own, one at a time: a long one must not stop the process. */
export class ThreadReads extends SlowReads {
  readonly #path: string
  #worker: Worker | undefined

  constructor(path: string, limits: Partial<StoreLimits> | undefined) {
    super({ ...STORE_LIMITS, ...limits, slowReaders: 1 })
    this.#path = path
  }

  ask(question: Question): Promise<Rows> {
    return this.run(() => this.#answer(question))
  }

  /** SQLite cannot be interrupted from here: one that has begun goes on, and holds its place. */
  #answer(question: Question): Promise<Rows> {
    const work: ReadWork = { role: ROLE, path: this.#path }
    this.#worker ??= new Worker(new URL(import.meta.url), { workerData: work })
    const worker = this.#worker
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        this.#worker = undefined
        reject(toBatonError(error, this.#path))
      }
      worker.once('error', fail)
      worker.once('message', (answer: ReadAnswer) => {
        worker.off('error', fail)
        worker.unref()
        if ('rows' in answer) resolve(answer.rows)
        else reject(toBatonError(Object.assign(new Error(answer.message), answer), this.#path))
      })
      worker.ref()
      worker.postMessage(question)
    })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }
}

if (parentPort && (workerData as Partial<ReadWork> | null)?.role === ROLE) {
  const port = parentPort
  const db = new DatabaseSync((workerData as ReadWork).path, { readOnly: true, timeout: READ_LOCK_MS })
  const statements = new Statements(db)
  port.on('message', (question: Question) => {
    try {
      port.postMessage({ rows: statements.rows(...question) })
    } catch (error) {
      // Only the text of an error comes through whole.
      const { message, code, errcode } = error as Error & { code: string; errcode: number }
      port.postMessage({ message, code, errcode })
    }
  })
}
