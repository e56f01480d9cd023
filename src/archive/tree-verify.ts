import { readCheckpoint } from '../audit/checkpoint.ts'
import { append, EMPTY_FRONTIER, rootOf } from '../audit/merkle.ts'
import { readNote } from '../audit/note.ts'
import { HASH_BYTES } from '../audit/sha256.ts'
import { TILE_WIDTH } from '../audit/tiles.ts'
import { leafOfText, nodeSha256, toBytes, toText } from '../service/audit/hashes.ts'
import { readLog } from '../service/audit/log-reader.ts'
import { TreeReader } from '../service/audit/tree-reader.ts'
import type { SignedCheckpoint, Store } from '../storage/store.ts'

export interface TreeProblem {
  readonly stream: string
  readonly at: number
  readonly reason: string
}

/** The name under which problems of the tree are told, beside those of streams. */
const TREE = 'the tree'
const LEAF_PAGE = 500

/**
 * Hashes every entry that is in the tree again and compares: with its tiles, with its edge, and with each
 * checkpoint that was signed. Stops at the first that does not fit, because nothing after it can.
 */
export async function verifyTree(
  store: Store,
  tell: (done: number, of: number) => void = () => undefined,
): Promise<readonly TreeProblem[]> {
  // Checkpoints first: what is signed while this runs covers more than the tree that is looked at.
  const signed = await checkpointsOf(store)
  const { size, edge } = await store.tree()
  let grown = EMPTY_FRONTIER
  let tile: Uint8Array | undefined
  const fault = (at: number, reason: string): readonly TreeProblem[] => [{ stream: TREE, at, reason }]
  try {
    for await (const { index, body } of readLog(store, 0, size, true)) {
      const place = index % TILE_WIDTH
      if (place === 0) [tile] = (await store.tiles(0, index / TILE_WIDTH, 1)).map(({ bytes }) => bytes)
      const kept = tile?.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)
      // An entry whose archive is missing cannot be hashed again: its leaf stands for it.
      const leaf = body === '' ? kept : leafOfText(body)
      if (!kept || !leaf || toText(kept) !== toText(leaf))
        return fault(index, 'its leaf is not that of its entry')
      grown = append(nodeSha256, grown, leaf)
      const wanted = signed.get(grown.size)
      if (wanted !== undefined && wanted !== toText(rootOf(nodeSha256, grown)))
        return fault(index, `the checkpoint of size ${grown.size} is not that of its entries`)
      tell(grown.size, size)
    }
    if (grown.size !== size) return fault(grown.size, 'entries are missing')
    const root = toText(rootOf(nodeSha256, grown))
    const byEdge = toText(rootOf(nodeSha256, { size, hashes: edge.map(toBytes) }))
    if (byEdge !== root) return fault(size, 'its edge is not that of its entries')
    if (toText(await new TreeReader(store).rootAt(size)) !== root)
      return fault(size, 'its upper tiles are not those of its entries')
  } catch (error) {
    return fault(grown.size, error instanceof Error ? error.message : String(error))
  }
  const beyond = [...signed.keys()].find((signedSize) => signedSize > size)
  return beyond === undefined
    ? []
    : fault(size, `a checkpoint covers ${beyond} entries, and there are ${size}`)
}

/** Every checkpoint below a size, the largest first. */
export async function* checkpointsBelow(store: Store, size?: number): AsyncIterable<SignedCheckpoint> {
  for (let before = size; ; ) {
    const page = await store.checkpoints({ limit: LEAF_PAGE, before })
    yield* page
    before = page.at(-1)?.size
    if (page.length < LEAF_PAGE) return
  }
}

/** Root of each checkpoint by its size. Whose signature it bears is for those to judge who know the key. */
async function checkpointsOf(store: Store): Promise<ReadonlyMap<number, string>> {
  const roots = new Map<number, string>()
  for await (const { size, note } of checkpointsBelow(store)) {
    const text = readNote(note)?.text
    const checkpoint = text === undefined ? undefined : readCheckpoint(text)
    roots.set(size, checkpoint?.size === size ? toText(checkpoint.root) : 'no checkpoint')
  }
  return roots
}
