import { present } from '../../domain/present.ts'
import type { Run, RunStep } from '../../domain/workflow/run.ts'
import type { WorkflowStep } from '../../domain/workflow/workflow.ts'
import type { Eraser } from './eraser.ts'

/** A run without the texts: what agents and people said, and what its definition says. Names and states stay. */
export function eraseRun(run: Run, eraser: Eraser): Run {
  const { workflow } = run
  return {
    ...run,
    ...present({ input: run.input === undefined ? undefined : eraser.deep(run.input) }),
    steps: run.steps.map((step) => eraseStep(step, eraser)),
    workflow: {
      ...workflow,
      ...(workflow.description !== undefined && { description: eraser.words(workflow.description) }),
      steps: workflow.steps.map((step) => eraseDefinition(step, eraser)),
    },
  }
}

function eraseStep(step: RunStep, eraser: Eraser): RunStep {
  const { summary, error, decision, artifacts, next_steps, metadata, values } = step
  return {
    ...step,
    ...present({ summary: eraser.words(summary), error: eraser.words(error) }),
    ...(decision && { decision: { ...decision, ...present({ comment: eraser.words(decision.comment) }) } }),
    ...eraser.deep(present({ artifacts, next_steps, metadata, values })),
  }
}

function eraseDefinition(step: WorkflowStep, eraser: Eraser): WorkflowStep {
  const { id, agent, role, needs, phase, timeout_s, gate, on_failure, input, ...texts } = step
  return {
    ...step,
    ...eraser.deep(texts),
    ...present({ gate: gate && { ...gate, name: eraser.words(gate.name), items: eraser.deep(gate.items) } }),
    ...(on_failure?.context !== undefined && {
      on_failure: { ...on_failure, context: eraser.words(on_failure.context) },
    }),
  }
}
