import { receiverCompletes, unmetConditions } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { VerifyInput } from '../../domain/handoffs/inputs.ts'
import type { Content, VerificationRecord } from '../../domain/handoffs/package.ts'
import { choiceOf } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Call } from '../deps.ts'
import { mustContent, uidOf } from '../lookup.ts'
import { refuse, UseCases } from '../write.ts'
import { type Change, changeHandoff, move, reasoned, type Step } from './moves.ts'
import { outputConditions } from './output-conditions.ts'
import { talk } from './thread.ts'

/** How a handoff ends well: verification, completion, a person's decision. */
export class Closure extends UseCases {
  /** Judges submitted work. A pass completes it; a refusal gives it back with the reason. */
  async verify(call: Call, ref: string, input: VerifyInput): Promise<Handoff> {
    const lacking = input.pass ? await this.#lacking(ref) : []
    return this.#change(call, 'handoff_verify', ref, input, (step, before, content) => {
      const record = verification(step, content, input)
      const next: Content = { ...content, verifications: [...content.verifications, record] }
      const fields = { note: input.note }
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
    })
  }

  /** Completes where the caller may and the home's guard holds. */
  async complete(call: Call, ref: string): Promise<Handoff> {
    const lacking = await this.#lacking(ref)
    const change = { act: 'handoff.complete', lacking }
    return this.#change(call, 'handoff_complete', ref, {}, (step, before, content) => {
      if (receiverCompletes(before)) return this.#complete(step, before, content, change)
      const record = verification(step, content, { pass: true })
      const next = { ...content, verifications: [...content.verifications, record] }
      return this.#complete(step, before, next, change)
    })
  }

  /** A person answers a gate or an escalation. The transport has made sure that it is a person. */
  async decide(call: Call, ref: string, said: string, comment?: string): Promise<Handoff> {
    if (call.actor.kind !== 'human')
      refuse('not_allowed', `only a person can decide a gate, and ${call.actor.name} is not one`, {
        actor: call.actor.name,
      })
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

  /** A file that was handed in before may be gone by now. */
  async #lacking(ref: string): Promise<readonly Problem[]> {
    return this.deps.judgeOutput ? outputConditions(this.deps, await uidOf(this.deps, ref)) : []
  }

  async #change(
    call: Call,
    op: string,
    ref: string,
    input: unknown,
    decide: (step: Step, before: Handoff, content: Content) => Handoff,
  ): Promise<Handoff> {
    const uid = await uidOf(this.deps, ref)
    return changeHandoff(this.deps, call, {
      op,
      input: { uid, input },
      uid,
      reads: { contents: [uid], agents: [call.actor.name] },
      decide: (step, before) => decide(step, before, mustContent(step.view, uid)),
    })
  }
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

/** The verifier's check of each deliverable; without one, the receiver's evidence is taken over. */
function verification(step: Step, content: Content, input: VerifyInput): VerificationRecord {
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
    verified_by: step.actor.name,
    pass: input.pass,
    ...present({ note: input.note }),
    deliverable_checks: checks,
  }
}
