import fc from 'fast-check'
import type { RunState, StepState } from '../../src/domain/workflow/run.ts'
import type { Workflow, WorkflowStep } from '../../src/domain/workflow/workflow.ts'

/** A small second telling of how workflows go, written apart from the program so that the two can disagree. */
export interface ModelStep {
  readonly step: WorkflowStep
  phase: 'waiting' | 'work' | 'gate' | 'failed' | 'done' | 'cancelled'
  agent: string
  tries: number
  gates: number
  failures: number
  routed: boolean
  worked: boolean
  escalations: number
  escalated: boolean
  advisory: boolean
  /** Open delegations from the work that is under way. */
  delegations: string[]
  /** Its last handoff failed, so that its sender may try that one again. */
  reopenable: boolean
}

export interface Model {
  readonly workflow: Workflow
  readonly steps: ModelStep[]
  cancelled: boolean
  delegated: number
  /** Notices that the delegator got because of an escalation, where that is no person. */
  readonly personDelegates: boolean
}

export type Move = StepMove | { readonly do: 'resume' } | { readonly do: 'cancel' }

export type StepMove =
  | { readonly do: 'complete'; readonly step: string; readonly sound: boolean }
  | { readonly do: 'fail' | 'reject' | 'cancel_work' | 'delegate' | 'ask' | 'reopen'; readonly step: string }
  | { readonly do: 'approve' | 'send_back' | 'cancel_gate' | 'send_over_gate'; readonly step: string }
  | { readonly do: 'advise' | 'try_again' | 'leave'; readonly step: string }
  | { readonly do: 'answer' | 'break'; readonly step: string; readonly id: string }

const AGENTS = ['ann', 'ben', 'cy'] as const

export const anyWorkflow: fc.Arbitrary<Workflow> = fc
  .record({
    home: fc.constantFrom('package' as const, 'native' as const),
    steps: fc.array(
      fc.record({
        agent: fc.constantFrom(...AGENTS),
        needs: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
        gate: fc.constantFrom(
          undefined,
          undefined,
          'blocking' as const,
          'blocking' as const,
          'advisory' as const,
          'auto' as const,
        ),
        retry: fc.nat({ max: 2 }),
        route: fc.constantFrom(undefined, undefined, 'ben', 'dora'),
        escalate: fc.constantFrom(undefined, undefined, 1, 2, 3),
        each: fc.boolean(),
        rules: fc.boolean(),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ home, steps }) => ({
    name: 'model',
    home,
    steps: steps.map(
      ({ agent, needs, gate, retry, route, escalate, each, rules }, i): WorkflowStep => ({
        id: `s${i}`,
        title: `Step ${i}`,
        agent,
        needs: i === 0 ? [] : [...new Set(needs.map((n) => `s${n % i}`))],
        ...(gate && { gate: { type: gate, name: `g${i}`, items: [], to: 'human' } }),
        ...(gate === 'auto' && { checks: [{ kind: 'file_exists' as const, path: 'a' }] }),
        ...(rules && {
          on_failure: {
            retry,
            ...(route !== undefined && { route_to: route }),
            ...(escalate !== undefined && { escalate_after: escalate }),
            ...(each && { mode: 'each_failure' as const }),
          },
        }),
      }),
    ),
  }))

export interface Choice {
  readonly pick: number
  readonly luck: number
}
export const anyChoices = (maxLength: number): fc.Arbitrary<readonly Choice[]> =>
  fc.array(fc.record({ pick: fc.nat({ max: 9_999 }), luck: fc.nat({ max: 99 }) }), {
    minLength: 4,
    maxLength,
    size: 'max',
  })

export function newModel(workflow: Workflow, personDelegates: boolean): Model {
  const model: Model = {
    workflow,
    personDelegates,
    cancelled: false,
    delegated: 0,
    steps: workflow.steps.map((step) => ({
      step,
      phase: 'waiting',
      agent: step.agent ?? '',
      tries: 0,
      gates: 0,
      failures: 0,
      routed: false,
      worked: false,
      escalations: 0,
      escalated: false,
      advisory: false,
      delegations: [],
      reopenable: false,
    })),
  }
  begin(model)
  return model
}

/** Everything that somebody could try now. */
export function movesOf(model: Model): readonly Move[] {
  const { steps } = model
  const isOver = model.cancelled || steps.every(({ phase }) => phase === 'done')
  const own = steps.flatMap(
    ({ step: { id }, phase, delegations, escalated, advisory, reopenable }): Move[] => [
      ...(phase === 'work'
        ? [
            { do: 'complete', step: id, sound: true } as const,
            { do: 'complete', step: id, sound: true } as const,
            { do: 'complete', step: id, sound: false } as const,
            { do: 'fail', step: id } as const,
            { do: 'reject', step: id } as const,
            { do: 'delegate', step: id } as const,
            { do: 'ask', step: id } as const,
            { do: 'cancel_work', step: id } as const,
          ]
        : []),
      ...(phase === 'gate'
        ? [
            { do: 'approve', step: id } as const,
            { do: 'approve', step: id } as const,
            { do: 'send_back', step: id } as const,
            { do: 'cancel_gate', step: id } as const,
            { do: 'send_over_gate', step: id } as const,
          ]
        : []),
      ...(phase === 'failed' && reopenable ? [{ do: 'reopen', step: id } as const] : []),
      ...(advisory ? [{ do: 'advise', step: id } as const] : []),
      ...(escalated ? [{ do: 'try_again', step: id } as const, { do: 'leave', step: id } as const] : []),
      ...delegations.flatMap((each) => [
        { do: 'answer', step: id, id: each } as const,
        { do: 'break', step: id, id: each } as const,
      ]),
    ],
  )
  const whole: Move[] = isOver ? [] : [{ do: 'resume' }, { do: 'resume' }]
  // Seldom: a walk that is cancelled at once learns little.
  return [...own, ...own, ...own, ...whole, ...(isOver ? [] : ([{ do: 'cancel' }] as const))]
}

/** What a move does. False: it is refused, and nothing changes. */
export function play(model: Model, move: Move): boolean {
  if (move.do === 'cancel') {
    model.cancelled = true
    for (const each of model.steps) {
      each.delegations = []
      each.escalated = false
      each.advisory = false
      if (each.phase !== 'done') each.phase = 'cancelled'
    }
    return true
  }
  if (move.do === 'resume') {
    for (const each of model.steps) if (each.phase === 'failed') again(each)
    begin(model)
    return true
  }
  const step = model.steps.find(({ step: { id } }) => id === move.step)!
  const allowed = one(model, step, move)
  if (allowed) begin(model)
  return allowed
}

function one(model: Model, step: ModelStep, move: StepMove): boolean {
  switch (move.do) {
    case 'complete':
      return completed(step, move.sound)
    case 'fail':
    case 'reject':
      failed(model, step, move.do === 'fail')
      return true
    case 'cancel_work':
      step.phase = 'failed'
      step.delegations = []
      step.reopenable = false
      return true
    case 'delegate':
      step.delegations.push(`d${model.delegated++}`)
      return true
    case 'answer':
    case 'break':
      step.delegations = step.delegations.filter((id) => id !== move.id)
      return true
    case 'approve':
      step.phase = 'done'
      return true
    case 'send_back':
      step.failures = 0
      work(step, step.agent)
      return true
    case 'cancel_gate':
    case 'send_over_gate':
      return false
    case 'reopen':
      step.phase = 'work'
      return true
    case 'advise':
      step.advisory = false
      return true
    case 'try_again':
      step.escalated = false
      if (step.phase === 'failed') again(step)
      return true
    case 'leave':
      step.escalated = false
      return true
    case 'ask':
      return true
  }
}

function completed(step: ModelStep, sound: boolean): boolean {
  if (step.delegations.length > 0) return false
  const type = step.step.gate?.type
  step.worked = true
  if (type === 'blocking' || (type === 'auto' && !sound)) {
    step.phase = 'gate'
    step.gates++
    return true
  }
  step.phase = 'done'
  if (type === 'advisory') {
    step.gates++
    step.advisory = true
  }
  return true
}

function failed(model: Model, step: ModelStep, canReopen: boolean): void {
  const rules = step.step.on_failure
  step.failures++
  step.delegations = []
  const escalates = rules?.escalate_after !== undefined && step.failures >= rules.escalate_after
  if (!escalates && step.failures <= (rules?.retry ?? 0))
    work(step, rules?.mode === 'each_failure' ? (rules.route_to ?? step.agent) : step.agent)
  else if (rules?.route_to !== undefined && !step.routed) {
    step.routed = true
    work(step, rules.route_to)
  } else {
    step.phase = 'failed'
    step.reopenable = canReopen
  }
  if (escalates && !step.escalated && model.personDelegates) {
    step.escalated = true
    step.escalations++
  }
}

/** Nobody's failures count any more, and the agent of the definition has it again. */
function again(step: ModelStep): void {
  step.failures = 0
  step.routed = false
  work(step, step.step.agent ?? '')
}

function work(step: ModelStep, agent: string): void {
  step.phase = 'work'
  step.agent = agent
  step.tries++
  step.worked = false
  step.delegations = []
}

function begin(model: Model): void {
  if (model.cancelled) return
  const isDone = (id: string) => model.steps.some(({ step, phase }) => step.id === id && phase === 'done')
  for (const each of model.steps)
    if (each.phase === 'waiting' && each.step.needs.every(isDone)) work(each, each.agent)
}

const STATES: Readonly<Record<ModelStep['phase'], StepState>> = {
  waiting: 'waiting',
  work: 'active',
  gate: 'gate',
  failed: 'failed',
  done: 'completed',
  cancelled: 'cancelled',
}

export function expected({ steps, cancelled }: Model): {
  readonly state: RunState
  readonly steps: readonly string[]
} {
  const has = (phase: ModelStep['phase']) => steps.some((each) => each.phase === phase)
  const state: RunState = cancelled
    ? 'cancelled'
    : steps.every(({ phase }) => phase === 'done')
      ? 'completed'
      : has('work')
        ? 'running'
        : has('gate')
          ? 'waiting'
          : 'failed'
  return {
    state,
    steps: steps.map((each) => `${each.step.id} ${STATES[each.phase]} ${each.agent} ${each.tries}`),
  }
}
