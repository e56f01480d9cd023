import * as z from 'zod'
import { AgentName } from '../agent.ts'
import { STATES } from '../lifecycle.ts'
import { type AnswerOf, once } from '../once.ts'
import { GATE_TYPES } from './gate.ts'
import { SILENCE_POLICIES } from './silence.ts'

/** The fields of a gate beside its package. */
export const Gate = once(() =>
  z.object({
    type: z.enum(GATE_TYPES),
    name: z.string().optional(),
    step: z.union([z.string(), z.number()]).optional(),
    guards: z.string().optional().describe('uid of the handoff whose work it holds up'),
    holds_task: z.boolean().optional().describe('Its task cannot be done before it is passed'),
  }),
)

/** The gates of a task that are not passed. */
export const TaskGates = once(() =>
  z.array(
    z.object({
      uid: z.string(),
      id: z.string(),
      name: z.string().optional(),
      state: z.enum(STATES),
      waiting_for: z.string().optional(),
    }),
  ),
)

const Seconds = once(() => z.coerce.number().int().positive().max(31_536_000))

/** The rule for a person who does not answer. */
export const Silence = once(() =>
  z.object({
    policy: z.enum(SILENCE_POLICIES),
    after_s: Seconds().optional().describe('Seconds without an answer; needed by all but wait'),
    to: AgentName.optional().describe('The person who is asked next; needed by escalate and reassign'),
  }),
)
export type Silence = Readonly<z.infer<ReturnType<typeof Silence>>>

export const RemindSeconds = once(() =>
  Seconds().describe('A person who does not answer is reminded after this time'),
)

/** A decision asked of a person, as a list shows it. The whole package is read with the handoff. */
export const Asked = () =>
  z.object({
    uid: z.string(),
    id: z.string(),
    type: z.enum(['gate', 'escalation']),
    name: z.string().optional(),
    summary: z.string().optional(),
    artifacts: z.array(z.string()),
    items: z.array(z.string()).describe('Points to validate'),
    options: z.record(z.string(), z.string()).describe('The possible answers'),
    cut: z.literal(true).optional().describe('The package has more than is shown here'),
  })
export type Asked = AnswerOf<typeof Asked>
