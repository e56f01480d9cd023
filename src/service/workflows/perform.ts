import type { Actor } from '../../domain/actor.ts'
import type { Check, Package } from '../../domain/handoffs/package.ts'
import { STEP_HOMES } from '../../domain/home.ts'
import { CHOICES } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import { definitionOf, type Run, type RunStep, workflowState } from '../../domain/workflow/run.ts'
import type { RunAction } from '../../domain/workflow/run-steps.ts'
import { inputOf } from '../../domain/workflow/step-input.ts'
import type { Step } from '../handoffs/moves.ts'
import { type PlacedHandoff, placeHandoff } from '../handoffs/placement.ts'
import { addNotice } from '../people/notification.ts'

/** Does one thing that follows for a run. */
export function perform(step: Step, uid: string, action: RunAction): void {
  const run = step.view.run(uid)
  if (!run) return
  if (action.do === 'start') startStep(step, run, action)
  else if (action.do === 'gate') openGate(step, run, action)
  else if (action.do === 'escalate')
    placeStep(step, run, action, {
      title: `Escalation: ${definitionOf(run, action.step).title}`,
      type: 'escalation',
      package: escalationPackage(run, action.step, action.text),
    })
  else if (action.do === 'notify') addNotice(step, action.to, action.kind, run, action.text)
  // The actor that ended the run sees the end in its answer.
  else if (step.actor.name !== run.by) addNotice(step, run.by, action.state, run, action.text)
}

function startStep(step: Step, run: Run, action: Extract<RunAction, { do: 'start' }>): void {
  const { title, timeout_s } = definitionOf(run, action.step)
  const travels = stepPackage(run, action.step, action.because)
  placeStep(step, run, action, { title, type: 'sequential', timeout_s, package: travels })
}

function openGate(step: Step, run: Run, action: Extract<RunAction, { do: 'gate' }>): void {
  const { gate } = definitionOf(run, action.step)
  if (!gate) return
  const { name, silence, remind_s } = gate
  // The gate comes from who did the work: what the person wants to know, that agent can answer.
  const from = run.steps.find(({ id }) => id === action.step)?.agent
  const asked: Placed = {
    title: `Gate: ${name}`,
    type: 'gate',
    gate: { type: action.holds ? 'blocking' : 'advisory', name, step: action.step },
    silence,
    remind_s,
    package: gatePackage(run, action.step, action.because),
  }
  placeStep(step, run, action, asked, from)
}

type Placed = Omit<PlacedHandoff, 'to' | 'alias'>

/** A handoff of the run: in its stream, in the name of its sender, exempt from limits. */
function placeStep(
  step: Step,
  run: Run,
  { step: name, id, to }: { readonly step: string; readonly id: string; readonly to: string },
  input: Placed,
  from: string = run.by,
): void {
  const { home: usual } = step.deps
  const home = run.workflow.home ?? STEP_HOMES.find((each) => each === usual) ?? 'native'
  const place = { root: run.uid, depth: 1, from, send: true, run: run.uid, step: name }
  placeHandoff(asSender(step, run, from), step.deps.newUid(), { ...input, to, home, alias: id }, place)
}

/**
 * The run speaks for its starter, and for an agent at its gate. The agent of a next step is not among the rows that the transaction read, so its
 * kind is the one that it had when the run began.
 */
function asSender(step: Step, run: Run, name: string): Step {
  const { policy } = step.deps
  const auth = step.actor.name === name ? step.actor.auth : run.auth
  const actor: Actor = { name, kind: run.kinds[name] ?? 'agent', auth }
  const agents = Object.fromEntries(
    Object.entries(run.kinds).map(([each, kind]) => [each, { kind, ...policy.agents?.[each] }]),
  )
  const deps = { ...step.deps, policy: { ...policy, agents: { ...policy.agents, ...agents } } }
  return { ...step, actor, deps }
}

/** The package for the agent of a step: its definition and the outcomes of the steps it needs. */
function stepPackage(run: Run, step: string, because?: string): Package {
  const definition = definitionOf(run, step)
  const { deliverables, criteria, constraints, checks } = definition
  const before = run.steps.filter(({ id, state }) => definition.needs.includes(id) && state === 'completed')
  const told = [because, ...before.map(outcomeOf)].filter((text) => text !== undefined)
  const artifacts = before.flatMap((each) => each.artifacts ?? [])
  const decisions = before.flatMap(decisionOf)
  return {
    summary: definition.summary ?? `${definition.title} (step ${step} of workflow ${run.name}).`,
    ...(told.length > 0 && { context: told.join('\n\n') }),
    ...(decisions.length > 0 && { decisions }),
    ...(artifacts.length > 0 && {
      artifacts: artifacts.map((file) => ({ ...file, role: 'input' as const })),
    }),
    ...present({
      deliverables: deliverables && [...deliverables],
      criteria: criteria && [...criteria],
      constraints: constraints && [...constraints],
      checks: checks && (checks as Check[]),
    }),
    ...(definition.input !== undefined && { input: inputOf(run, definition).value }),
    ...workflowData(run, step, before),
  }
}

/** The package that a person sees at a gate: the result of the step and the points to validate. */
function gatePackage(run: Run, step: string, because?: string): Package {
  const definition = definitionOf(run, step)
  const state = run.steps.find(({ id }) => id === step)
  const { items = [] } = definition.gate ?? {}
  return {
    summary: [outcome(state) ?? `${definition.title} is done.`, because].filter(Boolean).join('\n'),
    ...(state?.artifacts?.length && { artifacts: [...state.artifacts] }),
    validation_request: { items: [...items], options: { ...CHOICES } },
  }
}

const escalationPackage = (run: Run, step: string, text: string): Package => ({
  summary: text,
  decisions: [{ id: 'pending', decision: `How step ${step} of ${run.id} goes on` }],
  open_questions: [{ question: `Shall step ${step} be tried again?`, priority: 'high' }],
  deliverables: ['Validated choice with justification'],
  ...workflowData(run, step),
})

/** Document 004's `workflow_state` travels as data; documents write it where they have a place for it. */
const workflowData = (run: Run, step: string, before: readonly RunStep[] = []): Pick<Package, 'data'> => {
  const said = before.flatMap(({ id, next_steps, metadata }) =>
    next_steps || metadata ? [[id, present({ next_steps, metadata })] as const] : [],
  )
  return {
    data: {
      workflow_state: workflowState(run, step),
      ...(said.length > 0 && { results: Object.fromEntries(said) }),
    },
  }
}

const outcome = (step: RunStep | undefined): string | undefined =>
  step?.summary === undefined ? undefined : `${step.agent}: ${step.summary}`

const outcomeOf = (step: RunStep): string => `Step ${step.id}, ${outcome(step) ?? `done by ${step.agent}`}`

function decisionOf({ id, decision }: RunStep): NonNullable<Package['decisions']> {
  if (!decision || decision.choice === 'auto') return []
  const said = `${decision.by ?? 'a person'}: ${decision.choice}`
  return [{ id: `gate-${id}`, decision: said, ...present({ rationale: decision.comment }) }]
}
