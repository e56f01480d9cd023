import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Notification } from 'pg'
import { type Changed, Listeners } from '../../listeners.ts'
import type { Connections } from './connect.ts'
import { call, roundTrip } from './round-trip.ts'

/** Nothing is lost with it, so nobody waits until it is on disk. */
const NOTIFY = {
  name: 'notify',
  text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
}
/** A burst of commits wakes the others once in this time; the first of it at once. */
const NOTIFY_EVERY_MS = 15
const LONGEST_PAUSE_MS = 10_000
/** The server takes less than 8,000 bytes. */
const LONGEST_PAYLOAD = 7_900

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
  #sending: Promise<void> | undefined
  /** Changes of which the others were not told yet; without names, anything may have changed. */
  #untold: Partial<Changed> | undefined
  #hurry = new AbortController()

  constructor(connections: Connections, ws: number) {
    super()
    this.#connections = connections
    this.#channel = `baton_${ws}`
  }

  send(changed?: Changed): void {
    this.wake(changed)
    const names = this.#untold && !this.#untold.names ? undefined : changed?.names
    const { names: told = [], retries = [] } = this.#untold ?? {}
    this.#untold = names
      ? { names: new Set([...told, ...names]), retries: new Set([...retries, ...(changed?.retries ?? [])]) }
      : {}
    this.#sending ??= this.#notify()
  }

  /** Resolves when a store that closes has told the others of its last commit, within a second. */
  async sent(): Promise<void> {
    this.#hurry.abort()
    await Promise.race([this.#sending, pause(1_000, undefined, { ref: false })])
  }

  async #notify(): Promise<void> {
    while (this.#untold) {
      const { names, retries } = this.#untold
      const payload = names ? [this.#self, [...(retries ?? [])].join(' '), ...names].join('\n') : this.#self
      this.#untold = undefined
      const fits = Buffer.byteLength(payload) <= LONGEST_PAYLOAD
      try {
        const client = await this.#connections.connect('signals')
        await roundTrip(client, [call(NOTIFY, this.#channel, fits ? payload : this.#self)]).then(
          () => client.release(),
          () => client.release(true),
        )
      } catch {
        // The commit stands; whoever waits looks again within a second.
      }
      await pause(NOTIFY_EVERY_MS, undefined, { signal: this.#hurry.signal }).catch(() => undefined)
    }
    this.#sending = undefined
  }

  protected override watch(): void {
    this.#listening?.ref()
    if (this.#listening || this.#reconnect) return
    const client = this.#connections.alone()
    this.#listening = client
    client.on('notification', ({ payload = '' }: Notification) => {
      const [from, retries, ...names] = payload.split('\n')
      if (from === this.#self) return
      const instants = new Set(retries?.split(' ').filter(Boolean))
      this.wake(retries === undefined ? undefined : { names: new Set(names), retries: instants })
    })
    client.on('end', () => this.#lost(client))
    client
      .connect()
      .then(() => client.query(`LISTEN ${this.#channel}`))
      .then(() => {
        this.#failures = 0
        // Nobody was told of a commit between a waiter's first look and this moment.
        this.wake()
      })
      .catch(() => this.#lost(client))
  }

  protected override linger(): void {
    this.#listening?.unref()
  }

  #lost(client: ReturnType<Connections['alone']>): void {
    if (this.#listening !== client) return
    this.#listening = undefined
    void client.end().catch(() => undefined)
    const pauseMs = Math.min(100 * 2 ** this.#failures++, LONGEST_PAUSE_MS)
    this.#reconnect = setTimeout(
      () => {
        this.#reconnect = undefined
        this.watch()
      },
      pauseMs * (0.5 + Math.random() / 2),
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
