import {
  type Block,
  type Collected,
  type CollectedBlock,
  type CollectInput,
  type Progress,
  progressOf,
  verdictOf,
} from '../../domain/blocks/block.ts'
import { ROUTE_MODES } from '../../domain/blocks/failure-routing.ts'
import { BatonError } from '../../domain/errors.ts'
import { present } from '../../domain/present.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { workOn } from '../documents/text-work.ts'
import { refuse } from '../write.ts'
import { digestOf, type Recording, recordBlock } from './block-record.ts'
import {
  type BlockSaid,
  blocksIn,
  type FoundBlock,
  type FoundBlocks,
  type InferredSummary,
} from './found-blocks.ts'
import { knownOrder, orderProblems, unmetOf } from './order.ts'

/** The diagnostics of a block are cut here: a hostile file could have any number. */
const ERRORS_SHOWN = 20

/** Reads the blocks of documents and stores nothing: what a pipeline without a workspace does. */
export function readBlocks(input: CollectInput): Collected {
  const found = foundIn(input, input.documents.map(blocksIn))
  const blocks = found.map(({ recording, path, block, inferred }): CollectedBlock => {
    if (!block) return emptyEntry(path, inferred)
    const seen = collectedBlock(path, block)
    return block.said ? { ...seen, outcome: 'read', digest: digestOf(block, recording) } : seen
  })
  return summed(blocks, [])
}

/** Reads the blocks of documents, stores each once, and does what follows from it. */
export async function collectBlocks(deps: ServiceDeps, call: Call, input: CollectInput): Promise<Collected> {
  const run = input.run === undefined ? undefined : await runOf(deps, input.run)
  const blocks: CollectedBlock[] = []
  const { documents } = input
  const length = documents.reduce((sum, { text }) => sum + text.length, 0)
  const found = await workOn(call, 'blocks', documents, { length })
  for (const { recording, path, block, inferred } of foundIn(input, found, run))
    blocks.push(
      block
        ? await recordedEntry(deps, call, { ...collectedBlock(path, block) }, block, recording)
        : emptyEntry(path, inferred),
    )
  return summed(blocks, await knownOrder(deps.store, blocks.filter(isSaid)))
}

interface FoundRecording {
  readonly recording: Recording
  readonly path?: string | undefined
  readonly block?: FoundBlock
  readonly inferred?: InferredSummary | undefined
}

function foundIn(
  input: CollectInput,
  found: readonly FoundBlocks[],
  run?: Recording['run'],
): readonly FoundRecording[] {
  const { documents, source, workflow, route_mode = ROUTE_MODES[0] } = input
  return found.flatMap(({ blocks, inferred }, i): readonly FoundRecording[] => {
    const path = documents[i]?.path
    const from = source === undefined ? path : path === undefined ? source : `${source}:${path}`
    const recording: Recording = { source: from, workflow, run, mode: route_mode }
    if (blocks.length === 0) return [{ recording, path, inferred }]
    return blocks.map((block) => ({ recording, path, block }))
  })
}

async function runOf({ store }: ServiceDeps, ref: string): Promise<{ uid: string; id: string }> {
  const how = 'see what runs with: baton workflow list'
  const run = (await store.run(ref)) ?? refuse('not_found', `there is no run ${ref}; ${how}`, { run: ref })
  return { uid: run.uid, id: run.id }
}

function collectedBlock(path: string | undefined, block: FoundBlock): CollectedBlock {
  const { line, status, said, diagnostics, isOpen } = block
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  return {
    outcome: 'invalid',
    ...present({ path, line, verdict: verdictOf(status), status }),
    ...(said && shownOf(said)),
    ...(!said && { reason: errors[0]?.message ?? 'it cannot be used' }),
    diagnostics: diagnostics.slice(0, ERRORS_SHOWN),
    ...(isOpen && { open: true as const }),
  }
}

const shownOf = ({ defaulted: _, on_failure: __, workflow, ...said }: BlockSaid) => ({
  ...said,
  ...present({ workflow }),
})

const emptyEntry = (path: string | undefined, inferred: InferredSummary | undefined): CollectedBlock => ({
  outcome: inferred ? 'inferred' : 'no_block',
  ...present({ path }),
  line: 1,
  ...inferred,
  verdict: 'no_block',
  diagnostics: [],
})

async function recordedEntry(
  deps: ServiceDeps,
  call: Call,
  entry: CollectedBlock,
  block: FoundBlock,
  recording: Recording,
): Promise<CollectedBlock> {
  const { said } = block
  if (!said) return entry
  try {
    const { outcome, block: kept } = await recordBlock(deps, call, { ...block, said }, recording)
    const { uid, digest, followed, workflow, at } = kept
    return { ...entry, outcome, uid, digest, at, ...present({ workflow, followed }) }
  } catch (error) {
    // A store that does not answer is not the block's fault.
    if (!(error instanceof BatonError) || error.retry || error.code === 'internal') throw error
    return { ...entry, outcome: 'refused', code: error.code, reason: error.message }
  }
}

type SaidEntry = CollectedBlock & Pick<Block, 'from' | 'to' | 'phase' | 'status'>

const isSaid = (entry: CollectedBlock): entry is SaidEntry =>
  entry.outcome !== 'invalid' && entry.outcome !== 'inferred' && entry.from !== undefined

function summed(blocks: readonly CollectedBlock[], known: Parameters<typeof unmetOf>[2]): Collected {
  const said = blocks.filter(isSaid)
  return {
    blocks: blocks.map((entry) => {
      const unmet = isSaid(entry) && (entry.dependencies?.length ?? 0) > 0 ? unmetOf(entry, said, known) : []
      return unmet.length > 0 ? { ...entry, unmet } : entry
    }),
    order: orderProblems(said, known),
    progress: progressOfAll(said),
  }
}

/** The progress of each workflow in these blocks; blocks that name none count together. */
function progressOfAll(said: readonly SaidEntry[]): readonly Progress[] {
  const groups = Map.groupBy(said, ({ workflow, task }) => workflow ?? task ?? '')
  return [...groups].map(([key, blocks]) =>
    progressOf(
      key,
      blocks.flatMap((block) => {
        const said = { ...block, at: block.at ?? '' }
        return block.followed?.retry ? [said, { ...said, status: 'retry', made: true as const }] : [said]
      }),
    ),
  )
}
