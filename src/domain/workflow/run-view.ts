import * as z from 'zod'
import { PHASES, phaseProgress } from '../blocks/phases.ts'
import type { Handoff } from '../handoffs/handoff.ts'
import { isOpen, STATES } from '../lifecycle.ts'
import type { AnswerOf } from '../once.ts'
import { present } from '../present.ts'
import { definitionOf, RUN_STATES, type Run, type RunStep, STEP_STATES, workflowState } from './run.ts'

const StepView = () =>
  z.object({
    number: z.int(),
    id: z.string(),
    title: z.string(),
    agent: z.string(),
    state: z.enum(STEP_STATES),
    needs: z.array(z.string()),
    phase: z.enum(PHASES).optional(),
    handoff: z.string().optional(),
    handoff_state: z.enum(STATES).optional().describe('How far its handoff is'),
    tries: z.int(),
    started_at: z.string().optional().describe('When its handoff was made'),
    ended_at: z.string().optional(),
    gate: z.string().optional().describe('The gate that is open for it'),
    gate_name: z.string().optional().describe('Name of the gate behind it'),
    decision: z
      .object({ choice: z.string(), by: z.string().optional(), comment: z.string().optional() })
      .optional(),
    delegations: z.array(z.string()).optional().describe('Handoffs that it waits for'),
    summary: z.string().optional(),
    error: z.string().optional(),
  })
export type StepView = Omit<AnswerOf<typeof StepView>, 'decision'> & Pick<RunStep, 'decision'>

/** Document 004's `workflow_state`. What is being done counts as remaining. */
export const WorkflowState = () =>
  z.object({
    name: z.string(),
    current_step: z.int(),
    completed_steps: z.array(z.string()),
    remaining_steps: z.array(z.string()),
  })
export type WorkflowState = AnswerOf<typeof WorkflowState>

/** A run as people and programs look at it. */
export const RunView = () =>
  z.object({
    uid: z.string(),
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    state: z.enum(RUN_STATES),
    by: z.string(),
    started_at: z.string(),
    updated_at: z.string(),
    ended_at: z.string().optional(),
    workflow_state: WorkflowState(),
    percent: z.int().describe('Completed steps in percent'),
    at_gates: z.int().describe('Steps that are done and wait at their gate'),
    error: z.string().optional().describe('Why its first failed step failed'),
    /** Document 002's phase that it is in, and how far that is. */
    phase: z.object({ name: z.enum(PHASES), step: z.int(), of: z.int(), percent: z.number() }).optional(),
    steps: z.array(StepView()),
    /** The agents and people whose move it is, and what each has to do. */
    waiting_for: z.array(z.object({ who: z.string(), what: z.string(), step: z.string() })),
  })
export type RunView = Omit<AnswerOf<typeof RunView>, 'steps'> & { readonly steps: readonly StepView[] }

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
    at_gates: run.steps.filter((step) => step.state === 'gate').length,
    error: run.steps.find((step) => step.state === 'failed')?.error,
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
    ...present({ started_at: handoff?.created_at, ended_at: handoff?.ended_at }),
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
