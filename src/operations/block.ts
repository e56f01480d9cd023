import * as z from 'zod'
import { VERDICTS, type Verdict } from '../domain/blocks/block.ts'
import { ROUTE_MODES } from '../domain/blocks/failure-routing.ts'
import { STATUSES } from '../domain/blocks/phases.ts'
import { SEVERITIES } from '../domain/problem.ts'
import { Problem } from './document.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation } from './operation.ts'

/** A summary is a page; what is larger is refused before it is read. */
const MAX_TEXT = 4_000_000
const MAX_DOCUMENTS = 1_000

export const Data = () => z.record(z.string(), z.unknown())

const Placed = () => z.object({ to: z.string(), id: z.string().describe('The handoff') })

export const FollowedOutput = () =>
  z.object({
    moved: z
      .object({ id: z.string(), state: z.string() })
      .optional()
      .describe("The handoff to the block's author that it moved"),
    next: Placed().optional().describe('Handed on to the next agent'),
    retry: Placed().extend({ retry_count: z.int() }).optional(),
    routed: Placed().optional(),
    escalated: Placed().optional(),
    notified: z.string().optional(),
    problem: z.string().optional().describe('Why it was not handed on'),
  })

export const ProgressOutput = () =>
  z.object({
    key: z.string(),
    phase: z.string(),
    status: z.string(),
    holder: z.string().optional().describe('Whose move it is'),
    step: z.int().describe('Phase by number, from 1'),
    of: z.int(),
    percent: z.number(),
    complete: z.boolean(),
    agents: z.array(z.object({ agent: z.string(), phase: z.string(), status: z.string() })),
    blocks: z.int(),
    updated_at: z.string(),
  })

const CollectedBlock = () =>
  z.object({
    outcome: z
      .enum(['recorded', 'unchanged', 'read', 'refused', 'invalid', 'inferred', 'no_block'])
      .describe('inferred: hints from a summary without a block, never stored'),
    path: z.string().optional(),
    line: z.int(),
    verdict: z.enum(Object.keys(VERDICTS) as [Verdict, ...Verdict[]]),
    status: z.enum(STATUSES).optional(),
    phase: z.string().optional(),
    from: z.string().optional().describe('The agent that the block names as its author'),
    to: z.string().optional(),
    task: z.string().optional(),
    workflow: z.string().optional(),
    retry_count: z.number().optional(),
    metrics: Data().optional(),
    dependencies: z.array(z.string()).optional(),
    unmet: z.array(z.string()).optional().describe('Dependencies that are not complete'),
    digest: z.string().optional(),
    uid: z.string().optional(),
    at: z.string().optional(),
    followed: FollowedOutput().optional(),
    reason: z.string().optional(),
    code: z.string().optional().describe('Of a refused block: the code that a call would get'),
    diagnostics: z.array(Problem()),
    open: z.literal(true).optional().describe('Its fence is not closed'),
  })

const collect = defineOperation({
  name: 'document_collect',
  summary:
    'Store the handoff blocks of agents’ summaries as history, each once, and follow them: hand on, retry, route, notify, escalate.',
  scope: 'document:write',
  http: { method: 'POST', path: '/v1/documents/collect' },
  input: () =>
    z.strictObject({
      documents: z
        .array(
          z.strictObject({
            text: z.string().max(MAX_TEXT).describe('The summary, with its blocks in it'),
            path: z.string().max(1_000).optional().describe('Path of the text'),
          }),
        )
        .min(1)
        .max(MAX_DOCUMENTS),
      source: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Tells equal summaries of different runs apart, for example the number of a CI run'),
      workflow: z.string().min(1).max(200).optional().describe('For blocks without a workflow_id'),
      run: z.string().min(1).max(200).optional().describe('Run of a workflow that the blocks belong to'),
      route_mode: z
        .enum(ROUTE_MODES)
        .optional()
        .describe(
          'The agent that retries: the same one (after_retries), or route_to from the first failure on',
        ),
    }),
  output: () =>
    z.object({
      blocks: z.array(CollectedBlock()),
      order: z.array(
        z.object({
          severity: z.enum(SEVERITIES),
          code: z.enum(['dependency_unmet', 'dependency_unknown', 'dependency_cycle']),
          id: z.string(),
          message: z.string(),
        }),
      ),
      progress: z.array(ProgressOutput()),
    }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['blocks', 'order', 'progress'],
  examples: ['baton collect reports/*.md', 'agent run | baton collect -'],
  run: async (service, call, input) => {
    const { collectBlocks } = await import('../service/blocks/collection.ts')
    return mutable(await collectBlocks(service.deps, call, input))
  },
})

export const BLOCK_OPERATIONS = [collect] as const
