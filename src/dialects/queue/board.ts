import { type PlacedProblem, placedProblem } from '../../domain/problem.ts'
import { isData, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import type { Source } from '../text/source.ts'
import { findWord, STATE_WORDS } from '../text/words.ts'

/** Keys by which an entry is known. */
const ENTRY_KEYS = ['status', 'current_task', 'brief_note', 'details_link', 'handoff_file']
/** Words that say that an agent has nothing in hand. */
const IDLE = ['idle', 'available', 'free', 'ready', 'none', 'standby']

/** One file that says what every agent has in hand: an index, not a handoff. */
export function isBoard(value: unknown): boolean {
  const agents = own(value, 'agents')
  return isData(agents) && Object.values(agents).some(isEntry) && !Array.isArray(own(value, 'handoffs'))
}

const isEntry = (value: unknown): boolean =>
  isData(value) && ENTRY_KEYS.some((key) => Object.hasOwn(value, key))

/** Says that this is a board, and which of its statuses nobody knows. */
export function boardProblems(source: Source): readonly PlacedProblem[] {
  const root = fieldsOf(source)
  const agents = root?.below('agents')
  const found = own(source.value, 'agents')
  const names = isData(found) ? Object.keys(found).filter((name) => isEntry(own(found, name))) : []
  const states = names.map((name) => {
    const fields = agents?.below(name)
    return fields && boardState(fields)
  })
  const busy = states.filter((state) => state !== undefined).length
  const message = `this is a status board of ${names.length} agents (${busy} with work), not one handoff; read its entries one by one`
  const board = placedProblem('info', 'status_board', message, source.locate(['agents'], 'key'))
  return [board, ...(root?.diagnostics ?? [])]
}

function boardState(fields: Fields): Draft['state'] {
  const written = fields.text('status')
  if (written === undefined || IDLE.includes(written.toLowerCase())) return undefined
  const found = findWord(STATE_WORDS, written)
  const message = `status "${written}" is not a known status; write idle, in_progress, blocked or completed`
  if (!found) fields.report('warning', 'unknown_status', message, 'status')
  return found?.word
}
