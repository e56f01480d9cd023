import type { State } from '../../../src/domain/lifecycle.ts'
import { inWords } from '../../../src/domain/texts/visible.ts'

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

/** The agent or person that is waited for; `human` is the name under which work goes to any person. */
export const spokenName = (name: string): string => (name === 'human' ? 'a person' : name)

/** Steps of a handoff as they are told afterwards. */
const DONE: Readonly<Record<string, string>> = {
  create: 'drafted',
  send: 'sent',
  accept: 'accepted',
  start: 'started',
  heartbeat: 'at work',
  block: 'blocked',
  unblock: 'unblocked',
  ask: 'asked',
  answer: 'answered',
  await_person: 'waits for a person',
  approve: 'approved',
  choose: 'decided',
  question: 'asked',
  submit: 'submitted',
  verify_pass: 'accepted as done',
  verify_fail: 'changes requested',
  complete: 'completed',
  reject: 'rejected',
  fail: 'failed',
  retry: 'tried again',
  release: 'released',
  reassign: 'reassigned',
  amend: 'changed',
  cancel: 'cancelled',
  expire: 'expired',
  comment: 'commented',
  put: 'stored a file',
  waive: 'waived a check',
  decline: 'rejected',
  resend: 'sent again',
  time_out: 'timed out',
  retry_later: 'failed, tried again later',
  override_cancel: 'cancelled in place of the sender',
  override_reassign: 'reassigned in place of the sender',
}

const STEP_TONES: Readonly<Record<string, Tone>> = {
  ...{
    block: 'bad',
    reject: 'bad',
    fail: 'bad',
    expire: 'bad',
    verify_fail: 'bad',
    decline: 'bad',
    time_out: 'bad',
  },
  ...{ cancel: 'bad', override_cancel: 'bad', retry_later: 'bad' },
  ...{ ask: 'wait', await_person: 'wait', question: 'wait', submit: 'wait', retry: 'wait', reassign: 'wait' },
  ...{ override_reassign: 'wait', verify_pass: 'good', complete: 'good', approve: 'good', choose: 'good' },
}

const stepOf = (act: string): string => act.slice(act.indexOf('.') + 1)

export const told = (act: string): string => DONE[stepOf(act)] ?? inWords(stepOf(act))

export const toneOf = (act: string): Tone => STEP_TONES[stepOf(act)] ?? 'busy'
