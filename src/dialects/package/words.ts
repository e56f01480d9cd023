import { STATES, type State } from '../../domain/lifecycle.ts'
import { GATE_TYPES, type GateType } from '../../domain/people/gate.ts'
import { STATE_WORDS, type Words } from '../text/words.ts'

// biome-ignore format: read as a table
export const STATUSES = [
  'pending', 'acknowledged', 'in_progress', 'clarification_requested', 'awaiting_human', 'completed',
  'rejected', 'failed', 'cancelled',
] as const
export type PackageStatus = (typeof STATUSES)[number]

export const STATE_OF: Readonly<Record<PackageStatus, State>> = {
  pending: 'offered',
  acknowledged: 'accepted',
  in_progress: 'in_progress',
  clarification_requested: 'needs_input',
  awaiting_human: 'needs_input',
  completed: 'completed',
  rejected: 'rejected',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** The nearest word for a state. What `STATE_OF` does not lead back from is a loss. */
const STATUS_OF: Readonly<Record<State, PackageStatus>> = {
  draft: 'pending',
  offered: 'pending',
  accepted: 'acknowledged',
  in_progress: 'in_progress',
  blocked: 'in_progress',
  needs_input: 'clarification_requested',
  in_review: 'in_progress',
  retry_wait: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  rejected: 'rejected',
  expired: 'failed',
  cancelled: 'cancelled',
}

export const statusOf = (state: State, forPerson: boolean): PackageStatus =>
  state === 'needs_input' && forPerson ? 'awaiting_human' : STATUS_OF[state]

/**
 * What may stand as a status. Words of the document come first; for others the engine's state is taken, also where
 * the document has no word of its own for it.
 */
export const Statuses: Words<PackageStatus | State> = {
  name: 'status',
  words: STATUSES,
  synonyms: {
    ...STATE_WORDS.synonyms,
    ...Object.fromEntries(STATES.map((state) => [state, state])),
    complété: 'completed',
    abandonné: 'cancelled',
    'request clarification': 'clarification_requested',
    'awaiting approval': 'awaiting_human',
  },
}

export const stateOf = (word: PackageStatus | State): State =>
  word in STATE_OF ? STATE_OF[word as PackageStatus] : (word as State)

export const ARTIFACT_TYPES = ['spec', 'code', 'doc', 'config'] as const
export const ArtifactTypes: Words<(typeof ARTIFACT_TYPES)[number]> = {
  name: 'artifact_type',
  words: ARTIFACT_TYPES,
  // biome-ignore format: read as a table
  synonyms: {
    specs: 'spec', specification: 'spec', spécification: 'spec', source: 'code', docs: 'doc', document: 'doc',
    documentation: 'doc', configuration: 'config',
  },
}

export const QUESTION_PRIORITIES = ['high', 'medium', 'low'] as const
export const QuestionPriorities: Words<(typeof QUESTION_PRIORITIES)[number]> = {
  name: 'question_priority',
  words: QUESTION_PRIORITIES,
  // biome-ignore format: read as a table
  synonyms: {
    haute: 'high', élevée: 'high', normal: 'medium', med: 'medium', moyenne: 'medium', basse: 'low',
    faible: 'low',
  },
}

export const GateTypes: Words<GateType> = {
  name: 'gate_type',
  words: GATE_TYPES,
  // biome-ignore format: read as a table
  synonyms: {
    block: 'blocking', bloquant: 'blocking', bloquante: 'blocking', informative: 'advisory',
    informational: 'advisory', informatif: 'advisory', consultative: 'advisory', 'non-blocking': 'advisory',
    'non bloquante': 'advisory', automatic: 'auto', automatique: 'auto',
  },
}

export const DECISIONS = ['approve', 'reject', 'question'] as const
export type Decision = (typeof DECISIONS)[number]

/** Only inflections and labels: a bare "ok" or "yes" must not open a gate. */
export const Decisions: Words<Decision> = {
  name: 'decision',
  words: DECISIONS,
  // biome-ignore format: read as a table
  synonyms: {
    approved: 'approve', 'continue with next step': 'approve', approuver: 'approve', approuvé: 'approve',
    approuvée: 'approve', valider: 'approve', validé: 'approve', validée: 'approve',
    "continuer avec l'étape suivante": 'approve', rejected: 'reject', 'adjustments required': 'reject',
    rejeter: 'reject', rejeté: 'reject', rejetée: 'reject', refuser: 'reject', refusé: 'reject',
    refusée: 'reject', 'ajustements requis': 'reject', 'ajustements demandés': 'reject', questions: 'question',
    'clarification needed': 'question', 'clarification nécessaire': 'question',
  },
}

export const UNDERSTOOD = ['yes', 'partial', 'no'] as const
export const Understood: Words<(typeof UNDERSTOOD)[number]> = {
  name: 'understood',
  words: UNDERSTOOD,
  // biome-ignore format: read as a table
  synonyms: {
    true: 'yes', full: 'yes', fully: 'yes', complete: 'yes', oui: 'yes', partially: 'partial',
    partiel: 'partial', partielle: 'partial', partiellement: 'partial', false: 'no', none: 'no', non: 'no',
  },
}

// biome-ignore format: read as a table
export const TYPE_SYNONYMS = {
  workflow: 'sequential', séquentiel: 'sequential', delegate: 'delegation', délégation: 'delegation',
  escalate: 'escalation', escalade: 'escalation', retour: 'return', handback: 'return',
} as const
