import { isOpen } from '../../domain/lifecycle.ts'
import type { Writes } from '../loaded.ts'
import { type Call, call } from './connection/round-trip.ts'
import { IN_WORKSPACE } from './tables.ts'

const END = {
  name: 'end_parties',
  text: `DELETE FROM baton.party AS r USING (
      SELECT $1::integer AS ws, unnest($2::text[]) AS agent, unnest($3::text[]) AS side, unnest($4::text[]) AS uid) AS k
    WHERE ${IN_WORKSPACE} AND r.agent = k.agent AND r.side = k.side AND r.uid = k.uid`,
}
const BEGIN = {
  name: 'begin_parties',
  text: `INSERT INTO baton.party (ws, agent, side, uid)
    SELECT $1::integer, unnest($2::text[]), unnest($3::text[]), unnest($4::text[])
    WHERE current_setting('baton.parties', true) = 'kept'`,
}

/** Agents, sides and handoffs, row by row. */
type Parties = readonly [string[], string[], string[]]

/**
 * Changes to the open handoffs of each agent. Sessions of the store say that it writes them (`baton.parties`):
 * otherwise the database does it first, as it does for older programs, and there is nothing left to do here.
 */
export function flushParties(ws: number, { handoffs, oldHandoffs }: Writes): readonly Call[] {
  const ended: Parties = [[], [], []]
  const begun: Parties = [[], [], []]
  for (const [uid, { from, to, state }] of handoffs) {
    const old = oldHandoffs.get(uid)
    const [wasOpen, isNowOpen] = [old !== undefined && isOpen(old.state), isOpen(state)]
    if (wasOpen !== isNowOpen) add(wasOpen ? ended : begun, from, 'from', uid)
    if (wasOpen === isNowOpen && old?.to === to) continue
    if (old && wasOpen) add(ended, old.to, 'to', uid)
    if (isNowOpen) add(begun, to, 'to', uid)
  }
  return [[END, ended] as const, [BEGIN, begun] as const].flatMap(([statement, parties]) =>
    parties[0].length > 0 ? [call(statement, ws, ...parties)] : [],
  )
}

function add([agents, sides, uids]: Parties, agent: string, side: 'from' | 'to', uid: string): void {
  agents.push(agent)
  sides.push(side)
  uids.push(uid)
}
