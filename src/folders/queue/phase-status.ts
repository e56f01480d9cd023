import { sameData } from '../../dialects/difference.ts'
import { printContext, withPhase } from '../../dialects/queue/context-files.ts'
import { sourcesOf } from '../../dialects/text/sources.ts'
import { DAY_MS } from '../../dialects/text/time.ts'
import { isMapping } from '../../dialects/text/tree.ts'
import type { About, Extra } from '../folder.ts'
import type { Facts } from './facts.ts'

export const PHASE_STATUS = 'context/phase-status.json'
/** More phases than the document has. */
const ENDED_LOOKED_AT = 500

/** `context/phase-status.json`: of each phase the handoff that moved last. Keys of others stay (A1-27). */
export function phaseStatus({ files, now, read }: About): Extra {
  const text = read(PHASE_STATUS)
  const value = text === undefined || text.trim() === '' ? {} : valueIn(text)
  const about = { path: PHASE_STATUS, keeps: true }
  if (!value) {
    const problem = 'it is not a JSON object; correct it, or delete it and it is written again'
    return { ...about, text: '', same: () => false, problem }
  }
  const since = new Date(Date.parse(now) - DAY_MS).toISOString()
  const newest = new Map<number, Omit<Facts, 'phase'>>()
  for (const row of files({ since, limit: ENDED_LOOKED_AT })) {
    const { phase, ...said } = row.facts as Facts
    const other = phase === undefined ? undefined : newest.get(phase)
    if (phase !== undefined && (!other || other.updated_at <= said.updated_at)) newest.set(phase, said)
  }
  let made = value
  for (const [phase, { status, handoff_id, updated_at }] of [...newest].sort(([a], [b]) => a - b))
    made = withPhase(made, phase, { status: status as 'pending', handoff_id, updated_at })
  const next = made
  return { ...about, text: printContext(next), same: (other) => sameData(valueIn(other), next) }
}

function valueIn(text: string): Record<string, unknown> | undefined {
  const [source] = sourcesOf(text, { path: PHASE_STATUS })
  return isMapping(source?.value) && !source.diagnostics.some(({ severity }) => severity === 'error')
    ? source.value
    : undefined
}
