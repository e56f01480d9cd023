import type { Draft } from '../../dialects/draft.ts'
import { updateState } from '../../dialects/package/files/state-file.ts'
import { sourcesOf } from '../../dialects/text/sources.ts'
import { DAY_MS } from '../../dialects/text/time.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { About, Extra } from '../folder.ts'

export const STATE_FILE = 'state/current.json'
/** What ended longer ago stands in the file already. */
const ENDED_LOOKED_AT = 1_000

type Facts = Pick<Draft, 'id' | 'created_at' | 'from' | 'to' | 'state' | 'type'>

/** What the state file says of a handoff. */
export const facts = ({ aliases, id, created_at, from, to, state, type }: Handoff): Facts => ({
  id: aliases?.package ?? id,
  created_at,
  from,
  to,
  state,
  type,
})

/**
 * `state/current.json`: every handoff of the project with its status. Keys and entries of others stay; a file that
 * cannot be read is left alone. A lost one is made again from the archive.
 */
export function extras({ files, now, read }: About): readonly Extra[] {
  const there = read(STATE_FILE)
  const isNew = there === undefined || there.trim() === ''
  const since = isNew ? '' : new Date(Date.parse(now) - DAY_MS).toISOString()
  const rows = [...files({ since, limit: isNew ? Number.MAX_SAFE_INTEGER : ENDED_LOOKED_AT })]
  const handoffs = rows
    .filter(({ kept }) => kept !== 'absent')
    .map((row) => row.facts as Facts)
    .toSorted((a, b) => (String(a.created_at) < String(b.created_at) ? -1 : 1))
  const [source] = isNew ? [] : sourcesOf(there, { path: STATE_FILE })
  const updated = updateState(source, handoffs)
  const about = { path: STATE_FILE, keeps: true }
  if (updated.ok) return [{ ...about, text: updated.text, same: (other) => other === updated.text }]
  const [first] = updated.diagnostics
  const why = first ? `line ${first.line}: ${first.message}` : 'it is not a state file'
  const problem = `${why}. Baton does not write to it until it is corrected. Or delete it and run: baton folders sync`
  return [{ ...about, text: '', same: () => false, problem }]
}
