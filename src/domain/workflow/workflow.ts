import * as z from 'zod'
import { AgentName } from '../agent.ts'
import { ROUTE_MODES } from '../blocks/failure-routing.ts'
import { PHASES } from '../blocks/phases.ts'
import { Check } from '../handoffs/package.ts'
import { STEP_HOMES, type StepHome } from '../home.ts'
import { type Given, once, optional } from '../once.ts'
import { GATE_TYPES, type GateType } from '../people/gate.ts'
import { Silence } from '../people/people-schema.ts'
import type { Present } from '../present.ts'
import { matching, text } from '../schema-parts.ts'

/** How much of each a definition may hold. */
export const WORKFLOW_LIMITS = { steps: 200, parallel: 50, needs: 200 } as const

const NAME_ERROR = 'write small letters, digits and dashes, for example security-check'
const Text = text(8_000)
const Line = text(2_000)
const Lines = z.array(Line).max(100)
export const StepId = matching(/^[a-z0-9][a-z0-9_-]{0,59}$/, NAME_ERROR).describe('Name of the step')
export const WorkflowName = matching(/^[a-z0-9][a-z0-9-]{0,59}$/, NAME_ERROR).describe('Name of the workflow')

const TIME_ERROR = 'write seconds or a time such as 90s, 30m, 2h or 1d'
const Timeout = z
  .union([z.int().positive(), matching(/^\d+(?:\.\d+)?\s*[smhd]$/, TIME_ERROR)], { error: TIME_ERROR })
  .transform(toSeconds)
  .pipe(z.number().positive().max(31_536_000))

export const GateFile = once(() =>
  z.strictObject({
    type: optional(z.enum(GATE_TYPES), 'blocking by default'),
    name: optional(text(120), 'The decision to make; by default the name of the step'),
    items: optional(Lines, 'Points that the person validates'),
    to: optional(AgentName, 'The person; human stands for any'),
    silence: optional(Silence().strict(), 'The rule for a person who does not answer'),
    remind: optional(Timeout, 'A person who does not answer is reminded after this time'),
  }),
)

export const OnFailureFile = once(() =>
  z.strictObject({
    retry: optional(z.int().min(0).max(20), 'How often the same agent tries again'),
    route_to: optional(AgentName, 'Agent that gets the step when no retry is left'),
    notify: optional(AgentName, 'Agent that is told of every failure'),
    escalate_after: optional(z.int().min(1).max(20), 'Failures after which the delegator decides'),
    context: optional(Text, 'Notes for the agent that handles the failure'),
    mode: optional(z.enum(ROUTE_MODES), 'each_failure: route_to gets every retry'),
  }),
)

const REFERENCE_ERROR =
  'write run.input or steps.<step>.output, with the fields below it, for example steps.plan.output.user'
const Reference = z
  .string()
  .max(300)
  .regex(/^(?:run\.input|steps\.[a-z0-9][a-z0-9_-]*\.output)(?:\.[\w-]+)*$/, { error: REFERENCE_ERROR })

const stepShape = () => ({
  id: StepId.optional(),
  title: text(300).optional(),
  agent: optional(AgentName, 'The agent that does it'),
  role: optional(text(60), 'Instead of an agent: any agent with this role or capability'),
  needs: optional(
    z.array(z.string().max(60)).max(WORKFLOW_LIMITS.needs),
    'Steps that must be completed first; by default the step before',
  ),
  input: optional(
    z.union([Reference, z.record(z.string().regex(/^[\w-]{1,60}$/), Reference)], { error: REFERENCE_ERROR }),
    'Structured input: names, each with run.input or steps.<step>.output and the fields below it',
  ),
  input_schema: optional(
    z.record(z.string(), z.unknown()),
    'JSON Schema of the input; an output that does not fit is refused when it is handed in',
  ),
  summary: optional(Text, 'Summary for the agent'),
  deliverables: Lines.optional(),
  criteria: Lines.optional(),
  constraints: Lines.optional(),
  checks: z.array(Check()).max(50).optional(),
  timeout: optional(Timeout, 'Longest time without a heartbeat before an attempt times out'),
  phase: optional(z.enum(PHASES), 'Phase, as handoff blocks name it'),
  gate: GateFile().optional(),
  on_failure: OnFailureFile().optional(),
})

/** A definition as people write it in `workflows/<name>.yaml`. */
export const WorkflowFile = once(() =>
  z.strictObject({
    name: WorkflowName,
    description: Text.optional(),
    home: optional(
      z.enum(STEP_HOMES),
      'Format whose rules apply to its steps; by default that of the workspace',
    ),
    steps: z
      .array(
        z.strictObject({
          parallel: optional(
            z.array(z.strictObject(stepShape())).min(1).max(WORKFLOW_LIMITS.parallel),
            'Steps that run at the same time',
          ),
          ...stepShape(),
        }),
      )
      .min(1)
      .max(WORKFLOW_LIMITS.steps),
  }),
)
export type WorkflowFile = z.infer<ReturnType<typeof WorkflowFile>>

/** The JSON Schema of `workflows/*.yaml`, for editors. What only a look at the whole shows, Baton checks itself. */
export const WORKFLOW_SCHEMA = (): Record<string, unknown> => ({
  ...z.toJSONSchema(WorkflowFile(), { io: 'input', unrepresentable: 'any' }),
  title: 'Baton workflow',
})

interface WorkflowGate {
  readonly type: GateType
  readonly name: string
  readonly items: readonly string[]
  readonly to: string
  readonly silence?: Silence | undefined
  readonly remind_s?: number | undefined
}

/** A step with everything that was left out filled in. */
export interface WorkflowStep extends Readonly<Present<Omit<Given<typeof stepShape>, 'timeout' | 'gate'>>> {
  readonly id: string
  readonly title: string
  readonly needs: readonly string[]
  readonly timeout_s?: number
  readonly gate?: WorkflowGate
}

export interface Workflow {
  readonly name: string
  readonly description?: string
  readonly home?: StepHome
  readonly steps: readonly WorkflowStep[]
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

function toSeconds(time: number | string): number {
  if (typeof time === 'number') return time
  return Number.parseFloat(time) * (UNITS[time.at(-1) ?? 's'] ?? 1)
}
