import { notMeasurable, vacuousSummary } from '../dialects/package/lint.ts'
import type { AgentKind } from '../domain/actor.ts'
import { placeBelow } from '../domain/chain.ts'
import { ackDeadline } from '../domain/deadlines.ts'
import type { Handoff, HandoffType, Priority } from '../domain/handoff.ts'
import type { Home } from '../domain/home.ts'
import type { Package } from '../domain/package.ts'
import { hasLimit, kindOf, limitsOf } from '../domain/policy.ts'
import { DEFAULT_RETRY, type RetryPolicy } from '../domain/retry.ts'
import { admit, isForPerson, refuseNoPerson, refuseRemoved, refuseRoute, Uncounted } from './admission.ts'
import { ensureAgents } from './agents.ts'
import { reopened } from './attempts.ts'
import { offerDeadline, overridesFor } from './deadline.ts'
import type { Call, ServiceDeps } from './deps.ts'
import { find, must } from './lookup.ts'
import { amended, finish, move, notify, type Step } from './moves.ts'
import { newTask } from './tasks.ts'
import { refuse, write } from './write.ts'

/** What a sender says of a new handoff. */
export interface NewHandoff extends Package {
  readonly to: string
  readonly title: string
  readonly home?: Home | undefined
  readonly type?: HandoffType | undefined
  readonly task?: string | undefined
  readonly priority?: Priority | undefined
  readonly parent?: string | undefined
  readonly supersedes?: string | undefined
  readonly timeout_s?: number | undefined
  readonly retry?: RetryPolicy | undefined
  /** A name of its own in the handoff's dialect. */
  readonly alias?: string | undefined
}

/** A finding that does not stop a handoff; its text says what to change. */
export interface Warning {
  readonly code: string
  readonly message: string
}

export interface Sent {
  readonly handoff: Handoff
  readonly warnings: readonly Warning[]
}

/** Creating, sending and taking back. */
export class Sending {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  /** Writes a draft: it holds a place under the limits and is not yet anybody's work. */
  create(call: Call, input: NewHandoff): Promise<Sent> {
    return this.#make(call, 'handoff_create', input, false)
  }

  /** Creates and sends in one. */
  send(call: Call, input: NewHandoff): Promise<Sent> {
    return this.#make(call, 'handoff_send', input, true)
  }

  async sendDraft(call: Call, ref: string): Promise<Sent> {
    const { uid } = await find(this.#deps, ref)
    const handoff = await write(this.#deps, call, {
      op: 'handoff_send',
      input: { ref: uid },
      reads: { handoffs: [uid] },
      decide: (view, at) => offer({ deps: this.#deps, view, actor: call.actor, at }, must(view, uid)),
      reload: (subject) => this.#deps.store.handoff(subject),
    })
    return { handoff, warnings: [] }
  }

  /** Changes what travels: a draft stays one, an offer that was questioned is offered again. */
  async amend(
    call: Call,
    ref: string,
    change: Partial<Package> & { readonly title?: string },
  ): Promise<Handoff> {
    const { uid } = await find(this.#deps, ref)
    const { title, ...patch } = change
    return write(this.#deps, call, {
      op: 'handoff_amend',
      input: { uid, change },
      reads: { handoffs: [uid], contents: [uid] },
      decide: (view, at) => {
        const step: Step = { deps: this.#deps, view, actor: call.actor, at }
        const content = view.content(uid)
        if (!content) refuse('internal', 'the content of this handoff is missing')
        const next = { ...content.package, ...patch }
        view.putContent(uid, { ...content, package: next })
        const set: Partial<Handoff> = {
          ...(title !== undefined && { title }),
          deliverables: next.deliverables?.length ?? 0,
        }
        const before = must(view, uid)
        const again = before.state === 'needs_input' ? offerDeadline(step, before) : {}
        const changed = move(step, before, 'amend', {
          set: { ...set, ...again },
          unset: before.state === 'needs_input' ? ['need', 'resume'] : [],
          fields: change,
          progress: true,
        })
        return changed.state === 'offered' ? awaitPerson(step, changed) : changed
      },
      reload: (subject) => this.#deps.store.handoff(subject),
    })
  }

  async cancel(call: Call, ref: string, reason?: string): Promise<Handoff> {
    const { uid } = await find(this.#deps, ref)
    return write(this.#deps, call, {
      op: 'handoff_cancel',
      input: { uid, reason },
      reads: { handoffs: [uid] },
      decide: (view, at) =>
        move({ deps: this.#deps, view, actor: call.actor, at }, must(view, uid), 'cancel', {
          fields: { reason },
        }),
      reload: (subject) => this.#deps.store.handoff(subject),
    })
  }

  /** Gives the work to another receiver; whoever held it is fenced off by the new attempt. */
  async reassign(call: Call, ref: string, to: string, reason?: string): Promise<Handoff> {
    const { uid, from } = await find(this.#deps, ref)
    refuseRoute(this.#deps, from, to)
    await ensureAgents(this.#deps, call, [to])
    return write(this.#deps, call, {
      op: 'handoff_reassign',
      input: { uid, to, reason },
      reads: { handoffs: [uid], agents: [to] },
      decide: (view, at) => {
        const step: Step = { deps: this.#deps, view, actor: call.actor, at }
        const before = must(view, uid)
        refuseRemoved(view.agent(to))
        if (before.holder !== undefined || before.accepted_by !== undefined)
          notify(step, before.to, 'reassigned', before, `Handoff ${before.id} was given to ${to}`)
        const target = amended(before, { to })
        return move(step, before, 'reassign', {
          set: { to, attempt: before.attempt + 1, ...reopened(before), ...offerDeadline(step, target) },
          unset: ['accepted_at', 'accepted_by', 'started_at', 'need', 'resume', 'error', 'not_before'],
          fields: { reason },
          progress: true,
        })
      },
      reload: (subject) => this.#deps.store.handoff(subject),
    })
  }

  async #make(call: Call, op: string, input: NewHandoff, send: boolean): Promise<Sent> {
    const deps = this.#deps
    const from = call.actor.name
    const { to, task, home = deps.home, type = 'sequential' } = input
    const warnings = lint(input)
    if (type === 'return')
      refuse('invalid_input', 'a return is made by Baton when a delegation is completed; submit the work', {
        type,
      })
    refuseRoute(deps, from, to)
    const kind = await this.#kindOfNew(call, to, type)
    const agents = await ensureAgents(deps, call, [from, to], kind)
    const limited = [from, to].filter((name) => hasLimit(limitsOf(deps.policy, name, agents.get(name))))
    const parent = await this.#parentOf(call, input)
    const supersedes = input.supersedes === undefined ? undefined : (await find(deps, input.supersedes)).uid
    const uid = deps.newUid()
    const place = placeBelow(uid, parent)
    const attempt = (counted: readonly string[]) =>
      write(deps, call, {
        op,
        input,
        reads: {
          agents: [from, to],
          counted,
          handoffs: supersedes === undefined ? [] : [supersedes],
          ...(task !== undefined && { tasks: [task], latest: { task, from, to } }),
          streams: [place.root],
          numbers: input.alias === undefined ? 1 : 0,
        },
        decide: (view, at) => {
          const step: Step = { deps, view, actor: call.actor, at }
          admit(step, { from, to, home, type, task, place, supersedes })
          return this.#place(step, uid, { ...input, supersedes }, { ...place, send })
        },
        reload: (subject) => deps.store.handoff(subject),
      })
    const handoff = await attempt(limited).catch((error: unknown) => {
      if (error instanceof Uncounted) return attempt([from, input.to])
      throw error
    })
    return { handoff, warnings }
  }

  #place(
    step: Step,
    uid: string,
    input: NewHandoff,
    place: ReturnType<typeof placeBelow> & { readonly send: boolean },
  ): Handoff {
    const { deps, view, actor, at } = step
    const {
      to,
      title,
      home = deps.home,
      type,
      task,
      priority,
      parent: _,
      supersedes,
      timeout_s,
      retry,
      alias,
      ...travels
    } = input
    const kind = kindOf(deps.policy, to, view.agent(to))
    const resolved = type ?? 'sequential'
    if (task !== undefined && !view.task(task)) newTask(step, { id: task, title, owner: actor.name })
    // Document 000 knows no second attempt: rejected work is handed over anew.
    const policy = home === 'markdown' ? undefined : (retry ?? (home === 'queue' ? DEFAULT_RETRY : undefined))
    const deadline = ackDeadline(home, 'draft', at, overridesFor(deps, home, view.agent(to), resolved))
    const draft: Handoff = {
      uid,
      id: alias ?? `HO-${at.slice(0, 4)}-${String(view.number()).padStart(3, '0')}`,
      rev: 0,
      home,
      type: resolved,
      state: 'draft',
      from: actor.name,
      to,
      title,
      ...(task !== undefined && { task }),
      priority: priority ?? 'normal',
      root: place.root,
      ...(place.parent !== undefined && { parent: place.parent }),
      depth: place.depth,
      ...(supersedes !== undefined && { supersedes }),
      created_at: at,
      updated_at: at,
      ...(deadline !== undefined && { ack_deadline: deadline }),
      ...(timeout_s !== undefined && kind !== 'human' && { timeout_s }),
      attempt: 1,
      ...(policy && { retry: policy }),
      attempts: [],
      deliverables: travels.deliverables?.length ?? 0,
      ...(resolved === 'delegation' && { debt: 'open' as const }),
    }
    view.putContent(uid, { package: travels, thread: [], verifications: [] })
    const fields = { id: draft.id, title, ...travels }
    if (place.send) return offer(step, draft, fields)
    const created = finish(step, draft, draft)
    view.append({
      stream: created.root,
      subject: uid,
      record: {
        act: 'handoff.create',
        actor: { id: actor.name },
        auth: actor.auth,
        sub: { id: uid, k: 'handoff', rev: created.rev },
        to: 'draft',
        ts: at,
      },
      fields,
    })
    view.putHandoff(created)
    return created
  }

  /** A person who asks somebody to decide says with it that this is a person too; an agent cannot say so. */
  async #kindOfNew({ actor }: Call, to: string, type: HandoffType): Promise<AgentKind | undefined> {
    if (!isForPerson(type)) return undefined
    if (actor.kind === 'human') return 'human'
    const known = (await this.#deps.store.agents()).find(({ name }) => name === to)
    refuseNoPerson(this.#deps, type, to, known)
    return undefined
  }

  /** A given parent, else the newest handoff of the same task to this sender: chains are the engine's to know. */
  async #parentOf(call: Call, input: NewHandoff): Promise<Handoff | undefined> {
    if (input.parent !== undefined) return find(this.#deps, input.parent)
    if (input.task === undefined) return undefined
    return this.#deps.store.latest(input.task, undefined, call.actor.name)
  }
}

/** Draft to offered; what is addressed to a person for a decision waits for that person at once. */
function offer(step: Step, draft: Handoff, fields?: Readonly<Record<string, unknown>>): Handoff {
  const log = draft.task === undefined ? undefined : step.view.task(draft.task)?.task.uid
  const task_seq = log === undefined ? undefined : step.view.stream(log)?.progress_seq
  const sent = move(step, draft, 'send', {
    set: { sent_at: step.at, ...(task_seq !== undefined && { task_seq }), ...offerDeadline(step, draft) },
    unset: offerDeadline(step, draft).ack_deadline === undefined ? ['ack_deadline'] : [],
    ...(fields && { fields }),
  })
  return awaitPerson(step, sent)
}

function awaitPerson(step: Step, sent: Handoff): Handoff {
  if (!isForPerson(sent.type)) return sent
  return move(step, sent, 'await_person', {
    set: { need: sent.type === 'gate' ? 'gate' : 'decision' },
    unset: ['ack_deadline'],
  })
}

/** What a receiver would stumble over; said while the sender can still mend it. */
const lint = (input: NewHandoff): readonly Warning[] =>
  [...(input.summary === undefined ? [] : vacuousSummary(input.summary)), ...notMeasurable(input)].map(
    ({ code, message }) => ({ code, message }),
  )
