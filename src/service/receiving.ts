import { isPast } from '../domain/deadlines.ts'
import { receiverCompletes, unmetConditions } from '../domain/guards.ts'
import type { Failure, Handoff } from '../domain/handoff.ts'
import type { Evidence, Result, ThreadItem } from '../domain/package.ts'
import { DEFAULT_RETRY, decideRetry, recoveryActions } from '../domain/retry.ts'
import type { Reads } from '../storage/store.ts'
import { offerDeadline } from './deadline.ts'
import type { Call, ServiceDeps } from './deps.ts'
import { find, must } from './lookup.ts'
import { amended, finish, move, type Step } from './moves.ts'
import { refuse, write } from './write.ts'

export interface AcceptInput {
  readonly start?: boolean | undefined
  readonly notes?: string | undefined
  /** Understood in part: the open points go back to the sender, and no work starts. */
  readonly blockers?: readonly string[] | undefined
}

export interface SubmitInput extends Result {
  /** The attempt that the caller works on; an older one is fenced off. */
  readonly attempt?: number | undefined
}

/** What the receiver does with a handoff. */
export class Receiving {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  accept(call: Call, ref: string, input: AcceptInput = {}): Promise<Handoff> {
    return this.#change(
      call,
      'handoff_accept',
      ref,
      input,
      { contents: Boolean(input.blockers?.length) },
      (step, before) => {
        refuseLate(step, before)
        if (input.blockers?.length)
          return this.#ask(step, before, input.blockers.join('\n'), 'handoff.accept_partial')
        const start = input.start ?? before.home !== 'markdown'
        if (before.state === 'accepted' && start)
          return move(step, before, 'start', { set: { started_at: step.at } })
        return take(step, before, start, input.notes)
      },
    )
  }

  /** Takes the next handoff of the caller's queue, by priority and then age; nothing when the queue is empty. */
  async claim(call: Call): Promise<Handoff | undefined> {
    const deps = this.#deps
    const none = { uid: '', rev: 0 }
    const claimed = await write<Handoff | undefined>(deps, call, {
      op: 'handoff_claim',
      input: {},
      reads: { claim: call.actor.name },
      decide: (view, at) => {
        const next = view.claimed(call.actor.name)
        return next && take({ deps, view, actor: call.actor, at }, next, true)
      },
      subject: (handoff) => handoff ?? none,
      reload: (uid) => deps.store.handoff(uid),
    })
    return claimed
  }

  reject(
    call: Call,
    ref: string,
    reason: { readonly type: string; readonly message: string },
  ): Promise<Handoff> {
    return this.#change(call, 'handoff_reject', ref, reason, {}, (step, before) => {
      refuseLate(step, before)
      return move(step, before, 'reject', {
        set: { rejection: { ...reason, by: step.actor.name, at: step.at } },
        fields: { reason: reason.message, reason_type: reason.type },
      })
    })
  }

  /** Shows that the holder is alive; may tell progress, and that the work is blocked or goes on. */
  heartbeat(
    call: Call,
    ref: string,
    input: {
      readonly progress?: number | undefined
      readonly blocked?: string | false | undefined
      readonly attempt?: number | undefined
    },
  ): Promise<Handoff> {
    return this.#change(call, 'handoff_heartbeat', ref, input, {}, (step, before) => {
      fence(before, input.attempt)
      const set: Partial<Handoff> = input.progress === undefined ? {} : { progress: input.progress }
      if (typeof input.blocked === 'string' && before.state !== 'blocked')
        return move(step, before, 'block', {
          set: { ...set, blocked_on: input.blocked },
          fields: { blocked_on: input.blocked },
        })
      if (input.blocked === false && before.state === 'blocked')
        return move(step, before, 'unblock', { set, unset: ['blocked_on'] })
      return this.#beat(step, before, set)
    })
  }

  /** The receiver needs to know something; the handoff stays the same one and waits for its sender. */
  ask(call: Call, ref: string, question: string): Promise<Handoff> {
    return this.#change(call, 'handoff_ask', ref, { question }, { contents: true }, (step, before) => {
      refuseLate(step, before)
      return this.#ask(step, before, question)
    })
  }

  answer(call: Call, ref: string, text: string): Promise<Handoff> {
    return this.#change(call, 'handoff_answer', ref, { text }, { contents: true }, (step, before) => {
      const resume = before.resume ?? 'offered'
      const gate = resume === 'needs_input'
      talk(step, before, { kind: 'answer', text })
      return move(step, before, 'answer', {
        ...(gate && { set: { need: before.type === 'gate' ? ('gate' as const) : ('decision' as const) } }),
        unset: gate ? ['resume'] : ['resume', 'need'],
        fields: { answer: text },
        progress: true,
      })
    })
  }

  /** Hands in what was done. Where the receiver alone may close, this closes; elsewhere a verifier looks at it. */
  async submit(call: Call, ref: string, input: SubmitInput): Promise<Handoff> {
    const deps = this.#deps
    const found = await find(deps, ref)
    const content = await deps.store.content(found.uid)
    const { attempt, ...given } = input
    const evidence = matchEvidence(content?.package.deliverables ?? [], given.evidence ?? [])
    const draft: Result = { ...given, ...(evidence.length > 0 && { evidence }) }
    const declared = content?.package.checks ?? []
    const checks = declared.length > 0 && deps.runChecks ? await deps.runChecks(declared, draft) : undefined
    return this.#change(call, 'handoff_submit', found.uid, input, { contents: true }, (step, before) => {
      fence(before, attempt)
      const now = step.view.content(before.uid)
      if (!now) refuse('internal', 'the content of this handoff is missing')
      const result: Result = { ...draft, ...(checks && { checks: [...checks] }), submitted_at: step.at }
      const next = { ...now, result }
      const closes = receiverCompletes(before)
      const unmet = unmetConditions(before, next).filter(
        (u) => closes || u.code === 'deliverable_without_evidence',
      )
      // Document 000's evidence is judged by its verifier; here it is only handed in.
      if (unmet.length > 0 && before.home !== 'markdown')
        refuse(
          'unmet',
          `${before.id} cannot be ${closes ? 'completed' : 'submitted'} yet: ${unmet.map((u) => u.message).join('; ')}`,
          {
            id: before.id,
            unmet,
          },
        )
      step.view.putContent(before.uid, next)
      const fields = { evidence: result.evidence, note: result.note, output: result.output }
      const started =
        before.state === 'accepted' && closes
          ? move(step, before, 'start', { set: { started_at: step.at } })
          : before
      return move(step, started, closes ? 'complete' : 'submit', {
        fields,
        progress: true,
        act: 'handoff.submit',
      })
    })
  }

  /** The work cannot be done by this attempt. Tried again by itself where the retry rule and the error allow. */
  fail(
    call: Call,
    ref: string,
    input: {
      readonly code?: string | undefined
      readonly message: string
      readonly details?: Failure['details'] | undefined
      readonly recovery_actions?: readonly string[] | undefined
      readonly attempt?: number | undefined
    },
  ): Promise<Handoff> {
    const code = input.code ?? 'PROCESSING_ERROR'
    return this.#change(call, 'handoff_fail', ref, input, {}, (step, before) => {
      fence(before, input.attempt)
      const error: Failure = {
        code,
        message: input.message,
        severity: 'error',
        ...(input.details && { details: input.details }),
        recovery_actions: [...recoveryActions(code, input.recovery_actions)],
      }
      return failed(step, before, error, 'fail')
    })
  }

  /** Another attempt, asked for by the sender, or by the engine when its instant has come. */
  retry(call: Call, ref: string): Promise<Handoff> {
    return this.#change(call, 'handoff_retry', ref, {}, {}, (step, before) => again(step, before))
  }

  #ask(step: Step, before: Handoff, question: string, act?: string): Handoff {
    talk(step, before, { kind: 'question', text: question })
    return move(step, before, 'ask', {
      set: { need: 'clarification', resume: before.state },
      unset: ['ack_deadline'],
      fields: { question },
      ...(act !== undefined && { act }),
    })
  }

  #beat(step: Step, before: Handoff, set: Partial<Handoff>): Handoff {
    const { view, actor, at } = step
    if (actor.name !== before.to)
      refuse('not_allowed', `${actor.name} does not hold ${before.id}`, { id: before.id })
    if (before.state !== 'in_progress' && before.state !== 'blocked' && before.state !== 'accepted')
      refuse(
        'wrong_state',
        `${before.id} is ${before.state.replace('_', ' ')}; there is nothing to keep alive`,
        { id: before.id, state: before.state },
      )
    // A beat leaves the state alone, so it renews the lease without a line in the table.
    return renew(step, before, set, view, at)
  }

  async #change(
    call: Call,
    op: string,
    ref: string,
    input: unknown,
    options: { readonly contents?: boolean },
    decide: (step: Step, before: Handoff) => Handoff,
  ): Promise<Handoff> {
    const deps = this.#deps
    const uid = UUID.test(ref) ? ref : (await find(deps, ref)).uid
    const reads: Reads = {
      handoffs: [uid],
      ...(options.contents && { contents: [uid] }),
      agents: [call.actor.name],
    }
    return write(deps, call, {
      op,
      input: { uid, input },
      reads,
      decide: (view, at) => decide({ deps, view, actor: call.actor, at }, must(view, uid)),
      reload: (subject) => deps.store.handoff(subject),
    })
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Taking an offer: acceptance, and with `start` the beginning of the attempt. */
export function take(step: Step, before: Handoff, start: boolean, notes?: string): Handoff {
  const { actor, at } = step
  return move(step, before, start ? 'claim' : 'accept', {
    set: {
      holder: actor.name,
      ...(actor.instance !== undefined && { instance: actor.instance }),
      accepted_at: at,
      accepted_by: actor.name,
      ...(notes !== undefined && { ack_notes: notes }),
      ...(start && { started_at: at }),
      attempts: [
        ...before.attempts,
        {
          attempt: before.attempt,
          holder: actor.name,
          ...(actor.instance !== undefined && { instance: actor.instance }),
          started_at: at,
        },
      ],
    },
    fields: { notes },
    act: 'handoff.accept',
  })
}

/** An attempt that came to nothing: another one later, or the end. Shared with the engine's settling of leases. */
export function failed(step: Step, before: Handoff, error: Failure, command: 'fail' | 'time_out'): Handoff {
  const policy = before.retry ?? (command === 'time_out' ? DEFAULT_RETRY : undefined)
  const decision = policy && decideRetry({ policy, attempt: before.attempt, code: error.code, now: step.at })
  const fields = { error: error.message, error_code: error.code }
  // A receiver that gives up on blocked work has decided; only silence is tried again from there.
  if (decision?.action === 'retry' && !(before.state === 'blocked' && command === 'fail'))
    return move(step, before, 'retry_later', { set: { error, not_before: decision.at }, fields })
  return move(step, before, command, { set: { error }, fields })
}

/** Offered again: the next attempt starts without the traces of the last. */
export function again(step: Step, before: Handoff): Handoff {
  return move(step, before, 'retry', {
    set: { attempt: before.attempt + 1, ...offerDeadline(step, before) },
    unset: ['not_before', 'accepted_at', 'accepted_by', 'started_at', 'ended_at', 'progress'],
  })
}

/** An acknowledgment at or after the deadline is refused even where no sweep has run. */
function refuseLate(step: Step, handoff: Handoff): void {
  if (handoff.state === 'offered' && isPast(handoff.ack_deadline, step.at))
    refuse(
      'wrong_state',
      `${handoff.id} expired at ${handoff.ack_deadline}; ask ${handoff.from} to send it again`,
      {
        id: handoff.id,
        ack_deadline: handoff.ack_deadline,
      },
    )
}

/** Fencing: who works on an attempt that was given to somebody else has lost it. */
function fence(handoff: Handoff, attempt: number | undefined): void {
  if (attempt === undefined || attempt === handoff.attempt) return
  refuse('conflict', `attempt ${attempt} of ${handoff.id} is over; attempt ${handoff.attempt} is under way`, {
    id: handoff.id,
    attempt: handoff.attempt,
  })
}

function renew(step: Step, before: Handoff, set: Partial<Handoff>, view: Step['view'], at: string): Handoff {
  const next = finishBeat(step, before, set)
  view.append({
    stream: next.root,
    subject: next.uid,
    record: {
      act: 'handoff.heartbeat',
      actor: { id: step.actor.name },
      auth: step.actor.auth,
      sub: { id: next.uid, k: 'handoff', rev: next.rev },
      ts: at,
    },
  })
  view.putHandoff(next)
  return next
}

const finishBeat = (step: Step, before: Handoff, set: Partial<Handoff>): Handoff =>
  finish(step, before, amended(before, set))

export function talk(step: Step, handoff: Handoff, item: Pick<ThreadItem, 'kind' | 'text' | 'choice'>): void {
  const content = step.view.content(handoff.uid)
  if (!content) refuse('internal', 'the content of this handoff is missing')
  const said: ThreadItem = { ...item, by: step.actor.name, at: step.at }
  step.view.putContent(handoff.uid, { ...content, thread: [...content.thread, said] })
}

/** Evidence names its deliverable; where there is only one, it need not. */
function matchEvidence(deliverables: readonly string[], given: readonly Evidence[]): Evidence[] {
  const known = deliverables.map((d) => d.trim())
  return given.map((item) => {
    const name = item.deliverable.trim()
    if (known.includes(name)) return { ...item, deliverable: name }
    const close = known.filter((d) => d.toLowerCase().startsWith(name.toLowerCase()))
    const only = close.length === 1 ? close[0] : name === '*' && known.length === 1 ? known[0] : undefined
    if (only === undefined)
      refuse(
        'invalid_input',
        `"${name}" is not one of the deliverables: ${known.map((d) => `"${d}"`).join(', ') || 'there are none'}`,
        {
          deliverable: name,
          deliverables: known,
        },
      )
    return { ...item, deliverable: only }
  })
}
