import { type Connections, withClient } from './connect.ts'
import { isEnded } from './errors.ts'
import { type Call, call, type Rows, roundTrip, type Value } from './round-trip.ts'

/** Reads in one round trip; each call sees what was committed before it began. */
export type Trip = (calls: readonly Call[]) => Promise<readonly Rows[]>

/** Runs one statement on the workspace (`$1`); a name prepares it. */
export type Ask = (name: string | undefined, text: string, ...values: Value[]) => Promise<Rows>

export const tripOn =
  (connections: Connections): Trip =>
  async (calls) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await withClient(connections, (client) => roundTrip(client, calls))
      } catch (error) {
        // After a restart of the server every pooled connection is dead; a question may be asked again.
        if (attempt > connections.pool.options.max || !isEnded(error)) throw error
      }
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
