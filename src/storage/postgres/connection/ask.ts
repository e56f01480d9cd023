import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { type Connections, sessionOf, type Use, withClient } from './connect.ts'
import { isEnded } from './errors.ts'
import { type Call, call, type Rows, roundTrip, type Value } from './round-trip.ts'

const LOOK_MS = 20
const SET_PLANNER = {
  text: 'SELECT count(set_config(name, value, true)) FROM unnest($1::text[], $2::text[]) AS s (name, value)',
}

/** Reads in one round trip; each call sees what was committed before it began. */
export type Trip = (calls: readonly Call[], signal?: AbortSignal) => Promise<readonly Rows[]>

/** Runs one statement on the workspace (`$1`); a name prepares it. */
export type Ask = (name: string | undefined, text: string, ...values: Value[]) => Promise<Rows>

export const tripOn =
  (connections: Connections, use: Use): Trip =>
  async (calls, signal) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await withClient(connections, use, (client) => {
          const trip = () => roundTrip(client, calls)
          return signal ? untilStopped(connections, client, signal, trip) : trip()
        })
      } catch (error) {
        // After a restart of the server every pooled connection is dead; a question may be asked again.
        if (attempt > connections.size || !isEnded(error)) throw error
      }
    }
  }

/** Settings of the planner for one statement, until the end of its round trip. */
export const planned =
  (trip: Trip, settings: Readonly<Record<string, 'on' | 'off'>>): Trip =>
  async (calls, signal) => {
    const [names, values] = [Object.keys(settings), Object.values(settings)]
    const [, ...rows] = await trip([call(SET_PLANNER, names, values), ...calls], signal)
    return rows
  }

/** The server is told to stop when the signal ends. The connection is not used again: its next statement may be stopped. */
async function untilStopped<T>(
  connections: Connections,
  client: ClientBase,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const pid = Number.parseInt(sessionOf(client) ?? '', 10)
  let stopped: Promise<unknown> | undefined
  const stop = () => {
    stopped = withClient(connections, 'writes', (other) =>
      other.query('SELECT pg_cancel_backend($1)', [pid]),
    ).catch(() => undefined)
  }
  signal.addEventListener('abort', stop)
  try {
    return await work()
  } finally {
    signal.removeEventListener('abort', stop)
    await stopped
    signal.throwIfAborted()
  }
}

/** Runs `work` while no other session does so under the same key. Who waits keeps no connection: it may be closed. */
export async function inTurn(
  connections: Connections,
  key: number,
  work: () => Promise<void>,
): Promise<void> {
  let isBegun = false
  const runIfMine = async (client: ClientBase): Promise<unknown> => {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [key])
    if (!rows[0].mine) return false
    isBegun = true
    await work()
    return client.query('SELECT pg_advisory_unlock($1)', [key])
  }
  for (let failed = 0; ; await pause(LOOK_MS))
    try {
      if (await withClient(connections, 'slow reads', runIfMine)) return
    } catch (error) {
      failed += 1
      if (isBegun || failed > connections.size || !isEnded(error)) throw error
    }
}

export const askWith =
  (trip: Trip, ws: number): Ask =>
  async (name, text, ...values) => {
    // PostgreSQL refuses a NUL in a text instead of finding it nowhere, where it is.
    if (text.startsWith('SELECT') && values.some(hasNul)) return []
    const [rows] = await trip([
      call(name === undefined ? { text } : { name: `ask_${name}`, text }, ws, ...values),
    ])
    return rows ?? []
  }

const hasNul = (value: Value): boolean => typeof value === 'string' && value.includes('\0')
