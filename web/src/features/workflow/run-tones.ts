import type { RunState, StepState } from '../../../../src/domain/workflow/run.ts'
import type { Tone } from '../../ui/words.ts'

export const RUN_TONES: Readonly<Record<RunState, Tone>> = {
  running: 'busy',
  waiting: 'wait',
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
}

export const STEP_TONES: Readonly<Record<StepState, Tone>> = {
  waiting: 'plain',
  active: 'busy',
  gate: 'good',
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
}
