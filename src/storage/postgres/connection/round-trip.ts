import type { ClientBase, Connection, Submittable } from 'pg'
import { Messages, type Value } from './messages.ts'

export type { Value } from './messages.ts'

/** A statement; with a name it is prepared once for each connection. */
export interface Statement {
  readonly name?: string
  readonly text: string
}

export interface Call {
  readonly statement: Statement
  readonly values: readonly Value[]
}

/** Every value as the text that the database sends. */
export type Rows = readonly (readonly (string | null)[])[]

/** An answer that never comes (a lost machine, a cut cable) must not hold the caller for ever. */
const ANSWER_WITHIN_MS = 45_000

export const call = (statement: Statement, ...values: Value[]): Call => ({ statement, values })

/** Thrown when a round trip failed: how many of its calls were answered, whether any was sent, and why it ended. */
export class RoundTripFailed extends Error {
  override readonly name = 'RoundTripFailed'
  readonly answered: number
  readonly sent: boolean
  constructor(answered: number, cause: unknown, { sent = true } = {}) {
    super('a round trip to PostgreSQL failed', { cause })
    this.answered = answered
    this.sent = sent
  }
}

/**
 * Sends all calls in one message and answers when all were answered. There is one synchronisation point, at the
 * end: after a call that fails the server skips the rest, so a `COMMIT` behind a failed write is never run.
 */
export async function roundTrip(client: ClientBase, calls: readonly Call[]): Promise<readonly Rows[]> {
  if (!failed.delete(client) && arePlansStale(client))
    await client.query('DISCARD PLANS').catch((error: unknown) => {
      throw new RoundTripFailed(0, error, { sent: false })
    })
  return new Promise((resolve, reject) => {
    for (const { statement } of calls) refuseSecondText(statement)
    const fail = (error: RoundTripFailed) => {
      failed.add(client)
      reject(error)
    }
    client.query(new RoundTrip(calls, resolve, fail))
  })
}

/** Connections whose last round trip failed: a transaction that has failed takes nothing but its end. */
const failed = new WeakSet<ClientBase>()

const texts = new Map<string, string>()

/** A name is prepared once; a second statement under it would run the text of the first. */
function refuseSecondText({ name, text }: Statement): void {
  if (name === undefined) return
  const first = texts.get(name)
  if (first === undefined) texts.set(name, text)
  else if (first !== text) throw new Error(`two statements are called ${name}`)
}

const trips = new WeakMap<ClientBase, number>()

/**
 * Plans are kept, and one that was made over small tables takes any index for as good as the right one. So they are
 * made anew while a workspace grows: at 8 round trips of a connection, at four times as many, and so on, then every 4,096.
 */
function arePlansStale(client: ClientBase): boolean {
  const trip = (trips.get(client) ?? 0) + 1
  trips.set(client, trip)
  return trip < 4_096 ? trip >= 8 && Number.isInteger(Math.log2(trip / 8) / 2) : trip % 4_096 === 0
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

  /** All of it is written before a byte is sent: a value that cannot be must not leave half a message behind. */
  submit(connection: Connection): Error | undefined {
    const { stream } = connection
    this.#known = prepared.get(connection) ?? new Map()
    prepared.set(connection, this.#known)
    try {
      for (const { statement, values } of this.#calls) {
        this.#prepare(statement)
        messages.bind(statement.name ?? '', values, arrayTypesOf(statement))
        messages.execute()
      }
      messages.sync()
    } catch (error) {
      messages.clear()
      return error as Error
    }
    this.#timer = setTimeout(
      () => stream.destroy(new Error('the server did not answer in time')),
      ANSWER_WITHIN_MS,
    )
    stream.write(messages.take())
    return undefined
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
    // Without a timer it was never submitted: `pg` knew that the connection was dead.
    const sent = this.#timer !== undefined
    this.#reject(new RoundTripFailed(this.#answers.length, error, { sent }))
  }

  #prepare({ name, text }: Statement): void {
    if (name !== undefined) {
      const known = this.#known.get(name)
      if (known === 'ready') return
      if (known === 'unsure') messages.closeStatement(name)
      this.#known.set(name, 'unsure')
    }
    messages.parse(name ?? '', text)
  }
}

/** Written and taken without a turn of the event loop in between. */
const messages = new Messages()

const arrayTypes = new Map<string, readonly (string | undefined)[]>()

/** The element types of a statement's array parameters, by position: they are all written `$1::type[]`. */
function arrayTypesOf({ text }: Statement): readonly (string | undefined)[] {
  let types = arrayTypes.get(text)
  if (!types) {
    const found: (string | undefined)[] = []
    for (const [, place, type] of text.matchAll(/\$(\d+)::(\w+)\[\]/g)) found[Number(place) - 1] = type
    types = found
    arrayTypes.set(text, types)
  }
  return types
}
