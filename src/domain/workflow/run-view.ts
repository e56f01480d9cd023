import { type PhaseProgress, phaseProgress } from '../blocks/phases.ts'
import type { Handoff } from '../handoffs/handoff.ts'
import { isOpen, type State } from '../lifecycle.ts'
import { present } from '../present.ts'
import {
  definitionOf,
  type Run,
  type RunStep,
  type StepState,
  type WorkflowState,
  workflowState,
} from './run.ts'

export interface StepView {
  readonly number: number
  readonly id: string
  readonly title: string
  readonly agent: string
  readonly state: StepState
  readonly needs: readonly string[]
  readonly phase?: string
  readonly handoff?: string
  /** How far its handoff is. */
  readonly handoff_state?: State
  readonly tries: number
  readonly gate?: string
  /** Name of the gate that stands behind it, whether it was reached or not. */
  readonly gate_name?: string
  readonly decision?: RunStep['decision']
  readonly delegations?: readonly string[]
  readonly summary?: string
  readonly error?: string
}

/** A run as people and programs look at it. */
export interface RunView {
  readonly uid: string
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly state: Run['state']
  readonly by: string
  readonly started_at: string
  readonly updated_at: string
  readonly ended_at?: string
  readonly workflow_state: WorkflowState
  /** Completed steps in percent. */
  readonly percent: number
  /** Document 002's phase that it is in, and how far that is. */
  readonly phase?: { readonly name: string } & PhaseProgress
  readonly steps: readonly StepView[]
  /** The agents and people whose move it is, and what each has to do. */
  readonly waiting_for: readonly { readonly who: string; readonly what: string; readonly step: string }[]
}

export function runView(run: Run, handoffs: ReadonlyMap<string, Handoff> = new Map()): RunView {
  const state = workflowState(run)
  const phase = run.workflow.steps[state.current_step - 1]?.phase
  return present({
    uid: run.uid,
    id: run.id,
    name: run.name,
    description: run.workflow.description,
    state: run.state,
    by: run.by,
    started_at: run.started_at,
    updated_at: run.updated_at,
    ended_at: run.ended_at,
    workflow_state: state,
    percent: Math.floor((100 * state.completed_steps.length) / Math.max(1, run.steps.length)),
    phase: phase && { name: phase, ...phaseProgress(phase) },
    steps: run.steps.map((step, i) => stepView(run, step, i + 1, handoffs)),
    waiting_for: waits(run, handoffs),
  })
}

function stepView(run: Run, step: RunStep, number: number, handoffs: ReadonlyMap<string, Handoff>): StepView {
  const { title, needs, phase, gate: ahead } = definitionOf(run, step.id)
  const handoff = step.handoff === undefined ? undefined : handoffs.get(step.handoff)
  const { id, agent, state, tries, decision, delegations, summary, error } = step
  const gate = step.gate ?? step.advisory
  return {
    number,
    id,
    title,
    agent,
    state,
    needs: [...needs],
    ...present({ phase, handoff: step.handoff, handoff_state: handoff?.state }),
    tries,
    ...present({ gate, gate_name: ahead?.name, decision }),
    ...(delegations?.length && { delegations }),
    ...present({ summary, error }),
  }
}

function waits(run: Run, handoffs: ReadonlyMap<string, Handoff>): RunView['waiting_for'] {
  return run.steps.flatMap((step) => {
    if (step.state === 'failed' && step.escalation === undefined)
      return [{ who: run.by, what: `baton workflow resume ${run.id}`, step: step.id }]
    return [step.state === 'active' ? step.handoff : undefined, step.gate, step.escalation].flatMap((id) => {
      const handoff = id === undefined ? undefined : handoffs.get(id)
      if (!handoff || !isOpen(handoff.state)) return []
      return [{ who: handoff.waiting_for ?? handoff.to, what: handoff.id, step: step.id }]
    })
  })
}
