import { randomUUID } from 'node:crypto'
import type { Notification } from 'pg'
import { Listeners } from '../../listeners.ts'
import type { Connections } from './connect.ts'
import { call, roundTrip } from './round-trip.ts'

/** Nothing is lost with it, so nobody waits until it is on disk. */
const NOTIFY = {
  name: 'notify',
  text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
}
/** A burst of commits wakes the others once in this time; the first of it at once. */
const NOTIFY_EVERY_MS = 6
const LONGEST_PAUSE_MS = 10_000

/**
 * Tells other processes that something was committed. After the commit and apart from it: a notification inside
 * a transaction takes a lock that all transactions of the server share. A hint only: readers look for themselves.
 */
export class Signals extends Listeners {
  readonly #connections: Connections
  readonly #channel: string
  /** Sent along, so that a process is not woken by itself a second time. */
  readonly #self = randomUUID()
  #listening: ReturnType<Connections['alone']> | undefined
  #reconnect: NodeJS.Timeout | undefined
  #failures = 0
  #sending = false
  #again = false

  constructor(connections: Connections, ws: number) {
    super()
    this.#connections = connections
    this.#channel = `baton_${ws}`
  }

  send(): void {
    this.wake()
    this.#again = true
    if (!this.#sending) void this.#notify()
  }

  async #notify(): Promise<void> {
    this.#sending = true
    while (this.#again && !this.isClosed) {
      this.#again = false
      try {
        const client = await this.#connections.connect()
        await roundTrip(client, [call(NOTIFY, this.#channel, this.#self)]).then(
          () => client.release(),
          () => client.release(true),
        )
      } catch {
        // The commit stands; whoever waits looks again within a second.
      }
      await new Promise((resolve) => setTimeout(resolve, NOTIFY_EVERY_MS).unref())
    }
    this.#sending = false
  }

  protected override watch(): void {
    if (this.#listening || this.#reconnect) return
    const client = this.#connections.alone()
    this.#listening = client
    client.on('notification', ({ payload }: Notification) => {
      if (payload !== this.#self) this.wake()
    })
    client.on('end', () => this.#lost(client))
    client
      .connect()
      .then(() => client.query(`LISTEN ${this.#channel}`))
      .then(() => {
        // Commits made while the connection was down were not heard.
        if (this.#failures > 0) this.wake()
        this.#failures = 0
      })
      .catch(() => this.#lost(client))
  }

  #lost(client: ReturnType<Connections['alone']>): void {
    if (this.#listening !== client) return
    this.#listening = undefined
    void client.end().catch(() => undefined)
    const pause = Math.min(100 * 2 ** this.#failures++, LONGEST_PAUSE_MS)
    this.#reconnect = setTimeout(
      () => {
        this.#reconnect = undefined
        this.watch()
      },
      pause * (0.5 + Math.random() / 2),
    ).unref()
  }

  protected override unwatch(): void {
    clearTimeout(this.#reconnect)
    this.#reconnect = undefined
    this.#failures = 0
    const client = this.#listening
    this.#listening = undefined
    void client?.end().catch(() => undefined)
  }
}
