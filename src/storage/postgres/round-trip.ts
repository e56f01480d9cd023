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
    // Encoded before a byte is sent: a value that cannot be must not leave half a message behind.
    const encoded = calls.map(({ statement, values }) => {
      refuseSecondText(statement)
      const types = arrayTypesOf(statement)
      return { statement, values: values.map((value, i) => toWire(value, types[i])) }
    })
    const fail = (error: RoundTripFailed) => {
      failed.add(client)
      reject(error)
    }
    client.query(new RoundTrip(encoded, resolve, fail))
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
 * made anew while a workspace grows: whenever the round trips of a connection have doubled, from 8 on, then every 4,096.
 */
function arePlansStale(client: ClientBase): boolean {
  const trip = (trips.get(client) ?? 0) + 1
  trips.set(client, trip)
  return trip < 4_096 ? trip >= 8 && (trip & (trip - 1)) === 0 : trip % 4_096 === 0
}

/** What `pg` hands to a query object; its own queries and its cursors are written with the same calls. */
interface Wire {
  readonly stream: Duplex
  parse(message: { name: string; text: string; types: readonly number[] }): void
  bind(message: { portal: string; statement: string; values: readonly Encoded[]; binary: boolean }): void
  execute(message: { portal: string; rows: number }): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}

type Encoded = string | Buffer | null

interface EncodedCall {
  readonly statement: Statement
  readonly values: readonly Encoded[]
}

/** Which statements a connection has. After a failure it is not known whether the last one was taken. */
const prepared = new WeakMap<Connection, Map<string, 'ready' | 'unsure'>>()

class RoundTrip implements Submittable {
  readonly #calls: readonly EncodedCall[]
  readonly #resolve: (rows: readonly Rows[]) => void
  readonly #reject: (error: RoundTripFailed) => void
  readonly #answers: (string | null)[][][] = []
  #rows: (string | null)[][] = []
  #known = new Map<string, 'ready' | 'unsure'>()
  #timer: NodeJS.Timeout | undefined

  constructor(
    calls: readonly EncodedCall[],
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
        wire.bind({ portal: '', statement: statement.name ?? '', values, binary: false })
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
    // Without a timer it was never submitted: `pg` knew that the connection was dead.
    const sent = this.#timer !== undefined
    this.#reject(new RoundTripFailed(this.#answers.length, error, { sent }))
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

/** What an array of the database begins with: its element type, and how an element is written. */
const ARRAYS: Readonly<Record<string, { readonly oid: number; readonly size?: number }>> = {
  text: { oid: 25 },
  bytea: { oid: 17 },
  integer: { oid: 23, size: 4 },
  bigint: { oid: 20, size: 8 },
}

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

type Element = string | number | null | Uint8Array

function toWire(value: Value, type: string | undefined): Encoded {
  if (value === null || typeof value === 'string') return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return typeof value === 'number' ? String(value) : toArray(value, type)
}

/** In the binary form: nothing needs escaping here, nor reading letter by letter there. */
function toArray(elements: readonly Element[], type = 'text'): Buffer {
  const known = ARRAYS[type]
  if (!known) throw new Error(`arrays of ${type} cannot be sent`)
  const { oid, size } = known
  let length = 20 + 4 * elements.length
  let hasNull = false
  for (const element of elements) {
    if (element === null) hasNull = true
    else
      length +=
        size ?? (typeof element === 'object' ? element.byteLength : Buffer.byteLength(String(element)))
  }
  const array = Buffer.allocUnsafe(length)
  array.writeInt32BE(elements.length === 0 ? 0 : 1, 0)
  array.writeInt32BE(hasNull ? 1 : 0, 4)
  array.writeInt32BE(oid, 8)
  if (elements.length === 0) return array.subarray(0, 12)
  array.writeInt32BE(elements.length, 12)
  array.writeInt32BE(1, 16)
  let at = 20
  for (const element of elements) at = writeElement(array, at, element, size)
  return array
}

function writeElement(array: Buffer, at: number, element: Element, size: number | undefined): number {
  const start = at + 4
  let written: number
  if (element === null) written = -1
  else if (size === 4) written = array.writeInt32BE(Number(element), start) - start
  else if (size === 8) written = array.writeBigInt64BE(BigInt(element as number), start) - start
  else if (typeof element === 'object')
    written = Buffer.from(element.buffer, element.byteOffset, element.byteLength).copy(array, start)
  else written = array.write(String(element), start)
  array.writeInt32BE(written, at)
  return start + Math.max(written, 0)
}
