import * as z from 'zod'
import { FLOW_WINDOW_NAMES, FlowAnswer } from '../domain/reports/flow.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation } from './operation.ts'

const flow = defineOperation({
  name: 'report_flow',
  summary: 'Handoffs and their outcomes over time, by agent, and by sender and receiver.',
  scope: 'report:read',
  http: { method: 'GET', path: '/v1/reports/flow' },
  input: () => z.strictObject({ window: z.enum(FLOW_WINDOW_NAMES).optional().describe('How far back (7d)') }),
  output: FlowAnswer,
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton report flow', 'baton report flow --window 30d --json'],
  run: async (service, _call, { window = '7d' }) => {
    const { flowReport } = await import('../service/flow.ts')
    return mutable(await flowReport(service, window))
  },
})

export const FLOW_OPERATIONS = [flow] as const
