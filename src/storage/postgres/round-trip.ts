import type { Duplex } from 'node:stream'
import type { ClientBase, Connection, Submittable } from 'pg'

/** A statement; with a name it is prepared once for each connection. */
export interface Statement {
  readonly name?: string
  readonly text: string
}

/** Values are bound, never written into the text. An array becomes an array of the database. */
export type Value = string | number | null | Uint8Array | readonly (string | number | null | Uint8Array)[]

export interface Call {
  readonly statement: Statement
  readonly values: readonly Value[]
}

/** Every value as the text that the database sends. */
export type Rows = readonly (readonly (string | null)[])[]

/** An answer that never comes (a lost machine, a cut cable) must not hold the caller for ever. */
const ANSWER_WITHIN_MS = 45_000

export const call = (statement: Statement, ...values: Value[]): Call => ({ statement, values })

/** Thrown when a round trip failed: how many of its calls had been answered, and why it ended. */
export class RoundTripFailed extends Error {
  override readonly name = 'RoundTripFailed'
  readonly answered: number
  constructor(answered: number, cause: unknown) {
    super('a round trip to PostgreSQL failed', { cause })
    this.answered = answered
  }
}

/**
 * Sends all calls in one message and answers when all were answered. There is one synchronisation point, at the
 * end: after a call that fails the server skips the rest, so a `COMMIT` behind a failed write is never run.
 */
export function roundTrip(client: ClientBase, calls: readonly Call[]): Promise<readonly Rows[]> {
  return new Promise((resolve, reject) => {
    client.query(new RoundTrip(calls, resolve, reject))
  })
}

/** What `pg` hands to a query object; its own queries and its cursors are written with the same calls. */
interface Wire {
  readonly stream: Duplex
  parse(message: { name: string; text: string; types: readonly number[] }): void
  bind(message: {
    portal: string
    statement: string
    values: readonly Value[]
    binary: boolean
    valueMapper: (value: Value) => unknown
  }): void
  execute(message: { portal: string; rows: number }): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}

/** Which statements a connection has. After a failure it is not known whether the last one was taken. */
const prepared = new WeakMap<Connection, Map<string, 'ready' | 'unsure'>>()

class RoundTrip implements Submittable {
  readonly #calls: readonly Call[]
  readonly #resolve: (rows: readonly Rows[]) => void
  readonly #reject: (error: RoundTripFailed) => void
  readonly #answers: (string | null)[][][] = []
  #rows: (string | null)[][] = []
  #known = new Map<string, 'ready' | 'unsure'>()
  #timer: NodeJS.Timeout | undefined

  constructor(
    calls: readonly Call[],
    resolve: (rows: readonly Rows[]) => void,
    reject: (error: RoundTripFailed) => void,
  ) {
    this.#calls = calls
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: Connection): void {
    // The published types describe an older signature of these calls.
    const wire = connection as unknown as Wire
    this.#known = prepared.get(connection) ?? new Map()
    prepared.set(connection, this.#known)
    this.#timer = setTimeout(
      () => wire.stream.destroy(new Error('the server did not answer in time')),
      ANSWER_WITHIN_MS,
    )
    // One write to the socket instead of one for each message.
    wire.stream.cork()
    try {
      for (const { statement, values } of this.#calls) {
        this.#prepare(wire, statement)
        wire.bind({
          portal: '',
          statement: statement.name ?? '',
          values,
          binary: false,
          valueMapper: toWire,
        })
        wire.execute({ portal: '', rows: 0 })
      }
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    this.#rows.push(message.fields)
  }

  handleCommandComplete(): void {
    const name = this.#calls[this.#answers.length]?.statement.name
    if (name !== undefined) this.#known.set(name, 'ready')
    this.#answers.push(this.#rows)
    this.#rows = []
  }

  handleReadyForQuery(): void {
    clearTimeout(this.#timer)
    this.#resolve(this.#answers)
  }

  handleError(error: unknown): void {
    clearTimeout(this.#timer)
    this.#reject(new RoundTripFailed(this.#answers.length, error))
  }

  #prepare(wire: Wire, { name, text }: Statement): void {
    if (name !== undefined) {
      const known = this.#known.get(name)
      if (known === 'ready') return
      if (known === 'unsure') wire.close({ type: 'S', name })
      this.#known.set(name, 'unsure')
    }
    wire.parse({ name: name ?? '', text, types: [] })
  }
}

function toWire(value: Value): unknown {
  if (value === null || typeof value === 'string') return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return typeof value === 'number' ? String(value) : `{${value.map(element).join(',')}}`
}

function element(value: string | number | null | Uint8Array): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`
  return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}"`
}
