import { call, type Rows } from './round-trip.ts'

/** Milliseconds of the server's clock, read when the statement runs and not when its transaction began. */
export const SERVER_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** The server's clock: what it said last, and the time that has passed since. The time of day here has no part in it. */
export class ServerClock {
  static readonly ASK = call({ name: 'clock', text: `SELECT ${SERVER_MS}` })
  #said = 0
  #heard = Number.NEGATIVE_INFINITY

  hear([row]: Rows): void {
    this.#said = Number(row?.[0])
    this.#heard = performance.now()
  }

  now(): Date {
    return new Date(this.#said + performance.now() - this.#heard)
  }
}
