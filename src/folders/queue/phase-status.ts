import { sameData } from '../../dialects/difference.ts'
import { printContext, withPhase } from '../../dialects/queue/context-files.ts'
import { sourcesOf } from '../../dialects/text/sources.ts'
import { isMapping, valueAt } from '../../dialects/text/tree.ts'
import type { Handoff } from '../../domain/handoff.ts'
import type { About, Extra } from '../folder.ts'
import { statusFor } from './spoken.ts'

export const PHASE_STATUS = 'context/phase-status.json'
/** More phases than the document has. */
const ENDED_LOOKED_AT = 500
const DAY_MS = 86_400_000

interface Facts {
  readonly phase?: number
  readonly status: string
  readonly handoff_id: string
  readonly updated_at: string
}

/** What a handoff says of the phase that it is for. */
export function facts(handoff: Handoff, text: string): Facts {
  const [source] = sourcesOf(text, { path: 'handoff.json' })
  const phase = valueAt(source?.value, ['target', 'phase'])
  return {
    ...(typeof phase === 'number' && { phase }),
    status: statusFor(handoff),
    handoff_id: handoff.aliases?.queue ?? handoff.id,
    updated_at: handoff.updated_at,
  }
}

/** `context/phase-status.json`: of each phase the handoff that moved last. Keys of others stay (A1-27). */
export function extras({ files, now, read }: About): readonly Extra[] {
  const text = read(PHASE_STATUS)
  const value = text === undefined || text.trim() === '' ? {} : valueIn(text)
  const about = { path: PHASE_STATUS, keeps: true }
  if (!value) {
    const problem = 'it is no JSON object; mend it or take it away, and it is written again'
    return [{ ...about, text: '', same: () => false, problem }]
  }
  const since = new Date(Date.parse(now) - DAY_MS).toISOString()
  const newest = new Map<number, Facts>()
  for (const row of files({ since, limit: ENDED_LOOKED_AT })) {
    const { phase, ...said } = row.facts as Facts
    const other = phase === undefined ? undefined : newest.get(phase)
    if (phase !== undefined && (!other || other.updated_at <= said.updated_at)) newest.set(phase, said)
  }
  let made = value
  for (const [phase, { status, handoff_id, updated_at }] of [...newest].sort(([a], [b]) => a - b))
    made = withPhase(made, phase, { status: status as 'pending', handoff_id, updated_at })
  const next = made
  return [{ ...about, text: printContext(next), same: (other) => sameData(valueIn(other), next) }]
}

function valueIn(text: string): Record<string, unknown> | undefined {
  const [source] = sourcesOf(text, { path: PHASE_STATUS })
  return isMapping(source?.value) && !source.diagnostics.some(({ severity }) => severity === 'error')
    ? source.value
    : undefined
}
