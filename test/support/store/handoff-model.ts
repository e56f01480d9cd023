import type { State } from '../../../src/domain/lifecycle.ts'

/** What the model knows of one handoff of planner to codex, native and without deliverables. */
export interface ModelHandoff {
  readonly state: State
  readonly attempt: number
  readonly resume?: State | undefined
  readonly deadline?: number | undefined
  readonly lease?: number | undefined
  readonly notBefore?: number | undefined
  /** Codex held the last attempt and lost it by silence. */
  readonly lapsed?: boolean | undefined
  readonly handedIn?: boolean | undefined
  /** A question of codex that nobody has answered. */
  readonly asked?: boolean | undefined
  readonly acceptedAt?: number | undefined
  /** The sender has written a summary, always the same one. */
  readonly isDescribed?: boolean | undefined
  /** The last edit of work that codex held, and whether the package differs from the one before it. */
  readonly edited?: { readonly at: number; readonly differs: boolean } | undefined
}

export interface Model {
  readonly now: number
  readonly handoffs: readonly ModelHandoff[]
  /** Notices that planner has not seen. */
  readonly notices: number
}

export type Operation =
  | 'create'
  | 'send'
  | 'send_draft'
  | 'accept'
  | 'accept_only'
  | 'reject'
  | 'ask'
  | 'answer'
  | 'amend'
  | 'submit'
  | 'verify'
  | 'refuse'
  | 'fail'
  | 'retry'
  | 'cancel'
  | 'beat'
  | 'block'
  | 'unblock'

const HOUR = 3_600_000
const LEASE = 2 * HOUR
export const LIMITS = { planner: { outgoing: 3 }, codex: { incoming: 2 } }
const OPEN: readonly State[] = [
  'draft',
  'offered',
  'accepted',
  'in_progress',
  'blocked',
  'needs_input',
  'in_review',
  'retry_wait',
]
const LEASED: readonly State[] = ['accepted', 'in_progress', 'blocked']

/** Who may do what, from where to where. `resume` is where the question was asked. */
const RULES: Readonly<
  Record<
    Exclude<Operation, 'create' | 'send'>,
    readonly [readonly string[], Partial<Record<State, State | 'resume'>>]
  >
> = {
  send_draft: [['planner'], { draft: 'offered' }],
  accept: [['codex'], { offered: 'in_progress', accepted: 'in_progress' }],
  accept_only: [['codex'], { offered: 'accepted' }],
  reject: [
    ['codex'],
    {
      offered: 'rejected',
      accepted: 'rejected',
      in_progress: 'rejected',
      blocked: 'rejected',
      needs_input: 'rejected',
      in_review: 'rejected',
    },
  ],
  ask: [['codex'], { offered: 'needs_input', accepted: 'needs_input', in_progress: 'needs_input' }],
  answer: [['planner'], { needs_input: 'resume' }],
  amend: [
    ['planner'],
    {
      draft: 'draft',
      offered: 'offered',
      accepted: 'accepted',
      in_progress: 'in_progress',
      blocked: 'blocked',
      needs_input: 'offered',
    },
  ],
  submit: [['codex'], { accepted: 'in_review', in_progress: 'in_review' }],
  verify: [['planner', 'maria'], { in_progress: 'completed', in_review: 'completed' }],
  refuse: [['planner', 'maria'], { in_review: 'in_progress' }],
  fail: [['codex'], { in_progress: 'failed', blocked: 'failed' }],
  retry: [['planner'], { retry_wait: 'offered', failed: 'offered' }],
  cancel: [['planner'], Object.fromEntries(OPEN.map((state) => [state, 'cancelled']))],
  beat: [['codex'], { accepted: 'accepted', in_progress: 'in_progress', blocked: 'blocked' }],
  block: [['codex'], { in_progress: 'blocked', blocked: 'blocked' }],
  unblock: [['codex'], { accepted: 'accepted', in_progress: 'in_progress', blocked: 'in_progress' }],
}
/** Calls by which a holder that was silent for too long comes back. */
const REVIVES: readonly Operation[] = ['beat', 'block', 'unblock', 'ask', 'submit', 'fail']

const isOpen = ({ state }: ModelHandoff): boolean => OPEN.includes(state)

/** What follows from a call: the model afterwards, or nothing where it must be refused. Time is settled before. */
export function apply(
  before: Model,
  operation: Operation,
  actor: string,
  target: number,
): { readonly settled: Model; readonly after?: Model } {
  const settled = settle(before, actor, operation === 'create' || operation === 'send' ? -1 : target)
  const open = settled.handoffs.filter(isOpen).length
  const isFull = open >= LIMITS.planner.outgoing || open >= LIMITS.codex.incoming
  if (operation === 'create' || operation === 'send') {
    if (isFull) return { settled }
    const made: ModelHandoff =
      operation === 'create'
        ? { state: 'draft', attempt: 1 }
        : { state: 'offered', attempt: 1, deadline: settled.now + 24 * HOUR }
    return { settled, after: { ...settled, handoffs: [...settled.handoffs, made] } }
  }
  const handoff = settled.handoffs[target]
  if (!handoff) return { settled }
  const next = move(settled.now, handoff, operation, actor)
  if (!next || (isFull && isOpen(next) && !isOpen(handoff))) return { settled }
  if (operation === 'submit' && hasUnseenEdit(handoff)) {
    const shown = settled.handoffs.with(target, { ...handoff, edited: undefined })
    return { settled: { ...settled, handoffs: shown } }
  }
  const told = !isOpen(next) && isOpen(handoff) && actor !== 'planner' ? 1 : 0
  const handoffs = settled.handoffs.with(target, next)
  return { settled, after: { ...settled, handoffs, notices: settled.notices + told } }
}

const hasUnseenEdit = ({ edited, acceptedAt = 0 }: ModelHandoff): boolean =>
  edited?.differs === true && edited.at >= acceptedAt

/** An edit of held work adds to what codex has not seen; any edit describes the work. */
function editsOf(now: number, operation: Operation, before: ModelHandoff) {
  const { isDescribed, edited, acceptedAt = 0 } = before
  if (operation !== 'amend') return { isDescribed, edited }
  if (!LEASED.includes(before.state)) return { isDescribed: true, edited }
  const isUnseen = edited !== undefined && edited.at >= acceptedAt
  return { isDescribed: true, edited: { at: now, differs: isUnseen ? edited.differs : !isDescribed } }
}

function move(
  now: number,
  handoff: ModelHandoff,
  operation: keyof typeof RULES,
  actor: string,
): ModelHandoff | undefined {
  const [who, ways] = RULES[operation]
  const comesBack =
    handoff.lapsed &&
    actor === 'codex' &&
    REVIVES.includes(operation) &&
    (handoff.state === 'retry_wait' || handoff.state === 'offered')
  const attempt = comesBack && handoff.state === 'offered' ? handoff.attempt - 1 : handoff.attempt
  const from: ModelHandoff = comesBack
    ? { ...handoff, state: 'in_progress', attempt, lapsed: false }
    : handoff
  // The sender may still answer when the work went on without it.
  if (operation === 'answer' && from.asked && (from.state === 'in_progress' || from.state === 'blocked'))
    return who.includes(actor) ? { ...from, asked: false } : undefined
  const way = ways[from.state]
  const to = way === 'resume' ? from.resume : way
  if (to === undefined || !who.includes(actor)) return undefined
  if (operation === 'verify' && !from.handedIn) return undefined
  const isOffered = to === 'offered' && (from.state !== 'offered' || from.deadline === undefined)
  const renews = from.lease === undefined || actor === 'codex'
  return {
    state: to,
    attempt: operation === 'retry' ? from.attempt + 1 : from.attempt,
    resume: to === 'needs_input' ? from.state : undefined,
    deadline: to !== 'offered' ? undefined : isOffered ? now + 24 * HOUR : from.deadline,
    lease: !LEASED.includes(to) ? undefined : renews ? now + LEASE : from.lease,
    lapsed: to === 'offered' ? from.lapsed : false,
    handedIn: from.handedIn || operation === 'submit',
    asked: operation === 'ask' || (from.asked && operation !== 'answer'),
    acceptedAt: operation.startsWith('accept') && from.state === 'offered' ? now : from.acceptedAt,
    ...editsOf(now, operation, from),
  }
}

/** What the engine does by itself before a call; the caller's own lapsed lease is left for it to revive. */
function settle(before: Model, actor: string, target: number): Model {
  let notices = before.notices
  const handoffs = before.handoffs.map((handoff, i): ModelHandoff => {
    const { state, deadline, lease, notBefore, attempt, resume: _, ...kept } = handoff
    const { now } = before
    if (state === 'offered' && deadline !== undefined && now >= deadline) {
      notices += 1
      return { state: 'expired', attempt }
    }
    if (state === 'retry_wait' && notBefore !== undefined && now >= notBefore)
      return { ...kept, state: 'offered', attempt: attempt + 1, deadline: now + 24 * HOUR }
    if (!LEASED.includes(state) || lease === undefined || now < lease) return handoff
    if (actor === 'codex' && i === target) return handoff
    if (attempt <= 3)
      return {
        ...kept,
        state: 'retry_wait',
        attempt,
        notBefore: now + 30_000 * 2 ** (attempt - 1),
        lapsed: true,
      }
    notices += 1
    return { ...kept, state: 'failed', attempt, lapsed: undefined }
  })
  return { ...before, handoffs, notices }
}
