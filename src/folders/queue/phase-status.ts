import { own } from '../../dialects/difference.ts'
import { withPhase } from '../../dialects/queue/context-files.ts'
import { DAY_MS } from '../../dialects/text/time.ts'
import type { About, Extra } from '../folder.ts'
import type { Facts } from './facts.ts'
import { objectFile, objectIn } from './object-file.ts'

export const PHASE_STATUS = 'context/phase-status.json'
/** More phases than the document has. */
const ENDED_LOOKED_AT = 500

/** `context/phase-status.json`: of each phase the handoff that moved last. Keys of others stay (A1-27). */
export function phaseStatus({ files, now, read }: About): Extra {
  const value = objectIn(read(PHASE_STATUS), PHASE_STATUS)
  if (!value) return objectFile(PHASE_STATUS, value)
  const since = new Date(Date.parse(now) - DAY_MS).toISOString()
  const newest = new Map<number, Omit<Facts, 'phase'>>()
  const looked = new Set<unknown>()
  for (const row of files({ since, limit: ENDED_LOOKED_AT })) {
    const { phase, ...said } = row.facts as Facts
    looked.add(said.handoff_id)
    const other = phase === undefined ? undefined : newest.get(phase)
    if (phase !== undefined && (!other || other.updated_at <= said.updated_at)) newest.set(phase, said)
  }
  let made = value
  for (const [phase, { status, handoff_id, updated_at }] of [...newest].sort(([a], [b]) => a - b)) {
    const there = own(own(value, 'phases'), String(phase))
    const at = own(there, 'updated_at')
    // It ended too long ago to be looked at, and has moved last all the same.
    const isNewer = typeof at === 'string' && at > updated_at && at <= now
    if (isNewer && !looked.has(own(there, 'handoff_id'))) continue
    made = withPhase(made, phase, { status: status as 'pending', handoff_id, updated_at })
  }
  return objectFile(PHASE_STATUS, made)
}
