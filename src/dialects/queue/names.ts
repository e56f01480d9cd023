import { retryAvailable } from '../../domain/handoffs/retry.ts'
import { STATES, type State } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import { STATE_WORDS, type Words } from '../text/words.ts'

export const STATUSES = ['pending', 'in_progress', 'completed', 'failed'] as const
export type QueueStatus = (typeof STATUSES)[number]

export const FORMS = ['request', 'response', 'failure', 'artifact', 'context', 'board'] as const
export type QueueForm = (typeof FORMS)[number]
/** The forms that are one handoff. */
export type HandoffForm = 'request' | 'response' | 'failure'

/** The document's words, and the states that only foreign words name. */
export type StatusWord = QueueStatus | Exclude<State, 'offered'>

/** What else people write for a status; a word for a state that the document does not have keeps its meaning. */
export const STATUS_WORDS: Words<StatusWord> = {
  name: 'status',
  words: STATUSES,
  synonyms: Object.fromEntries(
    [...STATES.map((state) => [state, state] as const), ...Object.entries(STATE_WORDS.synonyms)].map(
      ([word, state]) => [word, state === 'offered' ? 'pending' : state],
    ),
  ),
}

export const queueState = (word: StatusWord): State => (word === 'pending' ? 'offered' : word)

/** REQUIREMENTS 7.3. Several states share a word; which one it was travels in the slot. */
// biome-ignore format: read as a table
export const STATUS_OF: Readonly<Record<State, QueueStatus>> = {
  draft:       'pending',
  offered:     'pending',
  accepted:    'pending',
  in_progress: 'in_progress',
  blocked:     'in_progress',
  needs_input: 'in_progress',
  in_review:   'in_progress',
  retry_wait:  'failed',
  completed:   'completed',
  failed:      'failed',
  rejected:    'failed',
  expired:     'failed',
  cancelled:   'failed',
}

// biome-ignore format: read as a table
export const FORM_OF: Readonly<Record<QueueStatus, HandoffForm>> = {
  pending:     'request',
  in_progress: 'request',
  completed:   'response',
  failed:      'failure',
}

/** The status has an underscore, its folder a hyphen. */
// biome-ignore format: read as a table
export const FOLDER_OF: Readonly<Record<QueueStatus, string>> = {
  pending:     'pending',
  in_progress: 'in-progress',
  completed:   'completed',
  failed:      'failed',
}

const FOLDERS: ReadonlyMap<string, QueueStatus> = new Map([
  ...STATUSES.map((status) => [FOLDER_OF[status], status] as const),
  ['in_progress', 'in_progress'],
  ['inprogress', 'in_progress'],
])

/** `x.json.processed`: readers that rename a file where the document moves it. */
const SUFFIXES: ReadonlyMap<string, QueueStatus> = new Map([
  ['processed', 'completed'],
  ['completed', 'completed'],
  ['done', 'completed'],
  ['failed', 'failed'],
  ['error', 'failed'],
  ['processing', 'in_progress'],
  ['in-progress', 'in_progress'],
])

export const CONTEXT_FILES = ['project-context.json', 'tech-stack.json', 'phase-status.json'] as const

export interface QueuePlace {
  /** What the folder says about the state. */
  readonly status?: QueueStatus
  /** What a suffix behind `.json` says about it; it was put there after the file had its folder. */
  readonly mark?: QueueStatus
  /** The part of the name before `.json`: the id, by the document. */
  readonly stem?: string
  readonly kind?: 'handoff' | 'artifact' | 'context'
}

/** What a path says by itself. Backslashes count as separators. */
export function queuePlace(path: string | undefined): QueuePlace {
  if (path === undefined) return {}
  const parts = path.replaceAll('\\', '/').split('/')
  const name = parts.at(-1) ?? ''
  const [folder, above] = [parts.at(-2), parts.at(-3)].map((part) => part?.trim().toLowerCase() ?? '')
  const end = name.toLowerCase().lastIndexOf('.json')
  if (end <= 0) return {}
  const stem = name.slice(0, end)
  const isContext = folder === 'context' || parts.length === 1
  if (isContext && (CONTEXT_FILES as readonly string[]).includes(name)) return { stem, kind: 'context' }
  if (/^phase-\d/.test(folder ?? '') && above === 'artifacts') return { stem, kind: 'artifact' }
  const mark = SUFFIXES.get(name.slice(end + '.json.'.length).toLowerCase())
  const status = /handoffs?$/.test(above ?? '') ? FOLDERS.get(folder ?? '') : undefined
  if (status === undefined && mark === undefined) return { stem }
  return { stem, kind: 'handoff', ...present({ status, mark }) }
}

/** The two forms that the document shows, and every other name that is safe as a file's. */
export const HANDOFF_ID = /^hoff-[A-Za-z0-9][A-Za-z0-9._-]*$/
export const isHandoffId = (id: string): boolean => HANDOFF_ID.test(id) && id.length <= 200

/** `hoff-001-1705147200000`. */
export const handoffId = (number: number, epochMs: number): string =>
  `hoff-${String(number).padStart(3, '0')}-${epochMs}`

/** An id or a name that stays one entry of the folder it is put in. */
export const isSafeName = (name: string): boolean => /^[A-Za-z0-9@_][A-Za-z0-9@._-]{0,199}$/.test(name)

/** A path below the project's root: no `..`, no root, no drive, no control character. */
export function isSafePath(path: string): boolean {
  if (path === '' || /^[/\\~]|^[A-Za-z]:|\p{Cc}/u.test(path)) return false
  return !path.split(/[/\\]/).includes('..')
}

/** `handoffs/pending/hoff-001-1705147200000.json`; undefined where the id cannot be a file's name. */
export function handoffFile(id: string, status: QueueStatus): string | undefined {
  return isSafeName(id) ? `handoffs/${FOLDER_OF[status]}/${id}.json` : undefined
}

/** `artifact-react-comp-1705147532000`. */
export const artifactId = (type: string, epochMs: number): string => `artifact-${type}-${epochMs}`

/** `artifacts/phase-13-react/artifact-react-comp-1705147532000.json`. */
export const artifactFile = (phase: number, name: string, id: string): string =>
  `artifacts/phase-${String(phase).padStart(2, '0')}-${name}/${id}.json`

/** The name of a file without its folder and without `.json`. */
export function stemOf(path: string): string {
  const name = path.replaceAll('\\', '/').split('/').at(-1) ?? ''
  return name.toLowerCase().endsWith('.json') ? name.slice(0, -'.json'.length) : name
}

/** Fills `{timestamp}` in a destination when the artifact is written. */
export const fillDestination = (destination: string, epochMs: number): string =>
  destination.replaceAll('{timestamp}', String(epochMs))

/** `react-specialist.input.schema.json`, for `@react-specialist` or `react-specialist`. */
export const schemaName = (target: string, side: 'input' | 'output'): string =>
  `${target.replace(/^@/, '')}.${side}.schema.json`

/** Phases of document 001 by the agent's type. */
export const PHASES_OF = { orchestrator: { from: 6, to: 12 }, specialist: { from: 13, to: 16 } } as const

/** The spellings of an agent's place, the document's first. */
export const SIDES = {
  source: ['source', 'from', 'from_agent', 'source_agent', 'sender', 'author'],
  target: ['target', 'to', 'to_agent', 'target_agent', 'receiver', 'recipient', 'assigned_to', 'assignee'],
} as const

/** Document 001: what a request without `timeout_seconds` has. */
export const DEFAULT_TIMEOUT_S = 300
const DEFAULT_MAX_RETRIES = 3

/** A count that has reached the maximum leaves nothing to retry, whatever the file says. */
export const retryIsLeft = (count: number, max = DEFAULT_MAX_RETRIES): boolean =>
  retryAvailable({ max, delay_s: 0, multiplier: 1 }, count)
