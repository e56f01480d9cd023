import type { Command, State } from '../lifecycle.ts'
import { inWords } from '../texts/visible.ts'

/** States whose names alone make no sentence. */
const STATES: Readonly<Partial<Record<State, string>>> = {
  draft: 'is still a draft',
  offered: 'has not been accepted yet',
  needs_input: 'is waiting for input',
  retry_wait: 'is waiting to be tried again',
  failed: 'has failed',
}
/** A state as the rest of a sentence that begins with the handoff's id. */
export const stateWords = (state: State): string => STATES[state] ?? `is ${inWords(state)}`

/** The verb that people type for a step, and the refusal where the state does not allow it; `…` is the state. */
type Words = readonly [verb: string, refusal: string]
const ACCEPT: Words = ['accept', '…; only an offered handoff can be accepted']
const DECIDE: Words = ['decide', '…, so there is nothing to decide']
const FAIL: Words = ['fail', '…; only work that is in progress or blocked can fail']
const RETRY: Words = ['retry', '…; only a failed handoff can be retried']
const VERIFY: Words = ['verify', '…, so there is nothing to verify']

// biome-ignore format: read as a table
const STEPS: Readonly<Record<Command, Words>> = {
  accept: ACCEPT, claim: ACCEPT, start: ACCEPT,
  approve: DECIDE, question: DECIDE, decline: DECIDE,
  fail: FAIL, retry_later: FAIL,
  retry: RETRY, retry_in_place: RETRY,
  refuse: VERIFY, complete: VERIFY,
  send:         ['send', 'is not a draft any more, so it cannot be sent'],
  await_person: ['send', '…; only an offered handoff can wait for a person'],
  amend:        ['edit', '…; only a draft, an offer, work in progress or a handoff with an open question can be edited'],
  reassign:     ['reassign', '…; only an offered, accepted, started, blocked or failed handoff can be reassigned'],
  release:      ['release', '…; only work that you have begun can be released'],
  submit:       ['submit', '…; only work that is accepted or in progress can be submitted'],
  cancel:       ['cancel', '…; only an open handoff can be cancelled'],
  reject:       ['reject', '…; only an open handoff that was sent can be rejected'],
  ask:          ['ask about', '…; questions are for work that is offered, accepted or in progress'],
  answer:       ['answer', 'has no open question to answer'],
  block:        ['block', '…; only work in progress can be blocked'],
  unblock:      ['unblock', '…; only blocked work can be unblocked'],
  expire:       ['expire', '…, so it cannot expire'],
  time_out:     ['time out', '…, so it cannot time out'],
}
/** Actions of the log that people ask for with another verb than their step's. */
const ACTS: Readonly<Record<string, Words>> = {
  'handoff.accept_partial': ACCEPT,
  'handoff.submit': STEPS.submit,
  'handoff.complete': ['complete', '…, so there is nothing to complete'],
}

export function stepWords(step: Command, state: State, act = ''): Words {
  const [verb, refusal] = ACTS[act] ?? STEPS[step]
  return [verb, refusal.replace('…', stateWords(state))]
}
