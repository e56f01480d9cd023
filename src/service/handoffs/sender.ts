import { placeBelow } from '../../domain/handoffs/chain.ts'
import { reviewerOf } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { NewHandoff } from '../../domain/handoffs/inputs.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import { FIELD_NAMED } from '../../domain/handoffs/package-fields.ts'
import { givenBack } from '../../domain/handoffs/reasons.ts'
import { HOME_RULES, type Home } from '../../domain/home.ts'
import { isOpen } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import type { Problem } from '../../domain/problem.ts'
import { Needs, needs, type View } from '../../storage/store.ts'
import { agentReads, ensureAgents } from '../agents/agents.ts'
import type { Call } from '../deps.ts'
import { find, must, mustContent } from '../lookup.ts'
import { idleGate, judgePeople } from '../people/gates.ts'
import { refuseOverGate, runBelow } from '../workflows/in-run.ts'
import { refuse, UseCases, write } from '../write.ts'
import {
  admit,
  isForPerson,
  mayBeLimited,
  refuseFull,
  refuseRemoved,
  refuseRoute,
  uncounted,
  withChain,
} from './admission.ts'
import { reopened } from './attempts.ts'
import { editHeld, onceShown } from './edits.ts'
import {
  amended,
  changeHandoff,
  move,
  notify,
  offerDeadline,
  reasoned,
  type Step,
  takeBack,
} from './moves.ts'
import { declaredChecks, outputConditions } from './output-conditions.ts'
import { awaitPerson, nameNext, offer, placeHandoff } from './placement.ts'
import { returned } from './return-handoff.ts'
import { type Judged, judgeSending, newReceiver, refuseBrokenPackage, refuseUnasked } from './send-rules.ts'

/** A document by which somebody hands over: it stays with the handoff that is made of it. */
export interface SentDocument {
  readonly uid: string
  /** uid of the run that it is sent in. */
  readonly run?: string
  /** Keeps the document in the same unit; answers the handoff with what the document says of it. */
  keep(step: Step, handoff: Handoff): Handoff
}

export interface Sent {
  readonly handoff: Handoff
  readonly warnings: readonly Problem[]
}

const RESEND = 'handoff_resend'

/** Few senders say who reviews. */
const reviewing = () => import('./review.ts')

/** Creating, sending and taking back. */
export class Sender extends UseCases {
  /** Writes a draft: it holds a place under the limits and is not yet anybody's work. */
  create(call: Call, input: NewHandoff): Promise<Sent> {
    return this.#make(call, 'handoff_create', input, false)
  }

  /** Creates and sends in one. */
  send(call: Call, input: NewHandoff): Promise<Sent> {
    return this.#make(call, 'handoff_send', input, true)
  }

  /** Creates or sends what a document says, by the rules that hold for every sender. */
  sendDocument(call: Call, input: NewHandoff, send: boolean, document: SentDocument): Promise<Sent> {
    return this.#make(call, 'document_import', input, send, document)
  }

  /** The same package once more, as a handoff of the caller: an end is for good (S0-31). */
  async resend(call: Call, ref: string, to?: string): Promise<Sent> {
    const { sentAgain } = await import('./resend.ts')
    const input = await sentAgain(this.deps, call.actor, await find(this.deps, ref), to)
    return this.#make(call, RESEND, input, true)
  }

  async sendDraft(call: Call, ref: string): Promise<Sent> {
    const draft = await find(this.deps, ref)
    const { uid } = draft
    const travels = draft.state === 'draft' ? await this.deps.store.content(uid) : undefined
    const { warnings } = travels
      ? await judgeSending(this.deps, { ...draft, package: travels.package, send: true })
      : { warnings: [] }
    const handoff = await changeHandoff(this.deps, call, {
      op: 'handoff_send',
      input: { ref: uid },
      uid,
      reads: { handoffs: namesOf(uid, draft.run && draft.parent) },
      decide: (step, before) => {
        const { run, from, parent } = before
        refuseOverGate(step.view, run, from, parent === undefined ? undefined : step.view.handoff(parent))
        return offer(step, amended(before, present({ trace: call.trace })))
      },
    })
    return { handoff, warnings }
  }

  /** Changes what travels. An offer that was questioned is offered again; all other states stay. */
  async amend(
    call: Call,
    ref: string,
    change: Partial<Package> & { readonly title?: string },
  ): Promise<Handoff> {
    const { uid } = await find(this.deps, ref)
    const { title, ...patch } = change
    const { refuseReview } = await reviewing()
    return changeHandoff(this.deps, call, {
      op: 'handoff_amend',
      input: { uid, change },
      uid,
      reads: { contents: [uid] },
      decide: (step, before) => {
        const content = mustContent(step.view, uid)
        const next = { ...content.package, ...patch }
        refuseReview(this.deps, { ...before, package: next })
        const deliverables = next.deliverables?.length ?? 0
        const isAsked = before.state === 'needs_input'
        const changed = move(step, before, 'amend', {
          set: { ...present({ title }), deliverables, ...(isAsked && offerDeadline(step, before)) },
          unset: isAsked ? ['need', 'resume'] : [],
          fields: change,
          progress: true,
        })
        step.view.putContent(uid, { ...editHeld(step, before, content, change), package: next })
        if (changed.state === 'draft') return changed
        refuseBrokenPackage(changed, next)
        return changed.state === 'offered' ? awaitPerson(step, changed) : changed
      },
    })
  }

  async cancel(call: Call, ref: string, reason?: string): Promise<Handoff> {
    const { uid } = await find(this.deps, ref)
    return changeHandoff(this.deps, call, {
      op: 'handoff_cancel',
      input: { uid, reason },
      uid,
      decide: (step, before) => {
        const below = workBelow(step.view, before)
        if (below instanceof Needs) return below
        const cancelled = move(step, before, 'cancel', {
          ...reasoned(step, 'cancelled', reason),
          fields: { reason },
        })
        const why = `${before.id}, which it belongs to, was cancelled${reason === undefined ? '' : `: ${reason}`}`
        for (const each of below) takeBack(step, each, why)
        return cancelled
      },
    })
  }

  warningsOf = (to: string) => newReceiver(this.deps, to)

  /** Gives the work to another receiver; whoever held it is fenced off by the new attempt. */
  async reassign(call: Call, ref: string, to: string, reason?: string): Promise<Handoff> {
    const { uid, from } = await find(this.deps, ref)
    refuseRoute(this.deps, from, to)
    const { refuseOwnReview } = await reviewing()
    return changeHandoff(this.deps, call, {
      op: 'handoff_reassign',
      input: { uid, to, reason },
      uid,
      reads: agentReads(this.deps, [to]),
      decide: (step, before) => {
        const more = ensureAgents(step, [to])
        if (more) return more
        refuseRemoved(step.view.agent(to))
        if (before.to !== to) notify(step, before.to, 'reassigned', before, given(before, to, reason))
        const target = amended(before, { to })
        refuseOwnReview(before, to)
        const { set: why } = reasoned(step, 'reassigned', reason)
        const next = move(step, before, 'reassign', {
          set: {
            to,
            attempt: before.attempt + 1,
            ...reopened(before),
            ...offerDeadline(step, target),
            ...why,
          },
          unset: [
            ...([
              'accepted_at',
              'accepted_by',
              'started_at',
              'need',
              'resume',
              'error',
              'not_before',
            ] as const),
            // The reason of an earlier one says nothing of this one; what a verifier found is still to be mended.
            ...(why || givenBack(before) ? [] : (['rejection'] as const)),
          ],
          fields: { reason },
          progress: true,
        })
        return refuseFull(step, before, next) ?? next
      },
    })
  }

  async #make(
    call: Call,
    op: string,
    input: NewHandoff,
    send: boolean,
    document?: SentDocument,
  ): Promise<Sent> {
    const deps = this.deps
    const from = call.actor.name
    const { parent: _, created_files, in_reply_to, ...fields } = fieldsOf(input)
    const { to, title, task, home = deps.home } = fields
    const files = HOME_RULES[home].format && (await import('../documents/live-home.ts'))
    files?.demandFileId(deps, home, input.alias)
    const own = packageOf(input)
    const travels = document ? own : await this.#withShared(home, own)
    const isGate = input.gate !== undefined
    const { review } = input
    const offered = { from, to, home, type: input.type, isGate, in_reply_to, created_files, send, review }
    const judged = await judgeSending(deps, { ...offered, package: travels })
    const { type, warnings } = judged
    if (type === 'return') return this.#answer(call, op, input, judged, send, document)
    if (review !== undefined) (await reviewing()).refuseReview(deps, { ...offered, type, package: travels })
    refuseRoute(deps, from, to)
    const parent = await this.#parentOf(call, input)
    const old = input.supersedes === undefined ? undefined : await find(deps, input.supersedes)
    const supersedes = old?.uid
    const uid = document?.uid ?? deps.newUid()
    const place = placeBelow(uid, parent)
    // Work that follows from other work belongs to the same trace, unless its sender has one of its own.
    const trace = call.trace ?? parent?.trace
    const { automatic, guarded } = await judgePeople(deps, { ...input, type, parent, send })
    const written = { from, to, title, task, package: travels }
    if (!document) await files?.demandWritable(deps, home, written)
    const alias = input.alias ?? (await files?.documentId(deps, { home, from, to, task }))
    const made = { ...fields, package: travels, home, type, alias, supersedes }
    const reviewer = reviewerOf(input)
    const names = [from, to, ...(reviewer === undefined ? [] : [reviewer])]
    const { agents, streams } = agentReads(deps, names)
    const candidate = { from, to, home, type, task, place, supersedes }
    const handoff = await write(deps, call, {
      op,
      input,
      reads: {
        agents,
        counted: mayBeLimited(deps, [from, to]),
        handoffs: namesOf(
          supersedes,
          guarded,
          parent?.run || (type === 'delegation' && parent?.to === from) ? parent?.uid : undefined,
        ),
        ...(task !== undefined && { tasks: [task], latest: [{ task, from, to }] }),
        // A chain that begins here has no stream yet.
        streams: [...namesOf(place.root === uid ? undefined : place.root, old?.root), ...streams],
        ...(document?.run !== undefined && { runs: [document.run] }),
        numbers: alias === undefined ? 1 : 0,
      },
      decide: (step) => {
        const { view } = step
        // A person who asks somebody to decide says with it that this is a person too; an agent or a file cannot say so.
        const isPerson = call.actor.kind === 'human' && call.actor.auth !== 'file'
        const kind = isForPerson(type) && isPerson ? 'human' : undefined
        const more = ensureAgents(step, names, kind) ?? uncounted(step, candidate)
        if (more) return more
        if (reviewer !== undefined) refuseRemoved(view.agent(reviewer))
        admit(step, candidate)
        const run = document?.run ?? (parent && runBelow(view, parent))
        if (type === 'delegation' && parent) refuseCancelled(view.handoff(parent.uid))
        if (send && run !== undefined) refuseOverGate(view, run, from, parent)
        const placing = { ...place, from, send, automatic, run, trace }
        const placed = placeHandoff(step, uid, made, placing)
        if (supersedes !== undefined) nameNext(step, must(view, supersedes), placed, op === RESEND)
        return document ? kept(step, document, placed) : placed
      },
      reload: (subject) => deps.store.handoff(subject),
    }).catch(async (error: unknown) => {
      throw await withChain(deps, error, parent, to)
    })
    return { handoff, warnings: [...warnings, ...idleGate(handoff)] }
  }

  /** Adds the project's context files, so that the sender need not repeat them. */
  async #withShared(home: Home, travels: Package): Promise<Package> {
    const shared = HOME_RULES[home].folder.includes('context') && (await this.deps.shared?.())
    return shared ? { ...travels, data: { ...shared, ...travels.data } } : travels
  }

  /** A return from the delegate ends the delegation and carries the package as it was sent. */
  async #answer(
    call: Call,
    op: string,
    input: NewHandoff,
    { answers, warnings }: Judged,
    send: boolean,
    document?: SentDocument,
  ): Promise<Sent> {
    const deps = this.deps
    if (!send)
      refuse('invalid_input', 'a return cannot be a draft; send it when the work is done', { type: 'return' })
    const uids = answers ? [answers.uid] : []
    const own = document && { uid: document.uid, id: input.alias, home: input.home }
    const sent = { title: input.title, package: packageOf(input), ...present({ ...own }) }
    const { artifacts } = sent.package
    const asked = answers && (await deps.store.content(answers.uid))?.package
    const lacking = answers ? await outputConditions(deps, answers.uid, asked, { artifacts }) : []
    const checks = await declaredChecks(deps, asked?.checks, { artifacts })
    const answering = write(deps, call, {
      op,
      input,
      reads: { handoffs: uids, contents: uids, agents: [call.actor.name] },
      // A repeated call has its answer before it is judged: the delegation is closed by then.
      decide: (step) => {
        if (!answers) return refuseUnasked(call.actor.name, input.to)
        const answer = returned(step, answers.uid, sent, lacking, checks)
        return document ? kept(step, document, answer) : answer
      },
      reload: (subject) => deps.store.handoff(subject),
    })
    const handoff = await (answers ? onceShown(deps, call, answers.uid, answering) : answering)
    return { handoff, warnings }
  }

  /** A given parent, else the newest handoff of the same task to this sender: chains are the engine's to know. */
  async #parentOf(call: Call, input: NewHandoff): Promise<Handoff | undefined> {
    if (input.parent !== undefined) return find(this.deps, input.parent)
    if (input.task === undefined) return undefined
    return this.deps.store.latest(input.task, undefined, call.actor.name)
  }
}

/**
 * The open work that ends with a handoff: what its receiver delegated, and below that delegations and gates.
 * Returns stay. A unit that has not read them all is run again with them.
 */
function workBelow(view: View, top: Handoff): readonly Handoff[] | Needs {
  const found = [top]
  for (const { uid, to, from } of found)
    found.push(
      ...view.gates(uid).filter((each) => {
        const isGate = each.type === 'gate'
        if (each.state === 'draft' || !isOpen(each.state)) return false
        // A gate on the work itself, or over a task, is passed by nobody's cancelling (S4-61).
        if (isGate && (uid === top.uid || each.gate?.holds_task)) return false
        return each.from === to || (isGate && each.from === from)
      }),
    )
  const handoffs = found.map(({ uid }) => uid)
  return view.hasRead({ handoffs }) ? found.slice(1) : needs({ handoffs })
}

function kept(step: Step, document: SentDocument, placed: Handoff): Handoff {
  const handoff = document.keep(step, placed)
  step.view.putHandoff(handoff)
  return handoff
}

/** A delegation that nobody would wait for. */
function refuseCancelled(work: Handoff | undefined): void {
  if (work?.state === 'cancelled')
    refuse('wrong_state', `${work.id} was cancelled; nothing is delegated from it any more`, { id: work.id })
}

/** The sentence that the old receiver reads. */
const given = ({ id }: Handoff, to: string, reason: string | undefined): string =>
  `Handoff ${id} was given to ${to}${reason === undefined ? '' : `: ${reason}`}`

/** Those of the uids that there are, each once. */
const namesOf = (...uids: readonly (string | undefined)[]): string[] => [
  ...new Set(uids.filter((uid) => uid !== undefined)),
]

/** The fields that travel in the package. */
const packageOf = (input: NewHandoff): Package => partOf(input, (key) => FIELD_NAMED.has(key))

/** The fields of the handoff itself. */
const fieldsOf = (input: NewHandoff): Omit<NewHandoff, keyof Package> =>
  partOf(input, (key) => !FIELD_NAMED.has(key))

const partOf = <T>(input: T & object, isPart: (key: string) => boolean): T =>
  Object.fromEntries(
    Object.entries(input).filter(([key, value]) => isPart(key) && value !== undefined),
  ) as typeof input
