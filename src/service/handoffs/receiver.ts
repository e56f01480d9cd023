import type { Kinds } from '../../dialects/package/artifacts.ts'
import { isPast } from '../../domain/handoffs/deadlines.ts'
import { handInConditions, receiverCompletes, unmetConditions } from '../../domain/handoffs/guards.ts'
import type { Failure, Handoff } from '../../domain/handoffs/handoff.ts'
import type {
  AcceptInput,
  ClaimInput,
  failFields,
  heartbeatFields,
  releaseFields,
  SubmitInput,
} from '../../domain/handoffs/inputs.ts'
import type { Evidence, Result } from '../../domain/handoffs/package.ts'
import { givenBack } from '../../domain/handoffs/reasons.ts'
import { recoveryActions } from '../../domain/handoffs/retry.ts'
import { HOME_RULES } from '../../domain/home.ts'
import type { InputOf } from '../../domain/once.ts'
import { present } from '../../domain/present.ts'
import { type Needs, needs } from '../../storage/store.ts'
import { knowPerson } from '../agents/agents.ts'
import type { Call } from '../deps.ts'
import { mustContent, uidOf } from '../lookup.ts'
import { knowTaker, takenUp } from '../people/anyone.ts'
import { refuse, refuseUnmet, UseCases } from '../write.ts'
import type { Accepted } from './acknowledgment.ts'
import { refuseFull } from './admission.ts'
import {
  again,
  beat,
  failed,
  fence,
  refuseSpent,
  released,
  retriedAtOnce,
  revived,
  take,
  takenOver,
} from './attempts.ts'
import { type Claimed, claimNext, pickUp } from './claim.ts'
import { passDeclared } from './closure.ts'
import { onceShown, refuseUnseen } from './edits.ts'
import { changeHandoff, checkHolder, move, offerDeadline, type Step } from './moves.ts'
import { checksFor, Outlook, outputConditions } from './output-conditions.ts'
import { refuseUnacknowledged } from './return-handoff.ts'
import { kindsOf } from './send-rules.ts'
import { answerBeside, askBeside, isAnswerBeside, talk, tellAnswer } from './thread.ts'

/** The rules of an acknowledgment, loaded by the first acceptance. */
type Acknowledging = typeof import('./acknowledgment.ts')

/** The steps of a handoff that its receiver takes. */
export class Receiver extends UseCases {
  /** Takes on the work, or says what is unclear. Document 004 asks for more than a yes: see `acknowledgment.ts`. */
  async accept(call: Call, ref: string, input: AcceptInput = {}): Promise<Accepted> {
    const uid = await uidOf(this.deps, ref)
    const rules = await import('./acknowledgment.ts')
    const commit = async () => {
      const taken = await this.#accept(call, uid, input, rules, await this.#kindsFor(uid))
      return isAnswer(taken, input) ? taken : this.#withInputs(call, { handoff: taken })
    }
    const taken = await pickUp(this.deps, call, uid, input, commit)
    if (!isAnswer(taken, input)) return taken
    const content = await this.deps.store.content(uid)
    return content ? rules.accepted(taken, content) : taken
  }

  /** Files are looked at before the transaction; only document 004 asks for them. */
  async #kindsFor(uid: string): Promise<Kinds | undefined> {
    const { runChecks, store } = this.deps
    const offered = runChecks && (await store.handoff(uid))
    const seen = offered && isAnswer(offered, {}) ? await store.content(uid) : undefined
    return seen && kindsOf(this.deps, seen.package)
  }

  #accept(call: Call, uid: string, input: AcceptInput, rules: Acknowledging, kinds: Kinds | undefined) {
    const options = {
      contents: saysMore(input) || Boolean(input.blockers?.length),
      first: (step: Step, offered: Handoff) => knowPerson(step) ?? knowTaker(step, offered),
    }
    return this.#change(call, 'handoff_accept', uid, input, options, (step, before) => {
      // Most acceptances need no look at the content. The others would run twice for it, so some ask at once.
      const content = { contents: [uid] }
      if (isAnswer(before, input) && !step.view.hasRead(content)) return needs(content)
      if (before.holder !== undefined) {
        if (input.take_over) return takenOver(step, before)
        // Taken is taken, by whichever session (S1-81).
        checkHolder(before, step.actor, 'wrong_state')
      }
      refuseLate(step, before)
      if (isAnswer(before, input)) return this.#acknowledge(step, before, input, rules, kinds)
      if (input.blockers?.length)
        return this.#ask(step, before, input.blockers.join('\n'), 'handoff.accept_partial')
      return begin(step, before, input)
    })
  }

  #acknowledge(
    step: Step,
    before: Handoff,
    input: AcceptInput,
    rules: Acknowledging,
    kinds: Kinds | undefined,
  ): Handoff {
    const { view, actor, at, deps } = step
    const content = mustContent(view, before.uid)
    const said = rules.acknowledge(before, content, input, {
      by: actor.name,
      at,
      agent: view.agent(before.to),
      capabilities: deps.policy.agents?.[before.to]?.capabilities ?? [],
      kinds,
    })
    view.putContent(before.uid, { ...content, acknowledgment: said })
    const asked = [...(said.blockers ?? []), ...(said.questions ?? [])]
    const { understanding: understood, questions } = said
    const fields = present({ understood, questions })
    // Permission is checked before missing fields.
    const moved =
      said.understood === 'yes'
        ? begin(step, before, input, fields)
        : this.#ask(step, before, asked.join('\n'), 'handoff.accept_partial')
    rules.refuseUnclear(before, said, input)
    if (said.understood === 'yes' && questions) askBeside(step, moved, questions)
    return moved
  }

  /** Takes the next handoff of the caller's queue, by priority and then age; nothing when the queue is empty. */
  async claim(call: Call, input: ClaimInput = {}): Promise<Handoff | undefined> {
    return (await this.claimed(call, input))?.handoff
  }

  /** The same, with the content that the transaction has read. */
  claimed(call: Call, input: ClaimInput): Promise<Claimed | undefined> {
    return claimNext(this.deps, call, input, (claimed) => this.#withInputs(call, claimed))
  }

  reject(
    call: Call,
    ref: string,
    reason: { readonly type: string; readonly message: string },
  ): Promise<Handoff> {
    const input = { reason: reason.message, reason_type: reason.type }
    return this.#change(call, 'handoff_reject', ref, input, {}, (step, before) => {
      refuseLate(step, before)
      return move(step, before, 'reject', {
        set: { rejection: { ...reason, by: step.actor.name, at: step.at } },
        fields: input,
      })
    })
  }

  /** Shows that the holder is alive; may tell progress, and that the work is blocked or goes on. */
  heartbeat(call: Call, ref: string, input: InputOf<typeof heartbeatFields>): Promise<Handoff> {
    return this.#change(call, 'handoff_heartbeat', ref, input, {}, (step, found) => {
      const before = revived(step, found, input.attempt)
      fence(before, input.attempt)
      const { progress, blocked } = input
      const set: Partial<Handoff> = {
        ...present({ progress }),
        ...(typeof blocked === 'string' && { blocked_on: blocked }),
      }
      if (typeof blocked === 'string' && before.state !== 'blocked')
        return move(step, before, 'block', { set, fields: { blocked_on: blocked } })
      if (blocked === false && before.state === 'blocked')
        return move(step, before, 'unblock', { set, unset: ['blocked_on'] })
      return beat(step, before, set)
    })
  }

  /** The receiver needs to know something; the handoff stays the same one and waits for its sender. */
  ask(call: Call, ref: string, question: string): Promise<Handoff> {
    return this.#change(call, 'handoff_ask', ref, { question }, { contents: true }, (step, found) => {
      const before = revived(step, found, undefined)
      refuseLate(step, before)
      return this.#ask(step, before, question)
    })
  }

  answer(call: Call, ref: string, text: string): Promise<Handoff> {
    return this.#change(call, 'handoff_answer', ref, { text }, { contents: true }, (step, before) => {
      if (before.state === 'needs_input' && before.resume === undefined)
        refuse('wrong_state', `nobody has asked anything about ${before.id}; it waits for ${before.to}`, {
          id: before.id,
          waiting_for: before.to,
        })
      if (isAnswerBeside(step, before)) return answerBeside(step, before, text)
      const gate = before.resume === 'needs_input'
      talk(step, before, { kind: 'answer', text })
      const answered = move(step, before, 'answer', {
        set: {
          ...(gate && { need: before.type === 'gate' ? ('gate' as const) : ('decision' as const) }),
          // The time to accept begins anew: it stood still while the question was open.
          ...(before.resume === 'offered' && offerDeadline(step, before)),
        },
        unset: gate ? ['resume'] : ['resume', 'need'],
        fields: { answer: text },
        progress: true,
      })
      tellAnswer(step, answered, text)
      return answered
    })
  }

  /** Hands in what was done. Where the receiver alone may close, this closes; elsewhere a verifier looks at it. */
  async submit(call: Call, ref: string, input: SubmitInput): Promise<Handoff & Pick<Result, 'checks'>> {
    const deps = this.deps
    const uid = await uidOf(deps, ref)
    const { attempt, ...given } = input
    const outlook = new Outlook(async () => {
      const travels = (await deps.store.content(uid))?.package
      const { deliverables = [], checks: declared } = travels ?? {}
      const shown = declared && { ...given, evidence: matchEvidence(deliverables, given.evidence ?? []) }
      return {
        checks: await checksFor(deps, call, { uid, role: 'receiver' }, declared, shown ?? {}),
        lacking: await outputConditions(deps, uid, travels, given),
      }
    })
    // Calls that are one change are decided once.
    if (call.together) await outlook.take()
    let isRepeated = true
    const options = { contents: true, first: (step: Step) => outlook.first(step, uid) }
    const submitting = this.#change(call, 'handoff_submit', uid, input, options, (step, found) => {
      isRepeated = false
      const { checks, lacking } = outlook.seen
      const before = revived(step, found, attempt)
      fence(before, attempt)
      const now = mustContent(step.view, before.uid)
      const evidence = matchEvidence(now.package.deliverables ?? [], given.evidence ?? [])
      const result: Result = {
        ...given,
        ...(evidence.length > 0 && { evidence }),
        ...present({ checks }),
        submitted_at: step.at,
      }
      const next = { ...now, result }
      const closes = receiverCompletes(before)
      step.view.putContent(before.uid, next)
      const { note, output } = result
      const fields = { evidence: result.evidence, note, output, ...present({ checks }) }
      const started =
        before.state === 'accepted' && closes
          ? move(step, before, 'start', { set: { started_at: step.at } })
          : before
      // Permission is checked before missing fields.
      const moved = move(step, started, closes ? 'complete' : 'submit', {
        fields,
        progress: true,
        act: 'handoff.submit',
        unset: givenBack(started) ? ['rejection'] : [],
      })
      refuseUnacknowledged(before, now)
      refuseUnseen(before, now)
      const isDeclared = before.review === 'none'
      const unmet = closes ? unmetConditions(before, next) : handInConditions(before, next)
      refuseUnmet(before.id, closes || isDeclared ? 'completed' : 'submitted', [...unmet, ...lacking])
      return isDeclared ? passDeclared(step, moved, next, checks) : moved
    })
    const done = await onceShown(deps, call, uid, submitting)
    // A repeated call ran nothing; the first one kept its run.
    const { checks } = isRepeated ? ((await deps.store.content(uid))?.result ?? {}) : outlook.seen
    return { ...done, ...present({ checks: checks && [...checks] }) }
  }

  /** The work cannot be done by this attempt. Tried again by itself where the retry rule and the error allow. */
  fail(
    call: Call,
    ref: string,
    input: InputOf<typeof failFields>,
    retry?: { readonly title?: string },
  ): Promise<Handoff> {
    const code = input.code ?? 'PROCESSING_ERROR'
    return this.#change(call, 'handoff_fail', ref, input, {}, (step, found) => {
      const before = revived(step, found, input.attempt)
      fence(before, input.attempt)
      const error: Failure = {
        code,
        message: input.message,
        severity: 'error',
        ...present({ details: input.details }),
        recovery_actions: [...recoveryActions(code, input.recovery_actions)],
      }
      return retry ? retriedAtOnce(step, before, error, retry) : failed(step, before, error, 'fail')
    })
  }

  /** Gives begun work back unfinished: it is offered again at once, and no attempt is spent. */
  release(call: Call, ref: string, input: InputOf<typeof releaseFields>): Promise<Handoff> {
    return this.#change(call, 'handoff_release', ref, input, {}, (step, before) => {
      fence(before, input.attempt)
      return released(step, before, input.reason)
    })
  }

  /** Another attempt, asked for by the sender. Who may ask comes first, then whether a retry is left. */
  retry(call: Call, ref: string): Promise<Handoff> {
    return this.#change(call, 'handoff_retry', ref, {}, {}, (step, before) => {
      const next = again(step, before)
      refuseSpent(before)
      return refuseFull(step, before, next) ?? next
    })
  }

  /** Document 001: work whose input is not there fails at once, where somebody can look. */
  async #withInputs(call: Call, { handoff: taken, ...known }: Claimed): Promise<Handoff> {
    const { runChecks, store } = this.deps
    if (taken.state !== 'in_progress' || !runChecks) return taken
    if (!HOME_RULES[taken.home].folder.includes('inputs')) return taken
    const content = known.content ?? (await store.content(taken.uid))
    const inputs = (content?.package.artifacts ?? []).filter(({ role }) => role === 'input')
    if (inputs.length === 0) return taken
    const wanted = inputs.map(({ path }) => ({ kind: 'file_exists' as const, path }))
    const checks = await runChecks(wanted, {})
    const missing: string[] = []
    // The store keeps the bytes of some, such as the log of a program that baton run started.
    for (const [at, { path, sha256 }] of inputs.entries())
      if (checks[at]?.ok === false && !(sha256 && (await store.blob(sha256)))) missing.push(path)
    if (missing.length === 0) return taken
    const message = `Required artifact not found: ${missing.join(', ')}`
    return this.fail({ actor: call.actor }, taken.uid, {
      code: 'DEPENDENCY_MISSING',
      message,
      attempt: taken.attempt,
    })
  }

  #ask(step: Step, before: Handoff, question: string, act?: string): Handoff {
    talk(step, before, { kind: 'question', text: question })
    return move(step, before, 'ask', {
      set: { need: 'clarification', resume: before.state },
      unset: ['ack_deadline'],
      fields: { question },
      ...present({ act }),
    })
  }

  async #change(
    call: Call,
    op: string,
    ref: string,
    input: unknown,
    options: {
      readonly contents?: boolean
      /** Done before anything else of the unit. */
      readonly first?: (step: Step, offered: Handoff) => Needs | undefined
    },
    decide: (step: Step, before: Handoff) => Handoff | Needs,
  ): Promise<Handoff> {
    const uid = await uidOf(this.deps, ref)
    return changeHandoff(this.deps, call, {
      op,
      input: { uid, input },
      uid,
      reads: { ...(options.contents && { contents: [uid] }), agents: [call.actor.name] },
      decide: (step, offered) => options.first?.(step, offered) ?? decide(step, takenUp(step, offered)),
    })
  }
}

/** Whether an acceptance is more than a yes, so that the content is needed to judge it. */
export const isAnswer = ({ home }: Handoff, input: AcceptInput): boolean =>
  HOME_RULES[home].begins === 'understood' || saysMore(input)

const saysMore = ({ understood, questions, from }: AcceptInput): boolean =>
  (understood ?? questions ?? from) !== undefined

/** Document 000 acknowledges first and starts later; everywhere else accepting is beginning, unless said. */
function begin(step: Step, before: Handoff, input: AcceptInput, said?: Record<string, unknown>): Handoff {
  const start = input.start ?? HOME_RULES[before.home].begins !== 'started'
  if (before.state === 'accepted' && start)
    return move(step, before, 'start', { set: { started_at: step.at }, ...present({ fields: said }) })
  return take(step, before, start, input.notes, said)
}

/** An acknowledgment at or after the deadline is refused even where no sweep has run. */
function refuseLate(step: Step, handoff: Handoff): void {
  if (handoff.state === 'offered' && isPast(handoff.ack_deadline, step.at))
    refuse(
      'wrong_state',
      `${handoff.id} expired at ${handoff.ack_deadline}; ask ${handoff.from} to send it again`,
      { id: handoff.id, ack_deadline: handoff.ack_deadline },
    )
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
        `${JSON.stringify(name)} is not one of the deliverables: ${known.map((d) => JSON.stringify(d)).join(', ') || 'there are none'}`,
        { deliverable: name, deliverables: known },
      )
    return { ...item, deliverable: only }
  })
}
