import type { Check, Package } from '../../domain/handoffs/package.ts'
import { CHOICES } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import { definitionOf, type Run, type RunStep, workflowState } from '../../domain/workflow/run.ts'
import { inputOf } from '../../domain/workflow/step-input.ts'

/** The package for the agent of a step: its definition and the outcomes of the steps it needs. */
export function stepPackage(run: Run, step: string, because?: string): Package {
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
export function gatePackage(run: Run, step: string, because?: string): Package {
  const definition = definitionOf(run, step)
  const state = run.steps.find(({ id }) => id === step)
  const { items = [] } = definition.gate ?? {}
  return {
    summary: [outcome(state) ?? `${definition.title} is done.`, because].filter(Boolean).join('\n'),
    ...(state?.artifacts?.length && { artifacts: [...state.artifacts] }),
    validation_request: { items: [...items], options: { ...CHOICES } },
  }
}

export function escalationPackage(run: Run, step: string, text: string): Package {
  return {
    summary: text,
    decisions: [{ id: 'pending', decision: `How step ${step} of ${run.id} goes on` }],
    open_questions: [{ question: `Shall step ${step} be tried again?`, priority: 'high' }],
    deliverables: ['Validated choice with justification'],
    ...workflowData(run, step),
  }
}

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
  return [
    {
      id: `gate-${id}`,
      decision: `${decision.by ?? 'a person'}: ${decision.choice}`,
      ...present({ rationale: decision.comment }),
    },
  ]
}
