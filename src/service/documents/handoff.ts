import type { DialectId } from '../../dialects/dialect.ts'
import type { Draft } from '../../dialects/draft.ts'
import { AgentName } from '../../domain/agent.ts'
import type { Attempt, Handoff } from '../../domain/handoffs/handoff.ts'
import type { Content, Package, ThreadItem } from '../../domain/handoffs/package.ts'
import { HOME_RULES } from '../../domain/home.ts'
import { isEnd, isHeld, type State } from '../../domain/lifecycle.ts'
import { gateTypeOf } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import { TaskId } from '../../domain/tasks/task.ts'
import { isForPerson } from '../handoffs/admission.ts'

/** The fields of an imported handoff that its draft does not hold. */
export interface Placing {
  readonly uid: string
  readonly id: string
  readonly home: DialectId
  /** The instant of the import: it stands in for the time of creation where a document names none. */
  readonly at: string
  /** uids of the handoffs that the document names, where they are known here. */
  readonly supersedes?: string | undefined
  readonly in_reply_to?: string | undefined
}

export interface Imported {
  readonly handoff: Handoff
  readonly content: Content
}

const TITLE_LENGTH = 120

/** Why a document cannot become a handoff: it needs a sender and a receiver with usable names, all else may be absent. */
export function obstacleTo({ from, to }: Draft): string | undefined {
  if (from === undefined) return 'it does not say who hands over; name the sender'
  if (typeof to !== 'string') return 'it does not say who receives it; name the receiver'
  const odd = [from, to].find((name) => agentNameOf(name) === undefined)
  if (odd === undefined) return undefined
  return `${JSON.stringify(odd)} cannot be an agent's name; write letters, digits, dots, dashes or underscores`
}

/**
 * Makes a handoff of a draft. A statement of fact: states and times are taken as they are, and no guard
 * counts as passed. Pure, so that an export can tell what changed since.
 */
export function toHandoff(draft: Draft, placing: Placing): Imported {
  const { uid, id, home, at } = placing
  const times = timesOf(draft, at)
  const task = taskOf(draft)
  const type = draft.type ?? 'sequential'
  const stated = draft.state ?? 'offered'
  // A handoff that asks a person for a decision waits for it at once.
  const state = stated === 'offered' && isForPerson(type) ? 'needs_input' : stated
  const attempt = Math.max(0, Math.trunc(draft.retry_count ?? 0)) + 1
  const [from, to] = [AgentName.parse(draft.from), AgentName.parse(draft.to)]
  const content = contentOf(draft, { from, to, home, at: times.created_at })
  const base: Handoff = {
    uid,
    id,
    rev: 0,
    home,
    type,
    state,
    from,
    to,
    title: titleOf(draft, id),
    ...present({ task }),
    priority: draft.priority ?? 'normal',
    root: uid,
    depth: 0,
    ...present({ supersedes: placing.supersedes, in_reply_to: placing.in_reply_to }),
    ...times,
    imported_at: at,
    attempt,
    attempts: [],
    deliverables: content.package.deliverables?.length ?? 0,
    aliases: { [home]: draft.id ?? id },
  }
  return { handoff: { ...base, ...heldBy(base, draft), ...saidOf(base, draft) }, content }
}

/** People look for a handoff by its title; a document without one is called by the first thing that it says. */
export function titleOf({ title, package: travels, task, result }: Draft, id: string): string {
  const said = [title, travels?.summary, travels?.purpose, travels?.deliverables?.[0], result?.note, task, id]
  const first = said.map((text) => text?.trim().split('\n')[0]?.trim()).find((text) => text)
  return first!.length > TITLE_LENGTH ? `${first!.slice(0, TITLE_LENGTH - 1)}…` : first!
}

/** A task that cannot be one here stays in the document and is not linked. */
export const taskOf = ({ task }: Draft): string | undefined =>
  task !== undefined && TaskId.safeParse(task).success ? task : undefined

function timesOf(draft: Draft, at: string) {
  const created = instant(draft.created_at) ?? at
  const given = {
    accepted_at: instant(draft.accepted_at),
    started_at: instant(draft.started_at),
    ended_at: isEnd(draft.state ?? 'offered')
      ? (instant(draft.ended_at) ?? instant(draft.updated_at))
      : undefined,
  }
  const latest = [created, ...Object.values(given)]
    .filter((time) => time !== undefined)
    .sort()
    .at(-1)!
  return {
    created_at: created,
    updated_at: instant(draft.updated_at) ?? latest,
    ...(draft.state !== 'draft' && { sent_at: created }),
    ...present(given),
  }
}

/** The engine compares instants as texts, so all have the same form. */
export function instant(time: string | undefined): string | undefined {
  const ms = time === undefined ? Number.NaN : Date.parse(time)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** The holder, if somebody works on it, and its attempt. */
function heldBy(handoff: Handoff, draft: Draft): Partial<Handoff> {
  const { state, to, attempt, created_at, ended_at } = handoff
  const accepted_by = agentNameOf(draft.accepted_by)
  const began = handoff.started_at ?? handoff.accepted_at
  const holder = accepted_by ?? to
  const held = isHeld(state)
  const open: Attempt = { attempt, holder, started_at: began ?? created_at }
  const ended: Attempt = { ...open, ...present({ ended_at, outcome: state, error: draft.error }) }
  return {
    ...present({ accepted_by }),
    ...(held && { holder, attempts: [open] }),
    ...(!held && began !== undefined && { attempts: [ended] }),
  }
}

/** Document 001 tries again where a request says nothing else; elsewhere only what the document says counts. */
function retryOf(home: Handoff['home'], retry: Draft['retry']): Pick<Handoff, 'retry'> {
  const { retry: usual } = HOME_RULES[home]
  if (typeof usual === 'object') return { retry: { ...usual, ...present(retry ?? {}) } }
  if (retry?.max === undefined) return {}
  return { retry: { max: retry.max, delay_s: retry.delay_s ?? 0, multiplier: retry.multiplier ?? 1 } }
}

function saidOf({ home, type, state, to, ended_at, updated_at }: Handoff, draft: Draft): Partial<Handoff> {
  const { rejection, retry } = draft
  return {
    ...(state === 'needs_input' && needOf(type, draft)),
    ...(type === 'gate' && {
      gate: {
        type: gateTypeOf(draft.gate?.type),
        ...present({ name: draft.gate?.name, step: draft.gate?.step ?? undefined }),
      },
    }),
    ...(type === 'delegation' && { debt: isEnd(state) ? ('answered' as const) : ('open' as const) }),
    ...retryOf(home, retry),
    ...present({
      rejection: rejection && {
        type: rejection.type,
        message: rejection.message,
        by: agentNameOf(rejection.by) ?? to,
        at: instant(rejection.at) ?? ended_at ?? updated_at,
      },
      ack_notes: draft.ack_notes,
      ack_deadline: instant(draft.ack_deadline),
      timeout_s: draft.timeout_s,
      not_before: instant(draft.not_before),
      error: draft.error,
      progress: draft.progress,
    }),
  }
}

/** The input that it waits for, and the state to resume in. */
function needOf(type: Handoff['type'], draft: Draft): Pick<Handoff, 'need' | 'resume'> {
  if (type === 'gate') return { need: 'gate' }
  if (type === 'escalation') return { need: 'decision' }
  const resume: State =
    draft.started_at !== undefined ? 'in_progress' : draft.accepted_at !== undefined ? 'accepted' : 'offered'
  return { need: 'clarification', resume }
}

const contentOf = (draft: Draft, who: Who & { home: DialectId }): Content => ({
  package: HOME_RULES[who.home].bodyIsContext ? packageOf(draft) : (draft.package ?? {}),
  ...present({ result: draft.result }),
  thread: threadOf(draft, who),
  // A document's own word verifies nothing here.
  verifications: [],
  ...(HOME_RULES[who.home].begins === 'understood' && acknowledgmentOf(draft, who)),
})

/** A receiver's acknowledgment from elsewhere counts here too. */
function acknowledgmentOf({ acknowledgment: said, accepted_by }: Draft, who: Who): Partial<Content> {
  if (said?.understood === undefined) return {}
  const { understood, understanding, questions, blockers, starting } = said
  return {
    acknowledgment: {
      by: agentNameOf(accepted_by) ?? who.to,
      at: instant(said.at) ?? who.at,
      understood,
      starting: starting === true && understood === 'yes',
      ...present({ understanding, questions, blockers }),
    },
  }
}

interface Who {
  readonly from: string
  readonly to: string
  readonly at: string
}

/** The text below the data is what the receiver reads, where the data itself says nothing. */
function packageOf({ package: travels = {}, body }: Draft): Package {
  const silent = [travels.summary, travels.purpose, travels.context].every((text) => text === undefined)
  const text = body?.trim().slice(0, 64_000)
  return silent && text ? { ...travels, context: text } : travels
}

function threadOf({ acknowledgment, gate, state = 'offered' }: Draft, who: Who): ThreadItem[] {
  const asked = [...(acknowledgment?.questions ?? []), ...(acknowledgment?.blockers ?? [])]
  const at = instant(acknowledgment?.at) ?? who.at
  // A gate that is open has yet to be decided by a person here.
  const decision = isEnd(state) ? gate?.response : undefined
  const thread = asked.map((text): ThreadItem => ({ kind: 'question', by: who.to, at, text }))
  if (decision)
    thread.push({
      kind: 'decision',
      by: decision.by ?? who.to,
      at: instant(decision.at) ?? at,
      text: decision.comment ?? '',
      choice: decision.decision,
    })
  return thread
}

/** A name as agents have it here; undefined where it cannot be one. */
export const agentNameOf = (name: string | null | undefined): string | undefined =>
  typeof name === 'string' ? AgentName.safeParse(name).data : undefined
