import { Collected, collectFields } from '../domain/blocks/block.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation } from './operation.ts'

const collect = defineOperation({
  name: 'document_collect',
  summary: 'Store the blocks of agents’ summaries as history, each once, and follow them.',
  scope: 'document:write',
  input: collectFields,
  output: Collected,
  errors: ['invalid_input', 'not_found', 'unavailable', 'too_large'],
  untrusted: ['blocks', 'order', 'progress'],
  examples: ['baton collect reports/*.md', 'agent run | baton collect -'],
  run: async (service, call, input) => {
    const { collectBlocks } = await import('../service/blocks/collection.ts')
    return mutable(await collectBlocks(service.deps, call, input))
  },
})

export const BLOCK_OPERATIONS = [collect] as const
