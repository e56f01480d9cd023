import type { State } from '../../domain/lifecycle.ts'
import { STATES } from '../../domain/lifecycle.ts'
import { PRIORITIES, type Priority } from '../../domain/priority.ts'

/** A closed set of words and what else people write for them. Keys of `synonyms` are lower case. */
export interface Words<T extends string> {
  /** What the set is called in a message, for example `status`. */
  readonly name: string
  readonly words: readonly T[]
  readonly synonyms: Readonly<Record<string, T>>
}

export interface FoundWord<T extends string> {
  readonly word: T
  /** Written as the set has it, letter for letter. */
  readonly exact: boolean
}

/** Finds a word whatever its case and whether spaces, hyphens or underscores join it. */
export function findWord<T extends string>(words: Words<T>, text: string): FoundWord<T> | undefined {
  const exact = words.words.find((word) => word === text)
  if (exact !== undefined) return { word: exact, exact: true }
  const wanted = joined(text)
  const word = words.words.find((candidate) => joined(candidate) === wanted) ?? synonymOf(words, text, wanted)
  return word === undefined ? undefined : { word, exact: false }
}

function synonymOf<T extends string>({ synonyms }: Words<T>, text: string, wanted: string): T | undefined {
  const lower = text.trim().toLowerCase()
  if (Object.hasOwn(synonyms, lower)) return synonyms[lower]
  if (Object.hasOwn(synonyms, wanted)) return synonyms[wanted]
  if (wanted === '') return undefined
  for (const [synonym, word] of Object.entries(synonyms)) if (joined(synonym) === wanted) return word
  return undefined
}

/** Lower case, words joined by one underscore, without the signs that people put before or after a word. */
function joined(text: string): string {
  return text
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}

/** Which state a foreign word means. Where a dialect defines the word, the dialect's table comes first. */
export const STATE_WORDS: Words<State> = {
  name: 'status',
  words: STATES,
  // biome-ignore format: read as a table
  synonyms: {
    created: 'draft', planned: 'draft', backlog: 'draft', proposed: 'draft', brouillon: 'draft', entwurf: 'draft',
    open: 'offered', todo: 'offered', 'to do': 'offered', new: 'offered', queued: 'offered', pending: 'offered',
    ready: 'offered', sent: 'offered', submitted: 'offered', active: 'offered', assigned: 'offered', requested: 'offered',
    'not started': 'offered', offen: 'offered', ouvert: 'offered', abierto: 'offered', pendiente: 'offered',
    'en attente': 'offered', '⏳': 'offered',
    acknowledged: 'accepted', ack: 'accepted', claimed: 'accepted', taken: 'accepted', received: 'accepted',
    'picked up': 'accepted', angenommen: 'accepted', 'accepté': 'accepted', aceptado: 'accepted',
    wip: 'in_progress', doing: 'in_progress', started: 'in_progress', working: 'in_progress', running: 'in_progress',
    ongoing: 'in_progress', processing: 'in_progress', 'work in progress': 'in_progress', implementing: 'in_progress',
    'in arbeit': 'in_progress', 'en cours': 'in_progress', 'en curso': 'in_progress', 'en progreso': 'in_progress',
    stuck: 'blocked', 'on hold': 'blocked', hold: 'blocked', paused: 'blocked', suspended: 'blocked', blockiert: 'blocked',
    'bloqué': 'blocked', bloqueado: 'blocked',
    waiting: 'needs_input', 'waiting for input': 'needs_input', 'needs clarification': 'needs_input',
    'clarification requested': 'needs_input', 'awaiting human': 'needs_input', 'awaiting input': 'needs_input',
    'input required': 'needs_input', question: 'needs_input', partial: 'needs_input',
    review: 'in_review', reviewing: 'in_review', 'needs review': 'in_review', 'ready for review': 'in_review',
    'under review': 'in_review', 'pending review': 'in_review', 'awaiting review': 'in_review', verifying: 'in_review',
    retry: 'retry_wait', retrying: 'retry_wait',
    complete: 'completed', done: 'completed', finished: 'completed', closed: 'completed', ok: 'completed',
    resolved: 'completed', success: 'completed', successful: 'completed', succeeded: 'completed', passed: 'completed',
    approved: 'completed', verified: 'completed', merged: 'completed', delivered: 'completed', shipped: 'completed',
    processed: 'completed', '✅': 'completed', erledigt: 'completed', fertig: 'completed', abgeschlossen: 'completed',
    'terminé': 'completed', fini: 'completed', fait: 'completed', hecho: 'completed', completado: 'completed',
    terminado: 'completed',
    error: 'failed', fail: 'failed', failure: 'failed', crashed: 'failed', broken: 'failed', '❌': 'failed',
    fehlgeschlagen: 'failed', 'échoué': 'failed', fallido: 'failed',
    declined: 'rejected', refused: 'rejected', denied: 'rejected', 'not accepted': 'rejected', abgelehnt: 'rejected',
    'refusé': 'rejected', 'rejeté': 'rejected', rechazado: 'rejected',
    timeout: 'expired', 'timed out': 'expired', overdue: 'expired', stale: 'expired', abgelaufen: 'expired', 'expiré': 'expired',
    canceled: 'cancelled', aborted: 'cancelled', abandoned: 'cancelled', dropped: 'cancelled', withdrawn: 'cancelled',
    deprecated: 'cancelled', superseded: 'cancelled', obsolete: 'cancelled', "won't do": 'cancelled', wontfix: 'cancelled',
    skipped: 'cancelled', abgebrochen: 'cancelled', 'annulé': 'cancelled', cancelado: 'cancelled',
  },
}

/** The state that a word for it means: the dialect's own word, or anybody's. */
export function stateOfWord<T extends string>(
  states: Readonly<Record<T, State>>,
  word: string,
): State | undefined {
  const words = Object.keys(states) as T[]
  const own = findWord({ name: 'status', words, synonyms: {} }, word)
  return own ? states[own.word] : findWord(STATE_WORDS, word)?.word
}

export const PRIORITY_WORDS: Words<Priority> = {
  name: 'priority',
  words: PRIORITIES,
  // biome-ignore format: read as a table
  synonyms: {
    urgent: 'critical', p0: 'critical', blocker: 'critical', blocking: 'critical', highest: 'critical', emergency: 'critical',
    immediate: 'critical', asap: 'critical', crit: 'critical', sev0: 'critical', '🔴': 'critical', kritisch: 'critical',
    critique: 'critical', dringend: 'critical', 'crítica': 'critical',
    p1: 'high', major: 'high', important: 'high', hi: 'high', elevated: 'high', sev1: 'high', '🟠': 'high', hoch: 'high',
    haute: 'high', alta: 'high',
    p2: 'normal', medium: 'normal', med: 'normal', moderate: 'normal', default: 'normal', standard: 'normal', regular: 'normal',
    mid: 'normal', '🟡': 'normal', mittel: 'normal', moyenne: 'normal', normale: 'normal', media: 'normal',
    p3: 'low', p4: 'low', minor: 'low', trivial: 'low', lowest: 'low', 'nice to have': 'low', optional: 'low', '🟢': 'low',
    niedrig: 'low', basse: 'low', faible: 'low', baja: 'low',
  },
}
