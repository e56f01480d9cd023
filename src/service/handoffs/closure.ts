import { ANYONE, ENGINE } from '../../domain/actor.ts'
import { checkName, receiverCompletes, rolesOf, unmetConditions } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { VerifyInput } from '../../domain/handoffs/inputs.ts'
import type { CheckResult, Content, VerificationRecord } from '../../domain/handoffs/package.ts'
import { isOpen } from '../../domain/lifecycle.ts'
import { choiceOf } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Call } from '../deps.ts'
import { mustContent, uidOf } from '../lookup.ts'
import { refuse, refuseUnmet, UseCases } from '../write.ts'
import { onceShown, refuseUnseen } from './edits.ts'
import { type Change, changeHandoff, move, notify, reasoned, type Step } from './moves.ts'
import { checksFor, Outlook, outputConditions } from './output-conditions.ts'
import { entered, talk } from './thread.ts'

/** How a handoff ends well: verification, completion, a person's decision. */
export class Closure extends UseCases {
  /** Judges submitted work. A pass completes it; a refusal gives it back with the reason. */
  async verify(call: Call, ref: string, input: VerifyInput): Promise<Handoff> {
    return this.#change(
      call,
      'handoff_verify',
      ref,
      input,
      (step, before, content, { lacking, checks }) => {
        const record = { ...verification(step, content, input), ...present({ checks }) }
        const next: Content = { ...content, verifications: [...content.verifications, record] }
        const fields = { note: input.note, ...present({ checks }) }
        if (!input.pass) {
          if (!input.note)
            refuse('invalid_input', 'say why it does not pass, so that the receiver can correct it')
          const why = reasoned(step, 'given_back', input.note)
          const how = { fields, progress: true, act: 'handoff.verify_fail' }
          const refused = move(step, before, 'refuse', { ...why, ...how })
          step.view.putContent(before.uid, next)
          return refused
        }
        return this.#complete(step, before, next, { act: 'handoff.verify_pass', fields, lacking })
      },
      input.pass,
    )
  }

  /** Completes where the caller may and the home's guard holds. */
  async complete(call: Call, ref: string): Promise<Handoff> {
    const uid = await uidOf(this.deps, ref)
    const completing = this.#change(
      call,
      'handoff_complete',
      uid,
      {},
      (step, before, content, { lacking, checks }) => {
        const change = { act: 'handoff.complete', lacking, fields: present({ checks }) }
        const own = checks ? { ...content, result: { ...content.result, checks } } : content
        if (receiverCompletes(before)) {
          const completed = this.#complete(step, before, own, change)
          refuseUnseen(before, content)
          return completed
        }
        const record = { ...verification(step, content, { pass: true }), ...present({ checks }) }
        const next = { ...content, verifications: [...content.verifications, record] }
        return this.#complete(step, before, next, change)
      },
      true,
    )
    return onceShown(this.deps, call, uid, completing)
  }

  /** A person answers a gate or an escalation. The transport has made sure that it is a person. */
  async decide(call: Call, ref: string, said: string, comment?: string): Promise<Handoff> {
    onlyPerson(call, 'decide a gate')
    return this.#change(call, 'gate_decide', ref, { choice: said, comment }, (step, before, content) => {
      if (before.type !== 'gate' && before.type !== 'escalation')
        refuse('wrong_state', `${before.id} is not a gate; use accept, reject or verify`, {
          id: before.id,
          type: before.type,
        })
      if (before.need === 'clarification')
        refuse('wrong_state', `${before.id} waits for ${before.from} to answer a question`, { id: before.id })
      const chosen = choiceOf(before, content.package.validation_request?.options, said)
      if (!chosen.ok) return refuse(chosen.code, chosen.message, chosen.details)
      return answered(step, before, chosen, comment)
    })
  }

  /** A person lets work go on without a check that cannot run or does not hold. Its receiver has no say in that. */
  async waive(call: Call, ref: string, said: string): Promise<Handoff> {
    onlyPerson(call, 'waive a check')
    return this.#change(call, 'handoff_waive', ref, { check: said }, (step, before, content) => {
      const { id, state, to } = before
      if (!isOpen(state)) refuse('wrong_state', `${id} is ${state}; there is nothing left to waive`, { id })
      if (step.actor.name === to)
        refuse('not_allowed', `${to} may not waive a check of ${id}; its receiver is judged by it`, { id })
      const names = [...new Set((content.package.checks ?? []).map(checkName))]
      const known = `its checks: ${names.join(', ')}`
      const [check, ...others] = names.filter(
        (name) => name === said || name.endsWith(` ${JSON.stringify(said)}`),
      )
      if (check === undefined || others.length > 0)
        return refuse('invalid_input', `${id} has no check ${JSON.stringify(said)}; ${known}`, { id })
      const waiver = { check, by: step.actor.name, at: step.at }
      step.view.putContent(before.uid, { ...content, waived: [...(content.waived ?? []), waiver] })
      return entered(step, before, 'handoff.waive', { checks: [check] })
    })
  }

  /** Says something without asking and without moving the work; the others who have to do with it are told. */
  async comment(call: Call, ref: string, text: string): Promise<Handoff> {
    return this.#change(call, 'handoff_comment', ref, { text }, (step, before) => {
      const { view, actor } = step
      const { id, from, to } = before
      const roles = rolesOf(actor, before, this.deps.policy, view.agent(actor.name))
      if (roles.size === 0 && actor.kind !== 'human')
        refuse('not_allowed', `${actor.name} may not comment on ${id}; it is between ${from} and ${to}`, {
          id,
        })
      talk(step, before, { kind: 'comment', text })
      const next = entered(step, before, 'handoff.comment', { remark: text }, false)
      for (const name of new Set([from, to]))
        if (name !== actor.name && name !== ANYONE)
          notify(step, name, 'commented', next, `${actor.name} on ${id}: ${text}`)
      return next
    })
  }

  #complete(
    step: Step,
    before: Handoff,
    content: Content,
    { lacking, ...change }: Pick<Change, 'act' | 'fields'> & { readonly lacking: readonly Problem[] },
  ): Handoff {
    // Permission is checked before missing fields: a stranger learns nothing of the work.
    const completed = move(step, before, 'complete', {
      ...change,
      set: { verified_by: step.actor.name },
      progress: true,
    })
    const unmet = [...unmetConditions(before, content), ...lacking]
    if (unmet.length > 0)
      refuse('unmet', `${before.id} cannot be completed: ${unmet.map((u) => u.message).join('; ')}`, {
        id: before.id,
        home: before.home,
        unmet,
      })
    step.view.putContent(before.uid, content)
    return completed
  }

  /** A file that was handed in before may be gone by now, and the run of the checks that counts is this one. */
  async #judged(call: Call, uid: string) {
    const { package: pack, result = {} } = (await this.deps.store.content(uid)) ?? {}
    const checks = await checksFor(this.deps, call, { uid, role: 'completer' }, pack?.checks, result)
    return { lacking: await outputConditions(this.deps, uid, pack), checks }
  }

  async #change(
    call: Call,
    op: string,
    ref: string,
    input: unknown,
    decide: (step: Step, before: Handoff, content: Content, seen: Outlook['seen']) => Handoff,
    isJudged = false,
  ): Promise<Handoff> {
    const uid = await uidOf(this.deps, ref)
    const outlook = new Outlook(() => this.#judged(call, uid))
    // Calls that are one change are decided once.
    if (isJudged && call.together) await outlook.take()
    return changeHandoff(this.deps, call, {
      op,
      input: { uid, input },
      uid,
      reads: { contents: [uid], agents: [call.actor.name] },
      decide: (step, before) =>
        (isJudged ? outlook.first(step, uid) : undefined) ??
        decide(step, before, mustContent(step.view, uid), outlook.seen),
    })
  }
}

function onlyPerson({ actor: { kind, name } }: Call, what: string): void {
  if (kind !== 'human')
    refuse('not_allowed', `only a person can ${what}, and ${name} is not one`, { actor: name })
}

/** The person's answer in the thread, in the log and as the next step. */
function answered(
  step: Step,
  before: Handoff,
  { choice, option }: { readonly choice: string; readonly option?: string },
  comment: string | undefined,
): Handoff {
  const fields = { choice, comment }
  if (choice === 'question') {
    if (!comment) refuse('invalid_input', 'say what you want to know with a comment')
    talk(step, before, { kind: 'question', text: comment, choice })
    const set = { need: 'clarification', resume: 'needs_input' } as const
    return move(step, before, 'question', { fields, act: 'gate.question', set })
  }
  talk(step, before, { kind: 'decision', text: comment ?? '', choice })
  if (choice === 'reject') {
    const rejection = { type: 'gate', message: comment ?? 'rejected', by: step.actor.name, at: step.at }
    const set = { rejection, choice }
    return move(step, before, 'decline', { fields, act: 'gate.reject', progress: true, set, unset: ['need'] })
  }
  if (before.type === 'escalation') keepDecision(step, before, option ?? choice, comment)
  return move(step, before, 'approve', {
    fields,
    act: option === undefined ? 'gate.approve' : 'gate.choose',
    progress: true,
    set: { verified_by: step.actor.name, choice },
    unset: ['need'],
  })
}

/** A person's choice is kept as a decision like an agent's, with an id and the reason given. */
function keepDecision({ view }: Step, { uid, id }: Handoff, decision: string, rationale?: string): void {
  const content = mustContent(view, uid)
  const made = { id: `D-${id}`, decision, ...present({ rationale }) }
  view.putContent(uid, { ...content, result: { ...content.result, decisions: [made] } })
}

/** Completes work that was handed in by the checks that its sender declared in place of a review. */
export function passDeclared(
  step: Step,
  handedIn: Handoff,
  content: Content,
  checks: CheckResult[] | undefined,
): Handoff {
  const { from, uid, id } = handedIn
  const note = `Declared by ${from} when it was sent: review none`
  const record = verification(step, content, { pass: true, note }, from)
  const next = {
    ...content,
    verifications: [...content.verifications, { ...record, ...present({ checks }) }],
  }
  const completed = move({ ...step, actor: ENGINE }, handedIn, 'complete', {
    act: 'handoff.verify_pass',
    as: 'completer',
    set: { verified_by: from },
    fields: { note, ...present({ checks }) },
    progress: true,
  })
  refuseUnmet(id, 'completed', unmetConditions(handedIn, next))
  step.view.putContent(uid, next)
  return completed
}

/** The verifier's check of each deliverable; without one, the receiver's evidence is taken over. */
function verification(
  step: Step,
  content: Content,
  input: VerifyInput,
  by: string = step.actor.name,
): VerificationRecord {
  const evidence = new Map((content.result?.evidence ?? []).map((e) => [e.deliverable.trim(), e.evidence]))
  const status = input.pass ? ('verified' as const) : ('refused' as const)
  const checks =
    input.checks ??
    [...new Set((content.package.deliverables ?? []).map((d) => d.trim()))].map((deliverable) => ({
      deliverable,
      status,
      evidence: evidence.get(deliverable) ?? '',
    }))
  return {
    verified_at: step.at,
    verified_by: by,
    pass: input.pass,
    ...present({ note: input.note }),
    deliverable_checks: checks,
  }
}
