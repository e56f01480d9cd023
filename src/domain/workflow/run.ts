import type { AgentKind, Auth } from '../actor.ts'
import type { ArtifactRef } from '../handoffs/package.ts'
import type { WorkflowState } from './run-view.ts'
import type { Workflow, WorkflowStep } from './workflow.ts'

export const RUN_STATES = ['running', 'waiting', 'completed', 'failed', 'cancelled'] as const
export type RunState = (typeof RUN_STATES)[number]

/**
 * `active`: handed to its agent; how far that is, its handoff says. `gate`: done, and a person has to approve.
 * `failed`: nobody tries again unless somebody decides so.
 */
export const STEP_STATES = ['waiting', 'active', 'gate', 'completed', 'failed', 'cancelled'] as const
export type StepState = (typeof STEP_STATES)[number]

/** A person's decision at a gate, or `auto` when nobody had to be asked. */
export interface StepDecision {
  readonly choice: 'approve' | 'reject' | 'auto'
  readonly by?: string
  readonly comment?: string
}

/** How far one step of a run is. Handoffs are named by their ids, which follow from the run and the step. */
export interface RunStep {
  readonly id: string
  readonly state: StepState
  /** The agent that has it, had it last, or will get it. */
  readonly agent: string
  /** How many handoffs were made for it. */
  readonly tries: number
  readonly handoff?: string
  /** Failures since it was started afresh. */
  readonly failures: number
  /** It went to whom `route_to` names, which happens once. */
  readonly routed?: boolean
  /** Its handoff was completed: what is left is its gate. */
  readonly worked?: boolean
  readonly gates: number
  /** The gate that it waits for. */
  readonly gate?: string
  /** A gate that asks without holding anything up. */
  readonly advisory?: string
  readonly decision?: StepDecision
  readonly escalations: number
  readonly escalation?: string
  /** Delegations that its agent sent and that have not come back. */
  readonly delegations?: readonly string[]
  /** The result in short as its agent gave it, and the files. */
  readonly summary?: string
  readonly artifacts?: readonly ArtifactRef[]
  /** Advice and counts of its agent for those who come after. */
  readonly next_steps?: readonly string[]
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The parts of its output that later steps refer to, by their references. */
  readonly values?: Readonly<Record<string, unknown>>
  readonly error?: string
}

/** One start of a workflow. Its uid is also the stream in which it and its handoffs are logged. */
export interface Run {
  readonly uid: string
  readonly id: string
  /** Rises by one with every logged change. */
  readonly rev: number
  /** Name of the workflow. */
  readonly name: string
  readonly state: RunState
  /** The actor that started it: the sender of its handoffs. */
  readonly by: string
  /** How the starter was recognised: what the engine sends in its name is logged so. */
  readonly auth: Auth
  readonly delegator: string
  /** The definition as it was when the run began, with an agent for every role. */
  readonly workflow: Workflow
  /** Structured input, as its starter gave it. */
  readonly input?: unknown
  readonly steps: readonly RunStep[]
  /** Kinds of the agents in it: a step is handed over in the transaction that ends the one before. */
  readonly kinds: Readonly<Record<string, AgentKind>>
  /** How many of its handoffs have a number in document 004's count. */
  readonly numbered: number
  readonly started_at: string
  readonly updated_at: string
  readonly ended_at?: string
}

/** Document 004's `workflow_state`, seen from one step, else from the first that is not completed. */
export function workflowState(run: Run, step?: string): WorkflowState {
  const { steps } = run
  const open = steps.findIndex(({ state }) => state === 'active' || state === 'gate' || state === 'failed')
  const first = open === -1 ? steps.findIndex(({ state }) => state !== 'completed') : open
  const own = steps.findIndex(({ id }) => id === step)
  const at = own === -1 ? first : own
  const ids = (isDone: boolean) =>
    steps.filter(({ state }) => (state === 'completed') === isDone).map(({ id }) => id)
  return {
    name: run.name,
    current_step: at === -1 ? steps.length : at + 1,
    completed_steps: ids(true),
    remaining_steps: ids(false),
  }
}

/** The next number of document 004's count, which begins anew in every run and grows past 999. */
export const packageId = (numbered: number): string => `HO-${String(numbered).padStart(3, '0')}`

export const definitionOf = (run: Run, step: string): WorkflowStep => {
  const found = run.workflow.steps.find(({ id }) => id === step)
  if (!found) throw new Error(`${run.id} has no step ${step}`)
  return found
}

/** A blocking gate of this step is open. */
export const isHeldByGate = ({ state, gate }: RunStep): boolean => state === 'gate' && gate !== undefined
