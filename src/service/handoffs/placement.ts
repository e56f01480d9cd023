import { handoffId } from '../../dialects/queue/names.ts'
import type { placeBelow } from '../../domain/handoffs/chain.ts'
import { ackDeadline } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { NewHandoff } from '../../domain/handoffs/inputs.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import { HOME_RULES, type Home } from '../../domain/home.ts'
import { kindOf } from '../../domain/policy.ts'
import { present } from '../../domain/present.ts'
import type { Trace } from '../../domain/trace.ts'
import { enterHandoff } from '../log-record.ts'
import { type Automatic, gateOf, judgeAutomatic, markGated } from '../people/gates.ts'
import { newTask } from '../tasks/tasks.ts'
import { numberedIn } from '../workflows/in-run.ts'
import { isForPerson } from './admission.ts'
import { finish, move, offerDeadline, overridesFor, refuseSentAgain, type Step } from './moves.ts'

/** The place of a new handoff: its sender, its chain, and whether it is sent at once. */
export interface Placement extends ReturnType<typeof placeBelow> {
  readonly from: string
  readonly send: boolean
  /** uid of the run and name of the step that it is made for. */
  readonly run?: string | undefined
  readonly step?: string | undefined
  /** How the checks of an automatic gate came out. */
  readonly automatic?: Automatic | undefined
  readonly trace?: Trace | undefined
}

/** A new handoff as it is placed: what travels stands apart, and what is only needed to judge it is left out. */
export type PlacedHandoff = Omit<NewHandoff, keyof Package | 'parent' | 'created_files' | 'in_reply_to'> & {
  readonly package: Package
}

/** Writes a new handoff, its content and its entry. The caller has judged whether it may be. */
export function placeHandoff(step: Step, uid: string, input: PlacedHandoff, place: Placement): Handoff {
  const { deps, view, at } = step
  const {
    package: travels,
    to,
    title,
    home = deps.home,
    type,
    task,
    priority,
    supersedes,
    timeout_s,
    retry,
    review,
    alias,
    gate,
    silence,
    remind_s,
    ...forgotten
  } = input
  // A field of the sender that is not placed above does not compile.
  forgotten satisfies Readonly<Record<string, never>>
  const kind = kindOf(deps.policy, to, view.agent(to))
  const resolved = type ?? 'sequential'
  const work = place.parent === undefined ? undefined : view.handoff(place.parent)
  if (task !== undefined && !view.task(task)) newTask(step, { id: task, title, owner: place.from })
  const { retry: usual } = HOME_RULES[home]
  const policy = typeof usual === 'object' ? (retry ?? usual) : usual === 'never' ? undefined : retry
  const deadline = ackDeadline(home, 'draft', at, overridesFor(deps, home, to, view.agent(to), resolved))
  const draft: Handoff = {
    uid,
    id: alias ?? numbered(step, home),
    rev: 0,
    home,
    type: resolved,
    state: 'draft',
    from: place.from,
    to,
    title,
    ...present({ task }),
    priority: priority ?? 'normal',
    root: place.root,
    ...present({ parent: place.parent }),
    depth: place.depth,
    ...present({ supersedes }),
    ...(place.run !== undefined && numberedIn(view, place.run)),
    ...present({ step: place.step }),
    created_at: at,
    updated_at: at,
    ...present({ ack_deadline: deadline }),
    ...(timeout_s !== undefined && kind !== 'human' && { timeout_s }),
    attempt: 1,
    ...present({ retry: policy, review }),
    attempts: [],
    deliverables: travels.deliverables?.length ?? 0,
    ...(resolved === 'delegation' && {
      debt: 'open' as const,
      ...present({ parent_attempt: work?.attempt }),
    }),
    ...(resolved === 'gate' && {
      gate: gateOf(step, gate, place.from, { work, task: taskOf(step, task), opens: place.automatic?.opens }),
    }),
    ...present({ silence, remind_s, trace: place.trace }),
  }
  markGated(step, draft)
  view.putContent(uid, { package: travels, thread: [], verifications: [] })
  const fields = { id: draft.id, title, ...travels, ...present({ gate: draft.gate?.name }) }
  if (place.send) {
    const sent = offer(step, draft, fields)
    return place.automatic ? judgeAutomatic(step, sent, place.automatic) : sent
  }
  const created = finish(step, draft, draft)
  enterHandoff(step, 'handoff.create', created, { to: 'draft', fields })
  view.putHandoff(created)
  return created
}

/** The old handoff stays as it ended and names the one that replaces it. */
export function nameNext(step: Step, ended: Handoff, { id }: Handoff, once: boolean): void {
  if (once) refuseSentAgain(ended)
  const next: Handoff = { ...ended, rev: ended.rev + 1, superseded_by: id }
  enterHandoff(step, 'handoff.supersede', next, { fields: { superseded_by: id } })
  step.view.putHandoff(next)
}

const taskOf = ({ view }: Step, id: string | undefined) =>
  id === undefined ? undefined : view.task(id)?.task

/** A handoff that gets a file of document 001 is called as the document does. */
function numbered({ deps, view, at }: Step, home: Home): string {
  const isQueue = HOME_RULES[home].ids === 'hoff' && deps.live?.has(home)
  return isQueue ? handoffId(view.number(), Date.parse(at)) : view.nextId()
}

/** Draft to offered; what is addressed to a person for a decision waits for that person at once. */
export function offer(step: Step, draft: Handoff, fields?: Readonly<Record<string, unknown>>): Handoff {
  const log = draft.task === undefined ? undefined : step.view.task(draft.task)?.task.uid
  const task_seq = log === undefined ? undefined : step.view.stream(log)?.progress_seq
  const sent = move(step, draft, 'send', {
    set: { sent_at: step.at, ...present({ task_seq }), ...offerDeadline(step, draft) },
    unset: offerDeadline(step, draft).ack_deadline === undefined ? ['ack_deadline'] : [],
    ...present({ fields }),
  })
  return awaitPerson(step, sent)
}

export function awaitPerson(step: Step, sent: Handoff): Handoff {
  if (!isForPerson(sent.type)) return sent
  return move(step, sent, 'await_person', {
    set: { need: sent.type === 'gate' ? 'gate' : 'decision' },
    unset: ['ack_deadline'],
  })
}
