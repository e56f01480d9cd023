import { present } from '../../domain/present.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { type Data, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import type { Source } from '../text/source.ts'
import { isMapping } from '../text/tree.ts'
import { findWord, STATE_WORDS } from '../text/words.ts'

/** What one agent of a board has in hand. */
export interface BoardEntry {
  readonly agent: string
  readonly draft: Draft
  readonly diagnostics: readonly PlacedProblem[]
}

/** Keys by which an entry is known. */
const ENTRY_KEYS = ['status', 'current_task', 'brief_note', 'details_link', 'handoff_file']
/** Words that say that an agent has nothing in hand. */
const IDLE = ['idle', 'available', 'free', 'ready', 'none', 'standby']

/** One file that says what every agent has in hand: an index, not a handoff. */
export function isBoard(value: unknown): boolean {
  const agents = own(value, 'agents')
  return isMapping(agents) && Object.values(agents).some(isEntry) && !Array.isArray(own(value, 'handoffs'))
}

const isEntry = (value: unknown): boolean =>
  isMapping(value) && ENTRY_KEYS.some((key) => Object.hasOwn(value, key))

export function boardProblems(source: Source): readonly PlacedProblem[] {
  const entries = boardEntries(source)
  const busy = entries.filter(({ draft }) => draft.state !== undefined)
  const message = `this is a status board of ${entries.length} agents (${busy.length} with work), not one handoff; read its entries one by one`
  const board: PlacedProblem = {
    severity: 'info',
    code: 'status_board',
    message,
    ...source.locate(['agents'], 'key'),
  }
  return [board, ...entries.flatMap(({ diagnostics }) => diagnostics)]
}

/** A draft for each agent: the agent is who has the work. Idle agents have a draft without a state. */
export function boardEntries(source: Source): readonly BoardEntry[] {
  const root = fieldsOf(source)
  const agents = root?.below('agents')
  const found = own(source.value, 'agents')
  if (!root || !agents || !isMapping(found)) return []
  const project = root.text('project')
  const updated = root.time('last_updated', 'updated_at')
  return Object.keys(found)
    .filter((agent) => isEntry(own(found, agent)))
    .flatMap((agent): BoardEntry[] => {
      const before = root.diagnostics.length
      const fields = agents.below(agent)
      if (!fields) return []
      const draft = {
        ...boardEntry(fields, agent),
        ...(project && { project }),
        ...(updated && { updated_at: updated }),
      }
      return [{ agent, draft, diagnostics: root.diagnostics.slice(before) }]
    })
}

function boardEntry(fields: Fields, agent: string): Draft {
  const task = fields.value('current_task') === null ? undefined : fields.text('current_task')
  const note = fields.text('brief_note', 'note')
  const links = ['handoff_file', 'details_link'].flatMap((key) => {
    const path = fields.value(key) === null ? undefined : fields.text(key)
    return path === undefined || path.length > 1_000 ? [] : [{ path }]
  })
  const state = boardState(fields)
  const pack: Data = { ...(note && { summary: note }), ...(links.length > 0 && { artifacts: links }) }
  return {
    to: agent.replace(/^@/, '').slice(0, 200),
    ...present({ state }),
    ...(task && { task: task.slice(0, 200) }),
    ...(Object.keys(pack).length > 0 && { package: pack }),
  }
}

function boardState(fields: Fields): Draft['state'] {
  const written = fields.text('status')
  if (written === undefined || IDLE.includes(written.toLowerCase())) return undefined
  const found = findWord(STATE_WORDS, written)
  if (!found)
    fields.report(
      'warning',
      'unknown_status',
      `status "${written}" is not a known status; write idle, in_progress, blocked or completed`,
      'status',
    )
  return found?.word
}
