import type { State } from '../../../src/domain/lifecycle.ts'

export type Tone = 'good' | 'busy' | 'wait' | 'bad' | 'plain'

/** How a state is said and what it means for whoever looks: going well, at work, waiting, or in trouble. */
export const TONES: Readonly<Record<State, Tone>> = {
  draft: 'plain',
  offered: 'wait',
  accepted: 'busy',
  in_progress: 'busy',
  blocked: 'bad',
  needs_input: 'wait',
  in_review: 'wait',
  retry_wait: 'wait',
  completed: 'good',
  failed: 'bad',
  rejected: 'bad',
  expired: 'bad',
  cancelled: 'plain',
}

export const spoken = (word: string): string => word.replaceAll('_', ' ')
