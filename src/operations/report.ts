import * as z from 'zod'
import { AgentName } from '../domain/agent.ts'
import { PHASES } from '../domain/blocks/phases.ts'
import { FLOW_WINDOW_NAMES, FLOW_WINDOWS, flowSpan } from '../domain/reports/flow.ts'
import { GROUPINGS } from '../domain/reports/metrics.ts'
import { METRIC_TYPES } from '../domain/reports/metrics-value.ts'
import { Data, FollowedOutput, ProgressOutput } from './block.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation, PAGE, pageOf } from './operation.ts'

const filters = () => ({
  agent: AgentName.optional().describe('Only blocks of this agent'),
  phase: z.enum(PHASES).optional().describe('Only blocks of this phase'),
  task: z.string().min(1).max(200).optional().describe('Only blocks of this task'),
  workflow: z.string().min(1).max(200).optional().describe('Only blocks of this workflow'),
  run: z.string().min(1).max(200).optional().describe('Only blocks of this run'),
})

const Metric = () =>
  z.object({
    path: z.string().describe('For example test_types.unit'),
    type: z.enum(METRIC_TYPES),
    count: z.int(),
    sum: z.number().optional().describe('Numbers, and durations in seconds; percents are never added up'),
    min: z.number().optional(),
    max: z.number().optional(),
    average: z.number().optional(),
    true: z.int().optional(),
    false: z.int().optional(),
    values: z.array(z.string()).optional().describe('Other texts, each once'),
    more: z.int().optional(),
    steps: z
      .array(z.number().nullable())
      .optional()
      .describe('Average in each step of the window, null where nothing was said'),
  })

const metrics = defineOperation({
  name: 'report_metrics',
  summary:
    'Metrics of all blocks by agent, phase, task or workflow: like is added to like, nothing is mixed.',
  scope: 'report:read',
  http: { method: 'GET', path: '/v1/reports/metrics' },
  input: () =>
    z.strictObject({
      by: z.enum(GROUPINGS).optional().describe('agent by default'),
      window: z.enum(FLOW_WINDOW_NAMES).optional().describe('Follow numbers through time, so far back'),
      ...filters(),
    }),
  output: () =>
    z.object({
      by: z.enum(GROUPINGS),
      window: z.enum(FLOW_WINDOW_NAMES).optional(),
      since: z.string().optional().describe('Start of the first step'),
      step_s: z.int().optional().describe('Seconds of one step'),
      groups: z.array(
        z.object({
          key: z.string().optional(),
          blocks: z.int(),
          statuses: z.record(z.string(), z.int()),
          metrics: z.array(Metric()),
        }),
      ),
    }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['groups'],
  examples: ['baton report metrics --by agent', 'baton report metrics --by phase --chart'],
  run: async ({ deps }, _call, { by = 'agent', window, ...filter }) => {
    const { metricsReport } = await import('../service/blocks/reports.ts')
    if (window === undefined) return mutable({ by, groups: await metricsReport(deps.store, by, filter) })
    const { step_s, span_s } = FLOW_WINDOWS[window]
    const { sinceMs } = flowSpan(window, deps.now())
    const span = { sinceMs, stepMs: step_s * 1_000, steps: span_s / step_s }
    const groups = await metricsReport(deps.store, by, filter, span)
    return mutable({ by, window, since: new Date(sinceMs).toISOString(), step_s, groups })
  },
})

const progress = defineOperation({
  name: 'report_progress',
  summary: 'The state of each workflow or task by its blocks: phase, holder, status and progress.',
  scope: 'report:read',
  http: { method: 'GET', path: '/v1/reports/progress' },
  input: () =>
    z.strictObject({
      by: z.enum(['workflow', 'task']).optional().describe('workflow by default'),
      ...filters(),
    }),
  output: () => z.object({ by: z.enum(['workflow', 'task']), items: z.array(ProgressOutput()) }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['items'],
  examples: ['baton report progress', 'baton report progress --by task'],
  run: async ({ deps }, _call, { by = 'workflow', ...filter }) => {
    const { progressReport } = await import('../service/blocks/reports.ts')
    return mutable({ by, items: await progressReport(deps.store, by, filter) })
  },
})

const StoredBlock = () =>
  z.object({
    uid: z.string(),
    digest: z.string(),
    from: z.string(),
    to: z.string(),
    phase: z.string(),
    status: z.string(),
    task: z.string().optional(),
    run: z.string().optional(),
    workflow: z.string().optional(),
    at: z.string(),
    stored_at: z.string(),
    raw: z.string().describe('The text, byte for byte'),
    retry_count: z.number().optional(),
    metrics: Data().optional(),
    dependencies: z.array(z.string()).optional(),
    on_failure: Data().optional(),
    defaulted: z.array(z.string()).optional(),
    source: z.string().optional(),
    ordinal: z.int().optional(),
    line: z.int().optional(),
    by: z.string().optional().describe('The agent that brought it in'),
    made: z.literal(true).optional().describe('Written by Baton after a failure'),
    followed: FollowedOutput().optional(),
  })

const history = defineOperation({
  name: 'report_history',
  summary: 'Every block that was stored, as it was written, oldest first.',
  scope: 'report:read',
  http: { method: 'GET', path: '/v1/reports/history' },
  input: () => z.strictObject({ ...filters(), ...PAGE() }),
  output: () => z.object({ items: z.array(StoredBlock()), next: z.string().optional() }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  // History keeps the text as agents wrote it.
  exact: true,
  examples: ['baton report history --agent unit-testing-agent', 'baton report history --task task-12 --json'],
  run: async ({ deps }, _call, { limit, cursor, ...filter }) => {
    const { historyPage } = await import('../service/blocks/reports.ts')
    return mutable(await historyPage(deps.store, filter, pageOf({ limit, cursor }))) as never
  },
})

export const REPORT_OPERATIONS = [metrics, progress, history] as const
