import { decideFailure } from '../blocks/failure-routing.ts'
import { type Refusal, refusalOf } from '../errors.ts'
import type { ArtifactRef } from '../handoffs/package.ts'
import type { State } from '../lifecycle.ts'
import { present } from '../present.ts'
import { definitionOf, type Run, type RunState, type RunStep, type StepDecision } from './run.ts'
import { valuesFor } from './step-input.ts'

/** An event of a run. `id` is always that of one of its handoffs. */
export type RunEvent =
  | { readonly kind: 'begin' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'cancel' }
  | {
      readonly kind: 'ended'
      readonly step?: string | undefined
      readonly id: string
      readonly state: State
      readonly by: string
      readonly reason?: string | undefined
      /** Problems found by declared checks and the validation; absent without either. */
      readonly problems?: readonly string[] | undefined
      readonly summary?: string | undefined
      readonly artifacts?: readonly ArtifactRef[] | undefined
      readonly next_steps?: readonly string[] | undefined
      readonly metadata?: Readonly<Record<string, unknown>> | undefined
      readonly output?: unknown
    }
  /** A failed handoff is offered again, or given to somebody else. */
  | { readonly kind: 'reopened'; readonly step: string; readonly id: string; readonly to: string }
  | { readonly kind: 'reassigned'; readonly step: string; readonly id: string; readonly to: string }
  /** The holder of the handoff `parent` has delegated a part of it. */
  | { readonly kind: 'delegated'; readonly id: string; readonly parent: string }

/** A handoff that a step needs. */
interface Needed {
  readonly step: string
  readonly id: string
  readonly to: string
}

/** The reason for another try or for asking, which the receiver must know. */
interface Because {
  readonly because?: string
}

/** An action that follows from an event; actions are done in order. */
export type RunAction =
  | (Needed & Because & { readonly do: 'start' })
  | (Needed & Because & { readonly do: 'gate'; readonly holds: boolean })
  | (Needed & { readonly do: 'escalate'; readonly text: string })
  | (Omit<Needed, 'id'> & {
      readonly do: 'notify'
      readonly kind: 'failed' | 'escalated'
      readonly text: string
    })
  | { readonly do: 'finish'; readonly state: 'completed' | 'failed'; readonly text: string }

type Advance = { readonly ok: true; readonly run: Run; readonly actions: readonly RunAction[] } | Refusal

/** A run in the making: steps are replaced, actions are added. */
interface Draft {
  run: Run
  readonly actions: RunAction[]
  refused?: Refusal
}

/** Applies one event to a run. Pure: the same run and event give the same answer. */
export function advance(run: Run, event: RunEvent): Advance {
  const draft: Draft = { run, actions: [] }
  const apply = APPLY[event.kind] as (draft: Draft, event: RunEvent) => void
  apply(draft, event)
  if (draft.refused) return draft.refused
  if (draft.run.state !== 'cancelled') {
    startReady(draft)
    if (draft.run !== run) conclude(draft, run.state)
  }
  return { ok: true, run: draft.run, actions: draft.actions }
}

/** How each kind of event changes a run. */
const APPLY: {
  readonly [Kind in RunEvent['kind']]: (draft: Draft, event: Extract<RunEvent, { kind: Kind }>) => void
} = {
  begin: () => undefined,
  resume,
  cancel,
  ended,
  reopened,
  reassigned: (draft, { step: name, id, to }) => {
    const step = stepOf(draft.run, name)
    if (step?.handoff === id && step.state === 'active') put(draft, { ...step, agent: to })
  },
  delegated: (draft, { id, parent }) => {
    const step = draft.run.steps.find(({ handoff }) => handoff === parent)
    if (step?.state === 'active') put(draft, { ...step, delegations: [...(step.delegations ?? []), id] })
  },
}

/** Starts every step whose needs are completed. */
function startReady(draft: Draft): void {
  for (const { id, needs } of draft.run.workflow.steps) {
    const step = stepOf(draft.run, id)
    if (step?.state !== 'waiting') continue
    if (needs.every((need) => stepOf(draft.run, need)?.state === 'completed')) start(draft, step, {})
  }
}

/** Fields of a step that its next try begins without. */
const OF_ONE_TRY = [
  'gate',
  'error',
  'worked',
  'delegations',
  'summary',
  'artifacts',
  'next_steps',
  'metadata',
  'values',
] as const

function start(draft: Draft, step: RunStep, more: Partial<RunStep>, because?: string): void {
  const tries = step.tries + 1
  const rest = { ...step }
  for (const key of OF_ONE_TRY) delete rest[key]
  const id = stepHandoffId(draft.run, step.id, tries)
  const next: RunStep = { ...rest, ...more, state: 'active', tries, handoff: id }
  put(draft, next)
  draft.actions.push({ do: 'start', step: step.id, id, to: next.agent, ...present({ because }) })
}

type Ended = Extract<RunEvent, { kind: 'ended' }>

function ended(draft: Draft, event: Ended): void {
  const waiting = draft.run.steps.find(({ delegations }) => delegations?.includes(event.id))
  const others = waiting?.delegations?.filter((id) => id !== event.id)
  if (waiting && others) put(draft, { ...waiting, delegations: others })
  const step = event.step === undefined ? undefined : stepOf(draft.run, event.step)
  if (!step || draft.run.state === 'cancelled') return
  if (event.id === step.gate && step.state === 'gate') gateEnded(draft, step, event)
  else if (event.id === step.advisory) {
    const { advisory: _, ...rest } = step
    put(draft, { ...rest, ...decided(event) })
  } else if (event.id === step.escalation) escalationEnded(draft, step, event)
  else if (event.id === step.handoff && step.state === 'active')
    (event.state === 'completed' ? worked : stepFailed)(draft, step, event)
}

/** The step's agent is done. Delegating does not do the step: what was delegated comes back first. */
function worked(draft: Draft, step: RunStep, event: Ended): void {
  const [open] = step.delegations ?? []
  if (open !== undefined) {
    const message = `${event.id} waits for ${open}, which was delegated from it; wait for its return or cancel it`
    draft.refused = refusalOf('unmet', message, { id: event.id, delegations: step.delegations })
    return
  }
  const { gate } = definitionOf(draft.run, step.id)
  const { summary, artifacts, next_steps, metadata, problems } = event
  const values = valuesFor(draft.run, step.id, event.output)
  const done: RunStep = {
    ...step,
    worked: true,
    ...present({ summary, artifacts, next_steps, metadata }),
    ...(Object.keys(values).length > 0 && { values }),
  }
  if (!gate) put(draft, completed(done))
  else if (gate.type === 'advisory') openGate(draft, completed(done))
  else if (gate.type === 'auto' && problems?.length === 0)
    put(draft, completed({ ...done, decision: { choice: 'auto' } }))
  else openGate(draft, done, gate.type === 'auto' ? autoReason(problems) : undefined)
}

const autoReason = (problems: readonly string[] | undefined): string =>
  problems === undefined || problems.length === 0
    ? 'Nothing that was declared could be checked, so a person decides.'
    : `Not passed by itself: ${problems.join('; ')}.`

function completed(step: RunStep): RunStep {
  const { gate: _, error: __, delegations: ___, ...rest } = step
  return { ...rest, state: 'completed' }
}

/** A completed step is asked about and goes on; any other waits for the answer. */
function openGate(draft: Draft, step: RunStep, because?: string): void {
  const { gate } = definitionOf(draft.run, step.id)
  if (!gate) return
  const gates = step.gates + 1
  const id = stepHandoffId(draft.run, `${step.id}.gate`, gates)
  const holds = step.state !== 'completed'
  const { error: _, ...rest } = step
  put(draft, holds ? { ...rest, state: 'gate', gate: id, gates } : { ...rest, advisory: id, gates })
  draft.actions.push({ do: 'gate', step: step.id, id, to: gate.to, holds, ...present({ because }) })
}

function gateEnded(draft: Draft, step: RunStep, event: Ended): void {
  const { id: run } = draft.run
  const { gate: _, ...rest } = step
  if (event.state === 'completed') put(draft, completed({ ...step, ...decided(event) }))
  else if (event.state === 'rejected') {
    const because = `Adjustments required by ${event.by}${event.reason ? `: ${event.reason}` : ''}`
    start(draft, step, { failures: 0, ...decided(event) }, because)
  } else if (event.state === 'cancelled') {
    const message = `${event.id} is a gate of ${run}, and only a person can decide it; to stop everything: baton workflow cancel ${run}`
    draft.refused = refusalOf('wrong_state', message, { id: event.id, run })
  } else put(draft, { ...rest, state: 'failed', error: `nobody decided ${event.id} in time` })
}

function decided({ state, by, reason }: Ended): { readonly decision?: StepDecision } {
  if (state !== 'completed' && state !== 'rejected') return {}
  const choice = state === 'completed' ? 'approve' : 'reject'
  return { decision: { choice, by, ...(reason && { comment: reason }) } }
}

/** The receiver of the escalation lets the step be tried again, or leaves it as it is. */
function escalationEnded(draft: Draft, step: RunStep, { state, by, reason }: Ended): void {
  const { escalation: _, ...rest } = step
  const again = state === 'completed' && step.state === 'failed'
  if (!again) put(draft, rest)
  else afresh(draft, rest, `${by} lets it be tried again${reason ? `: ${reason}` : ''}`)
}

function stepFailed(draft: Draft, step: RunStep, event: Ended): void {
  const { run } = draft
  const error = event.reason ?? event.state
  const { delegations: _, ...rest } = step
  // Its sender took the step back: no rule about failures was meant by that.
  if (event.state === 'cancelled') {
    put(draft, { ...rest, state: 'failed', error: 'its handoff was cancelled' })
    return
  }
  const { on_failure } = definitionOf(run, step.id)
  const { delegator } = run
  const failed = { retry_count: step.failures, on_failure, delegator, mode: on_failure?.mode }
  const decision = decideFailure(failed)
  const failures = step.failures + 1
  const told = `Step ${step.id} of ${run.id} failed (${failures}): ${error}`
  const next: RunStep = { ...rest, failures, error }
  if (decision.notify !== undefined)
    draft.actions.push({ do: 'notify', step: step.id, to: decision.notify, kind: 'failed', text: told })
  const because = [`The try before failed: ${error}`, decision.context].filter(Boolean).join('\n')
  if (decision.retry) {
    const agent = decision.retry.agent === 'same' ? step.agent : decision.retry.agent
    start(draft, next, { agent }, because)
  } else if (decision.route_to !== undefined && !step.routed)
    start(draft, next, { agent: decision.route_to, routed: true }, because)
  else put(draft, { ...next, state: 'failed' })
  if (decision.escalate_to !== undefined)
    escalate(draft, step.id, decision.escalate_to, `${told}\n${because}`)
}

function escalate(draft: Draft, id: string, to: string, text: string): void {
  const step = stepOf(draft.run, id)
  if (!step || step.escalation !== undefined) return
  if (draft.run.kinds[to] !== 'human') {
    draft.actions.push({ do: 'notify', step: id, to, kind: 'escalated', text })
    return
  }
  const escalations = step.escalations + 1
  const handoff = stepHandoffId(draft.run, `${id}.escalation`, escalations)
  put(draft, { ...step, escalations, escalation: handoff })
  draft.actions.push({ do: 'escalate', step: id, id: handoff, to, text })
}

function resume(draft: Draft): void {
  const { run } = draft
  if (run.state === 'completed' || run.state === 'cancelled') draft.refused = over(run, 'resumed')
  for (const step of run.steps) {
    if (step.state !== 'failed') continue
    if (step.worked) openGate(draft, step)
    else afresh(draft, step, step.error === undefined ? undefined : `The try before failed: ${step.error}`)
  }
}

/** From the beginning: the agent of the definition, and no failure counts. */
function afresh(draft: Draft, step: RunStep, because?: string): void {
  const { routed: _, ...rest } = step
  const { agent = step.agent } = definitionOf(draft.run, step.id)
  start(draft, rest, { agent, failures: 0 }, because)
}

function cancel(draft: Draft): void {
  const { run } = draft
  if (run.state === 'completed') draft.refused = over(run, 'cancelled')
  if (run.state === 'completed' || run.state === 'cancelled') return
  const steps = run.steps.map((step): RunStep => {
    if (step.state === 'completed') return step
    const { gate: _, escalation: __, delegations: ___, ...rest } = step
    return { ...rest, state: 'cancelled' }
  })
  draft.run = { ...run, state: 'cancelled', steps }
}

function over({ id, state, name }: Run, what: string): Refusal {
  const how = `start it again with: baton workflow start ${name}`
  return refusalOf('wrong_state', `${id} is ${state} and cannot be ${what}; ${how}`, { run: id, state })
}

function reopened(draft: Draft, { step: name, id, to }: Extract<RunEvent, { kind: 'reopened' }>): void {
  const { run } = draft
  const step = stepOf(run, name)
  if (step?.handoff === id && step.state === 'failed') {
    const { error: _, ...rest } = step
    put(draft, { ...rest, state: 'active', agent: to })
    return
  }
  const now = step?.handoff !== undefined && step.handoff !== id ? ` and went on with ${step.handoff}` : ''
  const message = `step ${name} of ${run.id} is ${step?.state ?? 'unknown'}${now}; ${id} cannot be tried again`
  draft.refused = refusalOf('wrong_state', message, { run: run.id, step: name, handoff: step?.handoff })
}

/** The state of the whole follows from its steps. */
function conclude(draft: Draft, before: RunState): void {
  const { run } = draft
  const has = (state: RunStep['state']) => run.steps.some((step) => step.state === state)
  const state: RunState = run.steps.every((step) => step.state === 'completed')
    ? 'completed'
    : has('active')
      ? 'running'
      : has('gate')
        ? 'waiting'
        : 'failed'
  draft.run = { ...run, state }
  if (state === before || (state !== 'completed' && state !== 'failed')) return
  const broken = run.steps.filter((step) => step.state === 'failed')
  const text =
    state === 'completed'
      ? `Workflow ${run.id} is completed`
      : `Workflow ${run.id} stopped: ${broken.map(({ id, error }) => `${id} (${error ?? 'failed'})`).join(', ')}; go on with: baton workflow resume ${run.id}`
  draft.actions.push({ do: 'finish', state, text })
}

const stepOf = (run: Run, id: string): RunStep | undefined => run.steps.find((step) => step.id === id)

const stepHandoffId = (run: Run, name: string, count: number): string =>
  `${run.id}.${name}${count === 1 ? '' : `.${count}`}`

function put(draft: Draft, step: RunStep): void {
  const steps = draft.run.steps.map((each) => (each.id === step.id ? step : each))
  draft.run = { ...draft.run, steps }
}
