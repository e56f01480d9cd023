import { ENGINE } from '../../../domain/actor.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import { HOME_RULES } from '../../../domain/home.ts'
import type { State } from '../../../domain/lifecycle.ts'
import { inWords } from '../../../domain/texts/visible.ts'
import { oneLine } from '../screen/plain-text.ts'
import type { Screen, Style } from '../screen/screen.ts'

export const STATE_STYLES: Readonly<Record<State, Style>> = {
  draft: 'dim',
  offered: 'blue',
  accepted: 'cyan',
  in_progress: 'cyan',
  blocked: 'yellow',
  needs_input: 'yellow',
  in_review: 'magenta',
  retry_wait: 'yellow',
  completed: 'green',
  failed: 'red',
  rejected: 'red',
  expired: 'red',
  cancelled: 'dim',
}

/** The command with which whoever is to move moves a handoff on. */
export const nextMove = (handoff: Handoff): string | undefined => MOVES[handoff.state]?.(handoff)

const handIn = ({ type }: Handoff): string => (type === 'return' ? 'handoff complete' : 'submit')

const MOVES: Readonly<Partial<Record<State, (handoff: Handoff) => string>>> = {
  draft: () => 'send',
  offered: () => 'accept',
  accepted: handIn,
  in_progress: handIn,
  blocked: handIn,
  needs_input: ({ need }) => (need === 'clarification' ? 'answer' : 'decide'),
  in_review: () => 'verify',
}

/** The whole command of that move. Work of document 004 is not begun by somebody who does not say the task again. */
export function moveCommand(handoff: Handoff, id: string): string | undefined {
  const move = nextMove(handoff)
  const { begins } = HOME_RULES[handoff.home]
  const isTold = move === 'accept' && begins === 'understood' && handoff.type !== 'return'
  return move && `baton ${move} ${id}${isTold ? ' --understood "…"' : move === 'answer' ? ' "…"' : ''}`
}

/** The next thing that a handoff waits for, as the end of a sentence. */
export function waitsFor(handoff: Handoff): string {
  const { state, need, waiting_for: who = handoff.to } = handoff
  if (state === 'offered') return 'waiting to be accepted'
  if (state === 'in_review') return `waiting to be verified by ${who}`
  if (state === 'retry_wait') return 'waiting to be tried again'
  if (state !== 'needs_input') return inWords(state)
  return `waiting for ${need === 'clarification' ? 'an answer' : 'a decision'} of ${who}`
}

/** Actions of the log, as people say them; others are shown by their own name. */
const ACTS: Readonly<Record<string, string>> = {
  'handoff.create': 'drafted it',
  'handoff.send': 'sent it',
  'handoff.accept': 'accepted it',
  'handoff.claim': 'took it',
  'handoff.take_over': 'took it over from another session',
  'handoff.start': 'started',
  'handoff.ask': 'asked',
  'handoff.answer': 'answered',
  'handoff.comment': 'commented',
  'handoff.amend': 'edited it',
  'handoff.edit_seen': 'saw the edit',
  'handoff.submit': 'handed in',
  'handoff.verify_pass': 'verified it',
  'handoff.verify_fail': 'gave it back',
  'handoff.waive': 'waived a check',
  'handoff.complete': 'completed it',
  'handoff.reject': 'rejected it',
  'handoff.fail': 'reported a failure',
  'handoff.cancel': 'cancelled it',
  'handoff.override_cancel': 'cancelled it in place of its sender',
  'handoff.override_reassign': 'gave it to another in place of its sender',
  'handoff.expire': 'let it expire',
  'handoff.time_out': 'ended it after a timeout',
  'handoff.retry': 'offered it again',
  'handoff.retry_later': 'failed; it is tried again',
  'handoff.revive': 'came back to it',
  'handoff.accept_partial': 'accepted a part, asked',
  'handoff.release': 'released it',
  'handoff.reassign': 'gave it to another',
  'handoff.heartbeat': 'is at work',
  'handoff.usage': 'reported cost and tokens',
  'handoff.block': 'is blocked',
  'handoff.unblock': 'goes on',
  'handoff.imported': 'imported it from a document',
  'handoff.supersede': 'sent it again',
  'handoff.return': 'returned the result',
  'handoff.await_person': 'waits for a person',
  'gate.approve': 'approved',
  'gate.choose': 'chose',
  'handoff.remind': 'reminded',
  'handoff.escalate': 'asked another person too',
  'handoff.wait_on': 'goes on waiting',
  'gate.reject': 'rejected',
  'gate.question': 'questioned',
  'task.create': 'added it',
  'task.start': 'started it',
  'task.update': 'reported on it',
  'task.done': 'set it done',
  'task.reopen': 'opened it again: no record',
  'task.reinstate': 'reinstated it',
  'task.gate': 'moved a gate of it',
  thought_record: 'recorded the work',
  'artifact.put': 'added a file',
  'agent.add': 'added the agent',
  'agent.remove': 'removed the agent',
  'agent.key': 'gave the agent a key',
  'audit.redact': 'removed a text for good',
  'token.create': 'made a token',
  'token.revoke': 'revoked a token',
  'notice.ack': 'saw a notice',
  'log.key': 'named the key that signs the log',
  'log.archive': 'archived a part of the log',
}

/** The clock puts work off for one reason. */
export const actOf = (act: string, by?: string): string =>
  by === ENGINE.name && act === 'handoff.retry_later'
    ? 'got no heartbeat; it is tried again'
    : (ACTS[act] ?? inWords(act.slice(act.indexOf('.') + 1)))

export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** `2 in progress`, `1 done`: a number with each name. */
export const countsOf = (counts: Readonly<Record<string, number | undefined>>): readonly string[] =>
  Object.entries(counts).map(([name, n]) => `${n} ${inWords(name)}`)

/** The same of the outcomes of many things: `3 imported`, `1 refused`. */
export const outcomesOf = (items: readonly { readonly outcome: string }[]): readonly string[] =>
  [...Map.groupBy(items, ({ outcome }) => outcome)].map(([name, all]) => `${all.length} ${inWords(name)}`)

/** The line above something that was changed outside Baton. */
export const warned = (screen: Screen, warning: string | undefined): readonly string[] =>
  warning === undefined ? [] : [screen.marked(screen.cross, screen.paint('red', oneLine(warning)))]
