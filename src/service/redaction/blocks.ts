import { isDeepStrictEqual } from 'node:util'
import type { Block } from '../../domain/blocks/block.ts'
import { present } from '../../domain/present.ts'
import { itemsOf } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import { type Eraser, REDACTED } from './eraser.ts'

const BLOCK_PAGE = 500

/** Blocks of document 002 that hold one of the texts, without them. Looks at all of them: redactions are seldom. */
export async function blocksWith({ store }: ServiceDeps, eraser: Eraser): Promise<readonly Block[]> {
  const found: Block[] = []
  for await (const block of itemsOf((page) => store.blocks({}, page), BLOCK_PAGE)) {
    const next = erase(block, eraser)
    if (!isDeepStrictEqual(next, block)) found.push(next)
  }
  return found
}

/** A text may be wrapped and quoted in YAML in many ways, so what holds it goes as a whole. Status and names stay. */
function erase(block: Block, eraser: Eraser): Block {
  const { raw, metrics, on_failure } = block
  return {
    ...block,
    ...(eraser.mayBeIn(Buffer.from(raw)) && { raw: REDACTED }),
    ...present({ metrics: metrics && eraser.deep(metrics) }),
    ...(on_failure?.context !== undefined && {
      on_failure: { ...on_failure, context: eraser.words(on_failure.context) },
    }),
  }
}
