import * as z from 'zod'
import { Collected } from '../domain/blocks/block.ts'
import { ROUTE_MODES } from '../domain/blocks/failure-routing.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation } from './operation.ts'

/** A summary is a page; what is larger is refused before it is read. */
const MAX_TEXT = 4_000_000
const MAX_DOCUMENTS = 1_000

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
  output: Collected,
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['blocks', 'order', 'progress'],
  examples: ['baton collect reports/*.md', 'agent run | baton collect -'],
  run: async (service, call, input) => {
    const { collectBlocks } = await import('../service/blocks/collection.ts')
    return mutable(await collectBlocks(service.deps, call, input))
  },
})

export const BLOCK_OPERATIONS = [collect] as const
