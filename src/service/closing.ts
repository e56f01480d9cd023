import { receiverCompletes, unmetConditions } from '../domain/guards.ts'
import type { Handoff } from '../domain/handoff.ts'
import type { Content, VerificationRecord } from '../domain/package.ts'
import type { Call, ServiceDeps } from './deps.ts'
import { must, uidOf } from './lookup.ts'
import { move, type Step } from './moves.ts'
import { talk } from './receiving.ts'
import { refuse, write } from './write.ts'

export interface VerifyInput {
  readonly pass: boolean
  readonly note?: string | undefined
  readonly checks?: VerificationRecord['deliverable_checks'] | undefined
}

export type GateChoice = 'approve' | 'reject' | 'question'

/** How a handoff ends well: verification, completion, a person's decision. */
export class Closing {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  /** Judges submitted work. A pass completes it; a refusal gives it back with the reason. */
  verify(call: Call, ref: string, input: VerifyInput): Promise<Handoff> {
    return this.#change(call, 'handoff_verify', ref, input, (step, before, content) => {
      const record = verification(step, content, input)
      const next: Content = { ...content, verifications: [...content.verifications, record] }
      const fields = { note: input.note }
      if (!input.pass) {
        if (!input.note) refuse('invalid_input', 'say why it does not pass, so that the receiver can mend it')
        const refused = move(step, before, 'refuse', { fields, progress: true, act: 'handoff.verify_fail' })
        step.view.putContent(before.uid, next)
        return refused
      }
      return this.#complete(step, before, next, { act: 'handoff.verify_pass', fields })
    })
  }

  /** Completes where the caller may and the home's guard holds. */
  complete(call: Call, ref: string): Promise<Handoff> {
    return this.#change(call, 'handoff_complete', ref, {}, (step, before, content) => {
      if (receiverCompletes(before)) return this.#complete(step, before, content, { act: 'handoff.complete' })
      const record = verification(step, content, { pass: true })
      const next = { ...content, verifications: [...content.verifications, record] }
      return this.#complete(step, before, next, { act: 'handoff.complete' })
    })
  }

  /** A person answers a gate or an escalation. The transport has made sure that it is a person. */
  async decide(call: Call, ref: string, choice: GateChoice, comment?: string): Promise<Handoff> {
    if (call.actor.kind !== 'human')
      refuse('not_allowed', `only a person can decide a gate, and ${call.actor.name} is not one`, {
        actor: call.actor.name,
      })
    return this.#change(call, 'gate_decide', ref, { choice, comment }, (step, before) => {
      if (before.type !== 'gate' && before.type !== 'escalation')
        refuse('wrong_state', `${before.id} is not a gate; use accept, reject or verify`, {
          id: before.id,
          type: before.type,
        })
      if (before.need === 'clarification')
        refuse('wrong_state', `${before.id} waits for ${before.from} to answer a question`, { id: before.id })
      if (choice === 'question' && !comment)
        refuse('invalid_input', 'say what you want to know with a comment')
      talk(step, before, {
        kind: choice === 'question' ? 'question' : 'decision',
        text: comment ?? '',
        choice,
      })
      const fields = { choice, comment }
      const act = `gate.${choice}`
      if (choice === 'approve')
        return move(step, before, 'approve', {
          fields,
          act,
          progress: true,
          set: { verified_by: call.actor.name },
          unset: ['need'],
        })
      if (choice === 'question')
        return move(step, before, 'question', {
          fields,
          act,
          set: { need: 'clarification', resume: 'needs_input' },
        })
      const rejection = { type: 'gate', message: comment ?? 'rejected', by: call.actor.name, at: step.at }
      return move(step, before, 'decline', {
        fields,
        act,
        progress: true,
        set: { rejection },
        unset: ['need'],
      })
    })
  }

  #complete(
    step: Step,
    before: Handoff,
    content: Content,
    change: { readonly act: string; readonly fields?: Readonly<Record<string, unknown>> },
  ): Handoff {
    // Who may is judged before what is missing: a stranger learns nothing of the work.
    const completed = move(step, before, 'complete', {
      ...change,
      set: { verified_by: step.actor.name },
      progress: true,
    })
    const unmet = unmetConditions(before, content)
    if (unmet.length > 0)
      refuse('unmet', `${before.id} cannot be completed: ${unmet.map((u) => u.message).join('; ')}`, {
        id: before.id,
        unmet,
      })
    step.view.putContent(before.uid, content)
    return completed
  }

  async #change(
    call: Call,
    op: string,
    ref: string,
    input: unknown,
    decide: (step: Step, before: Handoff, content: Content) => Handoff,
  ): Promise<Handoff> {
    const deps = this.#deps
    const uid = await uidOf(deps, ref)
    return write(deps, call, {
      op,
      input: { uid, input },
      reads: { handoffs: [uid], contents: [uid], agents: [call.actor.name] },
      decide: (view, at) => {
        const handoff = must(view, uid)
        const content = view.content(uid)
        if (!content) refuse('internal', 'the content of this handoff is missing')
        return decide({ deps, view, actor: call.actor, at }, handoff, content)
      },
      reload: (subject) => deps.store.handoff(subject),
    })
  }
}

/** What the verifier says of each deliverable; where it says nothing, the receiver's evidence is what it looked at. */
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
    ...(input.note !== undefined && { note: input.note }),
    deliverable_checks: checks,
  }
}
