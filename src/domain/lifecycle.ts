export const TYPES = ['sequential', 'delegation', 'escalation', 'return', 'gate'] as const
export type HandoffType = (typeof TYPES)[number]

/** Kinds of documents that a search finds. */
export const SEARCH_KINDS = ['handoff', 'task', 'run', 'agent'] as const

export const STATES = [
  'draft',
  'offered',
  'accepted',
  'in_progress',
  'blocked',
  'needs_input',
  'in_review',
  'retry_wait',
  'completed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
] as const
export type State = (typeof STATES)[number]

/**
 * Roles of an actor in one handoff; it can have several. `completer` is the actor that the home's completion
 * guard names (the receiver alone in `queue`, never the receiver in `native`); `clock` is the engine's settling.
 */
export const ROLES = ['sender', 'receiver', 'completer', 'verifier', 'person', 'clock'] as const
export type Role = (typeof ROLES)[number]

/**
 * The whole lifecycle of a handoff (REQUIREMENTS 7.2). A pair (state, command) that is not listed is refused.
 * `docs/generated/lifecycle.md` is drawn from this table.
 */
// biome-ignore format: read as a table
const LIFECYCLE = [
  { from: 'draft',       command: 'send',           by: 'sender',    to: 'offered' },
  { from: 'draft',       command: 'expire',         by: 'clock',     to: 'expired' },
  { from: 'draft',       command: 'amend',          by: 'sender',    to: 'draft' },
  { from: 'draft',       command: 'cancel',         by: 'sender',    to: 'cancelled' },

  { from: 'offered',     command: 'accept',         by: 'receiver',  to: 'accepted' },
  { from: 'offered',     command: 'claim',          by: 'receiver',  to: 'in_progress' },
  { from: 'offered',     command: 'ask',            by: 'receiver',  to: 'needs_input' },
  { from: 'offered',     command: 'await_person',   by: 'sender',    to: 'needs_input' },
  { from: 'offered',     command: 'reject',         by: 'receiver',  to: 'rejected' },
  { from: 'offered',     command: 'expire',         by: 'clock',     to: 'expired' },
  { from: 'offered',     command: 'time_out',       by: 'clock',     to: 'failed' },
  { from: 'offered',     command: 'amend',          by: 'sender',    to: 'offered' },
  { from: 'offered',     command: 'reassign',       by: 'sender',    to: 'offered' },
  { from: 'offered',     command: 'cancel',         by: 'sender',    to: 'cancelled' },

  { from: 'accepted',    command: 'start',          by: 'receiver',  to: 'in_progress' },
  { from: 'accepted',    command: 'reject',         by: 'receiver',  to: 'rejected' },
  { from: 'accepted',    command: 'ask',            by: 'receiver',  to: 'needs_input' },
  { from: 'accepted',    command: 'submit',         by: 'receiver',  to: 'in_review' },
  // A receiver that dies after accepting must not hold the work for ever.
  { from: 'accepted',    command: 'time_out',       by: 'clock',     to: 'failed' },
  { from: 'accepted',    command: 'retry_later',    by: 'clock',     to: 'retry_wait' },
  { from: 'accepted',    command: 'release',        by: 'receiver',  to: 'offered' },
  { from: 'accepted',    command: 'reassign',       by: 'sender',    to: 'offered' },
  // The receiver is told; its next submit is refused once with the difference.
  { from: 'accepted',    command: 'amend',          by: 'sender',    to: 'accepted' },
  { from: 'accepted',    command: 'cancel',         by: 'sender',    to: 'cancelled' },

  { from: 'in_progress', command: 'ask',            by: 'receiver',  to: 'needs_input' },
  { from: 'in_progress', command: 'block',          by: 'receiver',  to: 'blocked' },
  { from: 'in_progress', command: 'submit',         by: 'receiver',  to: 'in_review' },
  { from: 'in_progress', command: 'complete',       by: 'completer', to: 'completed' },
  { from: 'in_progress', command: 'reject',         by: 'receiver',  to: 'rejected' },
  { from: 'in_progress', command: 'fail',           by: 'receiver',  to: 'failed' },
  { from: 'in_progress', command: 'time_out',       by: 'clock',     to: 'failed' },
  { from: 'in_progress', command: 'retry_later',    by: 'receiver',  to: 'retry_wait' },
  { from: 'in_progress', command: 'retry_later',    by: 'clock',     to: 'retry_wait' },
  { from: 'in_progress', command: 'release',        by: 'receiver',  to: 'offered' },
  { from: 'in_progress', command: 'reassign',       by: 'sender',    to: 'offered' },
  { from: 'in_progress', command: 'amend',          by: 'sender',    to: 'in_progress' },
  { from: 'in_progress', command: 'cancel',         by: 'sender',    to: 'cancelled' },

  { from: 'blocked',     command: 'unblock',        by: 'receiver',  to: 'in_progress' },
  { from: 'blocked',     command: 'reject',         by: 'receiver',  to: 'rejected' },
  { from: 'blocked',     command: 'fail',           by: 'receiver',  to: 'failed' },
  { from: 'blocked',     command: 'time_out',       by: 'clock',     to: 'failed' },
  { from: 'blocked',     command: 'retry_later',    by: 'clock',     to: 'retry_wait' },
  { from: 'blocked',     command: 'release',        by: 'receiver',  to: 'offered' },
  { from: 'blocked',     command: 'reassign',       by: 'sender',    to: 'offered' },
  { from: 'blocked',     command: 'amend',          by: 'sender',    to: 'blocked' },
  { from: 'blocked',     command: 'cancel',         by: 'sender',    to: 'cancelled' },

  { from: 'needs_input', command: 'amend',          by: 'sender',    to: 'offered' },
  { from: 'needs_input', command: 'answer',         by: 'sender',    to: 'offered',     resume: 'offered' },
  { from: 'needs_input', command: 'answer',         by: 'sender',    to: 'accepted',    resume: 'accepted' },
  { from: 'needs_input', command: 'answer',         by: 'sender',    to: 'in_progress', resume: 'in_progress' },
  // A gate that a person questioned stays closed; the sender's answer leads back to the person.
  { from: 'needs_input', command: 'answer',         by: 'sender',    to: 'needs_input', resume: 'needs_input' },
  { from: 'needs_input', command: 'approve',        by: 'person',    to: 'completed' },
  // An automatic gate whose checks passed.
  { from: 'needs_input', command: 'approve',        by: 'clock',     to: 'completed' },
  { from: 'needs_input', command: 'question',       by: 'person',    to: 'needs_input' },
  { from: 'needs_input', command: 'decline',        by: 'person',    to: 'rejected' },
  // The question stays open; whoever takes the work next reads the answer.
  { from: 'needs_input', command: 'release',        by: 'receiver',  to: 'needs_input', resume: 'accepted' },
  { from: 'needs_input', command: 'release',        by: 'receiver',  to: 'needs_input', resume: 'in_progress' },
  { from: 'needs_input', command: 'reject',         by: 'receiver',  to: 'rejected' },
  { from: 'needs_input', command: 'cancel',         by: 'sender',    to: 'cancelled' },
  { from: 'needs_input', command: 'expire',         by: 'clock',     to: 'expired' },

  { from: 'in_review',   command: 'complete',       by: 'completer', to: 'completed' },
  { from: 'in_review',   command: 'refuse',         by: 'verifier',  to: 'in_progress' },
  { from: 'in_review',   command: 'reject',         by: 'receiver',  to: 'rejected' },
  { from: 'in_review',   command: 'cancel',         by: 'sender',    to: 'cancelled' },

  { from: 'retry_wait',  command: 'retry',          by: 'clock',     to: 'offered' },
  { from: 'retry_wait',  command: 'retry',          by: 'sender',    to: 'offered' },
  { from: 'retry_wait',  command: 'retry_in_place', by: 'receiver',  to: 'in_progress' },
  { from: 'retry_wait',  command: 'cancel',         by: 'sender',    to: 'cancelled' },

  // A failure is final for the engine, but its sender may ask for another attempt.
  { from: 'failed',      command: 'retry',          by: 'sender',    to: 'offered' },
  { from: 'failed',      command: 'reassign',       by: 'sender',    to: 'offered' },
] as const satisfies readonly TransitionRow<string>[]

interface TransitionRow<Name> {
  readonly from: State
  readonly command: Name
  readonly by: Role
  readonly to: State
  /** The row holds only where the handoff was in this state before it asked for input. */
  readonly resume?: State
}
export type Command = (typeof LIFECYCLE)[number]['command']
export type Transition = TransitionRow<Command>
export const TRANSITIONS: readonly Transition[] = LIFECYCLE

export type Decision =
  | { readonly ok: true; readonly to: State }
  | { readonly ok: false; readonly code: 'wrong_state' | 'not_allowed'; readonly needs?: readonly Role[] }

export function decide(from: State, command: Command, roles: Iterable<Role>, resume?: State): Decision {
  const held = new Set(roles)
  const rows = TRANSITIONS.filter(
    (t) => t.from === from && t.command === command && (t.resume === undefined || t.resume === resume),
  )
  if (rows.length === 0) return { ok: false, code: 'wrong_state' }
  const row = rows.find((t) => held.has(t.by))
  return row ? { ok: true, to: row.to } : { ok: false, code: 'not_allowed', needs: rows.map((t) => t.by) }
}

/** The ends of a handoff. `failed` has one way back, `retry`, and no work goes on in it meanwhile. */
export const ENDS: readonly State[] = ['completed', 'failed', 'rejected', 'expired', 'cancelled']
export const isEnd = (state: State): boolean => ENDS.includes(state)
export const isOpen = (state: State): boolean => !ENDS.includes(state)
export const OPEN_STATES: readonly State[] = STATES.filter(isOpen)
/** States in which somebody works on the handoff and must not lose it to another. */
export const isHeld = (state: State): boolean =>
  state === 'accepted' || state === 'in_progress' || state === 'blocked' || state === 'in_review'
/** The states that a command applies to, for `@` and for help texts. */
export const statesFor = (command: Command): readonly State[] => [
  ...new Set(TRANSITIONS.filter((t) => t.command === command).map((t) => t.from)),
]
