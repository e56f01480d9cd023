import { notMeasurable, vacuousSummary } from '../dialects/package/lint.ts'
import type { AgentKind } from '../domain/actor.ts'
import { placeBelow } from '../domain/chain.ts'
import type { Handoff, HandoffType, Priority } from '../domain/handoff.ts'
import type { Home } from '../domain/home.ts'
import type { Package } from '../domain/package.ts'
import { hasLimit, limitsOf } from '../domain/policy.ts'
import type { RetryPolicy } from '../domain/retry.ts'
import { admit, isForPerson, refuseNoPerson, refuseRemoved, refuseRoute, Uncounted } from './admission.ts'
import { ensureAgents } from './agents.ts'
import { reopened } from './attempts.ts'
import { offerDeadline } from './deadline.ts'
import type { Call, ServiceDeps } from './deps.ts'
import { find, must } from './lookup.ts'
import { amended, move, notify, type Step } from './moves.ts'
import { awaitPerson, offer, placeHandoff } from './placing.ts'
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
          return placeHandoff(step, uid, { ...input, supersedes }, { ...place, from, send })
        },
        reload: (subject) => deps.store.handoff(subject),
      })
    const handoff = await attempt(limited).catch((error: unknown) => {
      if (error instanceof Uncounted) return attempt([from, input.to])
      throw error
    })
    return { handoff, warnings }
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

/** What a receiver would stumble over; said while the sender can still mend it. */
const lint = (input: NewHandoff): readonly Warning[] =>
  [...(input.summary === undefined ? [] : vacuousSummary(input.summary)), ...notMeasurable(input)].map(
    ({ code, message }) => ({ code, message }),
  )
