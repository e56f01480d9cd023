import * as z from 'zod'
import { Block, blockFilterFields, Progress } from '../domain/blocks/block.ts'
import { FLOW_WINDOW_NAMES, FLOW_WINDOWS, FlowAnswer, flowSpan } from '../domain/reports/flow.ts'
import { GROUPINGS, MetricsGroup, UsageTotal } from '../domain/reports/metrics.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation, PAGE, pageOf } from './operation.ts'

const metrics = defineOperation({
  name: 'report_metrics',
  summary: 'Metrics of blocks by agent, phase, task or workflow; cost and tokens of programs.',
  scope: 'report:read',
  input: () => ({
    by: z.enum(GROUPINGS).optional().describe('agent by default'),
    window: z.enum(FLOW_WINDOW_NAMES).optional().describe('Follow numbers through time, so far back'),
    ...blockFilterFields(),
  }),
  output: () =>
    z.object({
      by: z.enum(GROUPINGS),
      window: z.enum(FLOW_WINDOW_NAMES).optional(),
      since: z.string().optional().describe('Start of the first step'),
      step_s: z.int().optional().describe('Seconds of one step'),
      groups: z.array(MetricsGroup()),
      usage: UsageTotal().optional().describe('Cost and tokens of all attempts, as programs reported them'),
    }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['groups'],
  examples: ['baton report metrics --by agent', 'baton report metrics --by phase --chart'],
  run: async ({ deps }, _call, { by = 'agent', window, ...filter }) => {
    const { metricsReport } = await import('../service/blocks/reports.ts')
    if (window === undefined) return mutable({ by, ...(await metricsReport(deps.store, by, filter)) })
    const { step_s, span_s } = FLOW_WINDOWS[window]
    const { sinceMs } = flowSpan(window, deps.now())
    const span = { sinceMs, stepMs: step_s * 1_000, steps: span_s / step_s }
    const found = await metricsReport(deps.store, by, filter, span)
    return mutable({ by, window, since: new Date(sinceMs).toISOString(), step_s, ...found })
  },
})

const progress = defineOperation({
  name: 'report_progress',
  summary: 'The state of each workflow or task by its blocks: phase, holder, status and progress.',
  scope: 'report:read',
  input: () => ({
    by: z.enum(['workflow', 'task']).optional().describe('workflow by default'),
    ...blockFilterFields(),
  }),
  output: () => z.object({ by: z.enum(['workflow', 'task']), items: z.array(Progress()) }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['items'],
  examples: ['baton report progress', 'baton report progress --by task'],
  run: async ({ deps }, _call, { by = 'workflow', ...filter }) => {
    const { progressReport } = await import('../service/blocks/reports.ts')
    return mutable({ by, items: await progressReport(deps.store, by, filter) })
  },
})

const history = defineOperation({
  name: 'report_history',
  summary: 'Every stored block as it was written, oldest first.',
  scope: 'report:read',
  input: () => ({ ...blockFilterFields(), ...PAGE() }),
  output: () => z.object({ items: z.array(Block()), next: z.string().optional() }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  // History keeps the text as agents wrote it.
  exact: true,
  examples: ['baton report history --agent unit-testing-agent', 'baton report history --task task-12 --json'],
  run: async ({ deps }, _call, { limit, cursor, ...filter }) => {
    const { historyPage } = await import('../service/blocks/reports.ts')
    return mutable(await historyPage(deps.store, filter, pageOf({ limit, cursor }))) as never
  },
})

const flow = defineOperation({
  name: 'report_flow',
  summary: 'Handoffs and their outcomes over time, by agent, and by sender and receiver.',
  scope: 'report:read',
  input: () => ({ window: z.enum(FLOW_WINDOW_NAMES).optional().describe('How far back (7d)') }),
  output: FlowAnswer,
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton report flow', 'baton report flow --window 30d --json'],
  run: async (service, _call, { window = '7d' }) => {
    const { flowReport } = await import('../service/flow.ts')
    return mutable(await flowReport(service, window))
  },
})

export const REPORT_OPERATIONS = [metrics, progress, history, flow] as const
