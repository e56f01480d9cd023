import { setTimeout as pause } from 'node:timers/promises'
import type { StoreLimits } from '../pools.ts'
import { type Trip, tripOn } from './connection/ask.ts'
import { type Connections, prepareConnections } from './connection/connect.ts'
import { call } from './connection/round-trip.ts'

/** How far the primary is: every commit that was acknowledged before stands at or below this place of its WAL. */
const PLACE = call({
  name: 'wal_place',
  text: `SELECT system_identifier, left(pg_walfile_name(lsn), 8), lsn
    FROM pg_control_system(), pg_current_wal_flush_lsn() AS lsn`,
})
/** The same server, on the same timeline: after a failover another one may stand at the same place. */
const REACHED = {
  name: 'wal_reached',
  text: `SELECT pg_is_in_recovery() AND system_identifier = $1::bigint
      AND lpad(upper(to_hex(timeline_id)), 8, '0') = $2, pg_last_wal_replay_lsn() >= $3::pg_lsn
    FROM pg_control_system(), pg_control_checkpoint()`,
}
/** How long a read waits for a replica that is behind, and for one that does not answer. */
const BEHIND_MS = 100
const LOOK_MS = 5
const ANSWER_MS = 1_000
/** A replica that failed is left alone for so long. */
const REST_MS = 5_000

/**
 * A standby that answers lists and searches. It is asked only where it has all that the primary had when the read
 * began: a caller sees its own writes, through whichever server it made them. Otherwise the primary answers.
 */
export class Replica {
  /** Reads by the one that answered: the replica, or the primary because the replica was away or behind. */
  readonly reads = { replica: 0, away: 0, behind: 0 }
  readonly #connections: Connections
  readonly #primary: Trip
  #restsUntil = 0

  private constructor(connections: Connections, primary: Connections) {
    this.#connections = connections
    this.#primary = tripOn(primary, 'reads')
  }

  static async at(url: string, limits: StoreLimits, primary: Connections): Promise<Replica> {
    const options = { url, limits, readOnly: true, connectMs: ANSWER_MS, isReplica: true }
    return new Replica(await prepareConnections(options), primary)
  }

  /** The reads of `primary`, asked here first. */
  before(primary: Trip, use: 'reads' | 'slow reads'): Trip {
    const trip = tripOn(this.#connections, use)
    return async (calls, signal) => {
      let by = await this.#state()
      if (by === 'replica')
        try {
          const rows = await trip(calls, signal)
          this.reads.replica += 1
          return rows
        } catch (error) {
          if (signal?.aborted) throw error
          this.#rest()
          by = 'away'
        }
      this.reads[by] += 1
      return primary(calls, signal)
    }
  }

  async close(): Promise<void> {
    await Promise.race([this.#connections.end(), pause(ANSWER_MS)])
  }

  async #state(): Promise<keyof Replica['reads']> {
    if (performance.now() < this.#restsUntil) return 'away'
    // A hosted database may not tell; it answers the read itself then.
    const [[place = []] = []] = await this.#primary([PLACE]).catch(() => [])
    const asked = this.#reached(place).catch(() => undefined)
    const state = await Promise.race([asked, pause(ANSWER_MS, undefined, { ref: false })])
    if (state === undefined) this.#rest()
    return state ?? 'away'
  }

  async #reached(place: readonly (string | null)[]): Promise<'replica' | 'behind' | undefined> {
    const trip = tripOn(this.#connections, 'reads')
    for (const until = performance.now() + BEHIND_MS; ; await pause(LOOK_MS)) {
      const [[[isSame, isReached] = []] = []] = await trip([call(REACHED, ...place)])
      if (isSame !== 't') return undefined
      if (isReached === 't') return 'replica'
      if (performance.now() > until) return 'behind'
    }
  }

  #rest(): void {
    this.#restsUntil = performance.now() + REST_MS
  }
}
