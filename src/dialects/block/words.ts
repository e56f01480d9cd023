import { PHASES, type Phase, type Status } from '../../domain/blocks/phases.ts'
import type { State } from '../../domain/lifecycle.ts'
import { findWord, stateOfWord, type Words } from '../text/words.ts'

/** What each word of the document means for the sender's own work. */
// biome-ignore format: read as a table
export const STATE_OF: Readonly<Record<Status, State>> = {
  pending:     'offered',
  in_progress: 'in_progress',
  complete:    'completed',
  failed:      'failed',
  blocked:     'blocked',
  retry:       'retry_wait',
}

/** The document's word for each state. Where several states share one, the word reads back as another state. */
// biome-ignore format: read as a table
export const STATUS_OF: Readonly<Record<State, Status>> = {
  draft:       'pending',
  offered:     'pending',
  accepted:    'pending',
  in_progress: 'in_progress',
  blocked:     'blocked',
  needs_input: 'blocked',
  in_review:   'in_progress',
  retry_wait:  'retry',
  completed:   'complete',
  failed:      'failed',
  rejected:    'failed',
  expired:     'failed',
  cancelled:   'failed',
}

/** The document's phases, and what agents call them. */
const PHASE_WORDS: Words<Phase> = {
  name: 'phase',
  words: PHASES,
  // biome-ignore format: read as a table
  synonyms: {
    discovery: 'Research', analysis: 'Research', investigation: 'Research',
    plan: 'Planning', design: 'Planning', architecture: 'Planning',
    infra: 'Infrastructure', setup: 'Infrastructure', environment: 'Infrastructure',
    implement: 'Implementation', development: 'Implementation', 'theme development': 'Implementation',
    'module development': 'Implementation', coding: 'Implementation', build: 'Implementation',
    test: 'Testing', tests: 'Testing', verification: 'Testing',
    integrate: 'Integration',
    quality: 'QA', 'quality assurance': 'QA', validation: 'QA', review: 'QA', 'security compliance': 'QA',
    completed: 'Complete', completion: 'Complete', done: 'Complete', finished: 'Complete',
  },
}

/** The state that a word for it means, also where it is not the document's word. */
export const stateFor = (word: string): State | undefined => stateOfWord(STATE_OF, word)

export const phaseFor = (word: string): Phase | undefined => findWord(PHASE_WORDS, word)?.word
