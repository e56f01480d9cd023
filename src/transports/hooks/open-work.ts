import { isElsewhere } from '../../domain/actor.ts'
import { onRefusal } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { isOpen } from '../../domain/lifecycle.ts'
import type { Task } from '../../domain/tasks/task.ts'
import { isWrittenBack } from '../../domain/tasks/writeback.ts'
import { oneLine } from '../cli/screen/plain-text.ts'
import type { Session } from '../cli/session/session.ts'

/** Work that an agent has taken and neither handed in nor recorded, and work of others that it has to move on. */
export interface OpenWork {
  readonly handoffs: readonly Held[]
  readonly tasks: readonly Task[]
  /** Handed in to it, or asked of it: the others wait until it verifies or answers. */
  readonly turns: readonly Handoff[]
  /** Held by another session of the agent. */
  readonly elsewhere: readonly Handoff[]
}

type Held = Handoff & {
  readonly deliverables_wanted: readonly string[]
  /** The gate, escalation or delegation whose answer this work needs first. */
  readonly waits_on?: Handoff | undefined
}

/** Taken: whoever stops now leaves it behind. In the others it is somebody else's move, or the agent said why not. */
const UNFINISHED: readonly string[] = ['accepted', 'in_progress']
const TAKEN = [...UNFINISHED, 'blocked', 'needs_input', 'in_review']
const UNANSWERED = ['offered', ...TAKEN, 'retry_wait']
/** Types that an agent sends in the middle of its work, to go on with the answer. */
const QUESTIONS: readonly string[] = ['gate', 'escalation', 'delegation']
/** Enough to act on; an agent that holds more is told so by the number. */
const MAX_OPEN = 50
const MOST_SHOWN = 5
/** Submitting names those that are missing; a refusal need not list hundreds. */
const MOST_DELIVERABLES = 10

/** The agent, and the one session of it that asks, where that is known. */
export interface Asker {
  readonly agent: string
  /** The session of the agent, where its environment or its process names one. */
  readonly instance: string | undefined
  /** The instances of its sessions that have ended. */
  readonly ended?: (() => Promise<ReadonlySet<string>>) | undefined
}

export async function openWork(session: Session, asker: Asker): Promise<OpenWork> {
  const { agent } = asker
  const [held, claimed, sent, reviews] = await Promise.all([
    session.call('handoff_list', { to: agent, state: TAKEN, limit: MAX_OPEN }),
    session.call('task_list', { owner: agent, status: ['in_progress'], limit: MAX_OPEN }).catch(unseen),
    session.call('handoff_list', { from: agent, state: UNANSWERED, limit: MAX_OPEN }),
    // A reviewer is neither sender nor receiver.
    session.call('handoff_list', { state: ['in_review'], limit: MAX_OPEN }),
  ])
  const asked = new Map(sent.items.filter(isQuestion).map((handoff) => [handoff.parent, handoff]))
  const known = new Map([...sent.items, ...reviews.items].map((handoff) => [handoff.uid, handoff]))
  const taken = held.items.filter(({ holder }) => holder === undefined || holder === agent)
  const own = taken.filter((handoff) => !isElsewhere(asker, handoff))
  // A task that came with a handoff is answered through it.
  const answered = new Set(taken.map(({ task }) => task))
  return {
    handoffs: await Promise.all(
      own
        .filter(({ state }) => UNFINISHED.includes(state))
        .map(async (handoff, at) => ({
          ...handoff,
          waits_on: asked.get(handoff.uid),
          deliverables_wanted: at < MOST_SHOWN ? await deliverablesOf(session, handoff) : [],
        })),
    ),
    tasks: claimed.items.filter(
      (task) =>
        !answered.has(task.id) && !isWrittenBack(task) && !isElsewhere(asker, { ...task, holder: agent }),
    ),
    turns: [...known.values()].filter((handoff) => isTurnOf(agent, handoff)),
    elsewhere: taken.filter((handoff) => isElsewhere(asker, handoff)),
  }
}

/** A token for handoffs alone sees no tasks at its server. */
const unseen = onRefusal<{ readonly items: readonly Task[] }>({ items: [] }, 'not_found')

export const isTurnOf = (agent: string, { state, need, waiting_for }: Handoff): boolean =>
  waiting_for === agent && (state === 'in_review' || (state === 'needs_input' && need === 'clarification'))

const isQuestion = ({ type, gate }: Handoff): boolean => QUESTIONS.includes(type) && gate?.type !== 'advisory'

/** Without what an agent can only wait for: it may stop, and the answer comes to its inbox. */
export const ownMoves = ({ handoffs, tasks, ...rest }: OpenWork): OpenWork => ({
  ...rest,
  handoffs: handoffs.filter(({ waits_on }) => waits_on === undefined),
  tasks: tasks.filter((task) => gateOf(task) === undefined),
})

/** The gate that a person has to open before the task can be done; one that was questioned is its owner's move. */
const gateOf = ({ gates = [], owner }: Task): string | undefined =>
  gates.find(({ state, waiting_for }) => isOpen(state) && waiting_for !== owner)?.id

export const isNone = ({ handoffs, tasks, turns }: OpenWork): boolean =>
  handoffs.length + tasks.length + turns.length === 0

async function deliverablesOf(session: Session, { id, deliverables }: Handoff): Promise<readonly string[]> {
  if (deliverables === 0) return []
  const { package: pack } = await session.call('handoff_get', { id })
  return (pack.deliverables ?? []).slice(0, MOST_DELIVERABLES)
}

/** Whether a text names one of them by its id. */
export function workNamedIn(work: OpenWork, text: string): OpenWork {
  const isNamed = ({ id }: { readonly id: string }): boolean => {
    const escaped = id.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return new RegExp(`(?<![\\w.-])${escaped}(?![\\w-]|\\.\\w)`, 'i').test(text)
  }
  const { handoffs, tasks, turns } = work
  const named = { handoffs: handoffs.filter(isNamed), tasks: tasks.filter(isNamed) }
  return { ...work, ...named, turns: turns.filter(isNamed) }
}

/** The calls that end each piece of work or move it on, ready to be made. */
export function callsFor({ handoffs, tasks, turns }: OpenWork): string {
  const blocks = [
    ...turns.map(
      (handoff) => `${handoff.id} ${quotedShort(handoff.title)} to ${handoff.to}:\n${turnOf(handoff)}`,
    ),
    ...handoffs.map(({ id, title, from, to, type, waits_on, deliverables_wanted: wanted }) => {
      if (type === 'return')
        return `${id} ${quotedShort(title)} from ${from}, a result to take note of:\n  handoff_submit ${JSON.stringify({ id })}`
      if (waits_on !== undefined)
        return `${id} ${quotedShort(title)} from ${from}:\n${isTurnOf(to, waits_on) ? turnOf(waits_on) : `  handoff_wait ${JSON.stringify({ id: waits_on.id })}`}, which it needs first`
      const evidence = wanted.map((deliverable) => ({ deliverable, evidence: '…' }))
      const submit = { id, ...(evidence.length > 0 && { evidence }), note: '…' }
      return [
        `${id} ${quotedShort(title)} from ${from}:`,
        `  handoff_submit ${JSON.stringify(submit)}`,
        `  or handoff_ask ${JSON.stringify({ id, question: '…' })}`,
        `  or handoff_fail ${JSON.stringify({ id, message: 'why it cannot be done' })}`,
      ].join('\n')
    }),
    ...tasks.map((task) => {
      const { id, title } = task
      const gate = gateOf(task)
      if (gate !== undefined)
        return `${id} ${quotedShort(title)}:\n  handoff_wait ${JSON.stringify({ id: gate })}, which it needs first`
      const record = { task_id: id, branch: '…', commit_sha: '…', tests_run: ['…'], summary: '…' }
      return [
        `${id} ${quotedShort(title)}:`,
        `  thought_record ${JSON.stringify(record)}`,
        `  then task_update ${JSON.stringify({ task_id: id, status: 'done' })}`,
        `  or give it back: task_update ${JSON.stringify({ task_id: id, status: 'todo', notes: 'what is left' })}`,
      ].join('\n')
    }),
  ]
  const more = blocks.length - MOST_SHOWN
  return [...blocks.slice(0, MOST_SHOWN), ...(more > 0 ? [`and ${more} more: handoff_inbox`] : [])].join('\n')
}

function turnOf({ id, state }: Handoff): string {
  if (state === 'needs_input')
    return `  handoff_answer ${JSON.stringify({ id, text: '…' })}; handoff_get shows the question`
  const refused = JSON.stringify({ id, pass: false, note: 'why not' })
  return `  handoff_verify ${JSON.stringify({ id, pass: true })} or ${refused}; handoff_get shows what was handed in`
}

const MOST_SIGNS = 80
/** Somebody else's words, as such and in one line. */
export function quotedShort(text: string, most = MOST_SIGNS): string {
  const signs = [...oneLine(text)]
  return JSON.stringify(signs.length > most ? `${signs.slice(0, most - 1).join('')}…` : signs.join(''))
}
