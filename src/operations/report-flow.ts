import * as z from 'zod'
import { FLOW_WINDOW_NAMES } from '../domain/reports/flow.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation } from './operation.ts'

const Median = () => z.number().optional().describe('Seconds from creation to completion, median')

const counts = () => ({
  made: z.int(),
  completed: z.int(),
  failed: z.int().describe('Failed or expired'),
  rejected: z.int().describe('Declined, by the receiver or at a gate'),
})

const flow = defineOperation({
  name: 'report_flow',
  summary: 'Handoffs and their outcomes over time, by agent, and by sender and receiver.',
  scope: 'report:read',
  http: { method: 'GET', path: '/v1/reports/flow' },
  input: () => z.strictObject({ window: z.enum(FLOW_WINDOW_NAMES).optional().describe('How far back (7d)') }),
  output: () =>
    z.object({
      window: z.enum(FLOW_WINDOW_NAMES),
      since: z.string(),
      until: z.string(),
      step_s: z.int().describe('Seconds of one step'),
      whole: z.boolean().describe('False where there is more than the 5000 newest handoffs that are counted'),
      ...counts(),
      median_s: Median(),
      steps: z.array(z.object({ at: z.string(), ...counts(), median_s: Median() })),
      agents: z.array(
        z.object({
          name: z.string(),
          kind: z.string(),
          load: z
            .object({
              outgoing: z.int(),
              incoming: z.int(),
              max_outgoing: z.int().optional(),
              max_incoming: z.int().optional(),
            })
            .describe('Open at this moment, and how much may be'),
          sent: z.int(),
          received: z.int(),
          completed: z.int().describe('Of those it received'),
          failed: z.int(),
          rejected: z.int(),
          failure_rate: z.number().optional().describe('Failed of all that were completed or failed, 0 to 1'),
          retries: z.int().describe('Attempts after the first'),
          median_s: Median(),
        }),
      ),
      edges: z.array(z.object({ from: z.string(), to: z.string(), ...counts() })),
    }),
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton report flow', 'baton report flow --window 30d --json'],
  run: async (service, _call, { window = '7d' }) => {
    const { flowReport } = await import('../service/flow.ts')
    return mutable(await flowReport(service, window))
  },
})

export const FLOW_OPERATIONS = [flow] as const
