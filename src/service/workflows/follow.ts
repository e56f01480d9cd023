import { validationProblems } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Content } from '../../domain/handoffs/package.ts'
import { isEnd } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import type { Run } from '../../domain/workflow/run.ts'
import { advance, type RunEvent } from '../../domain/workflow/run-steps.ts'
import type { Step } from '../handoffs/moves.ts'
import { enter } from '../log-record.ts'
import { demand } from '../write.ts'
import { perform } from './perform.ts'

/** Characters of an agent's words on its result and its evidence that go on to the gate and the next step. */
const SUMMARY_LENGTH = 1_000
const KEPT_ARTIFACTS = 50

/**
 * Called for every step that a handoff takes: the run that it belongs to moves on in the same transaction, so that
 * neither a crash nor a race can leave a completed step without the one that follows.
 */
export function followRun(step: Step, before: Handoff, after: Handoff): void {
  if (after.run === undefined) return
  const run = step.view.run(after.run)
  const event = run && eventOf(step, before, after)
  if (run && event) advanceRun(step, run, event)
}

/** Applies an event: the run as it is then, its entry in the log, and everything that follows from it. */
export function advanceRun(step: Step, run: Run, event: RunEvent, act?: string): Run {
  const result = advance(run, event)
  demand(result)
  if (!result.ok || result.run === run) return run
  const next = putRun(step, run, result.run, act ?? `workflow.${event.kind}`)
  for (const action of result.actions) perform(step, next.uid, action)
  return step.view.run(next.uid) ?? next
}

export function putRun(step: Step, before: Run | undefined, after: Run, act: string): Run {
  const { view, at } = step
  const { ended_at: _, ...rest } = after
  const over = after.state !== 'running' && after.state !== 'waiting'
  const run: Run = {
    ...rest,
    rev: (before?.rev ?? 0) + 1,
    updated_at: at,
    ...(over && { ended_at: before?.state === after.state ? (before.ended_at ?? at) : at }),
  }
  view.putRun(run)
  const record = { ...present({ from: before?.state }), to: run.state }
  enter(step, act, { k: 'run', id: run.uid, rev: run.rev, stream: run.uid, record })
  return run
}

function eventOf({ view, actor }: Step, before: Handoff, after: Handoff): RunEvent | undefined {
  const { id, step, to } = after
  if (isEnd(after.state) && !isEnd(before.state)) {
    const content = view.content(after.uid)
    return {
      kind: 'ended',
      id,
      step,
      state: after.state,
      by: actor.name,
      reason: stepReason(after, content),
      ...outcomeOf(content),
    }
  }
  if (before.state === 'draft' && after.state === 'offered' && after.type === 'delegation') {
    const parent = after.parent === undefined ? undefined : view.handoff(after.parent)
    return parent && { kind: 'delegated', id, parent: parent.id }
  }
  if (step === undefined) return undefined
  if (isEnd(before.state) && !isEnd(after.state)) return { kind: 'reopened', step, id, to }
  return before.to === to ? undefined : { kind: 'reassigned', step, id, to }
}

function stepReason(handoff: Handoff, content: Content | undefined): string | undefined {
  switch (handoff.state) {
    case 'failed':
      return handoff.error?.message
    case 'rejected':
      return handoff.rejection?.message
    case 'expired':
      return `${handoff.to} did not answer in time`
    default:
      return content?.thread.findLast(({ kind }) => kind === 'decision')?.text
  }
}

function outcomeOf(content: Content | undefined): Partial<Extract<RunEvent, { kind: 'ended' }>> {
  const result = content?.result
  if (!result) return {}
  const said = [
    result.note ?? (typeof result.output === 'string' ? result.output : undefined),
    ...(result.evidence ?? []).map(({ deliverable, evidence }) => `${deliverable}: ${evidence}`),
  ]
    .filter(Boolean)
    .join('\n')
  const checks = content.verifications.at(-1)?.checks ?? result.checks ?? []
  const declared = (content.package.checks?.length ?? 0) > 0 || result.validation !== undefined
  const problems = [
    ...checks
      .filter(({ ok }) => ok !== true)
      .map(({ name, ok }) => `${name} ${ok === false ? 'failed' : 'was not run'}`),
    ...((content.package.checks?.length ?? 0) > checks.length ? ['not every check was run'] : []),
    ...validationProblems(result.validation ?? {}),
  ]
  return {
    ...(said !== '' && { summary: said.slice(0, SUMMARY_LENGTH) }),
    ...present({ next_steps: result.next_steps, metadata: result.metadata, output: result.output }),
    ...(result.artifacts?.length && { artifacts: result.artifacts.slice(0, KEPT_ARTIFACTS) }),
    ...(declared && { problems }),
  }
}
