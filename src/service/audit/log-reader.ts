import type { LeafHash } from '../../audit/entry.ts'
import { append, EMPTY_FRONTIER, rootOf } from '../../audit/merkle.ts'
import { TILE_WIDTH } from '../../audit/tiles.ts'
import { type BatonError, type ErrorDetails, storeRefused } from '../../domain/errors.ts'
import type { LogEntry, Store } from '../../storage/store.ts'
import { leafOfText, nodeSha256 } from './hashes.ts'

/** An entry with its place in the tree. */
export interface LeafEntry extends LogEntry {
  readonly index: number
}

const LEAF_PAGE = 1_000

/**
 * Entries of the log in the order of the tree, from one index up to another, with their disclosures and in pages:
 * memory does not grow with the log.
 */
export async function* readLog(store: Store, start: number, end: number, bare?: true) {
  let index = Math.floor(start / TILE_WIDTH) * TILE_WIDTH
  if (start >= end) return
  const [tile] = await store.tiles(0, index / TILE_WIDTH, 1)
  if (tile?.first === undefined) return
  let cursor = String(tile.first - 1)
  for (;;) {
    const page = await store.changes(cursor, Math.min(LEAF_PAGE, end - index), bare)
    for (const entry of page.entries) {
      if (index >= start) yield { ...entry, index } satisfies LeafEntry
      index += 1
      if (index >= end) return
    }
    if (page.entries.length === 0) throw missingFromStore(`entry ${index} of the log`, { index })
    cursor = page.cursor
  }
}

/** The root of the first entries, made from their bytes and from nothing that stands beside them. */
export async function rootOfEntries(store: Store, size: number): Promise<Uint8Array> {
  let grown = EMPTY_FRONTIER
  for await (const { body } of readLog(store, 0, size)) grown = append(nodeSha256, grown, leafOfText(body))
  return rootOf(nodeSha256, grown)
}

/** The texts of a stream, empty where their archive is missing, and the first entry whose stored hash is not that of its text. */
export async function readStream(store: Store, stream: string, leafHash: LeafHash, most = Number.MAX_VALUE) {
  const texts: { entry: string }[] = []
  let wrong: number | undefined
  for (;;) {
    const limit = Math.min(LEAF_PAGE, most - texts.length)
    const page = await store.entries(stream, texts.length, limit, true)
    for (const { body, hash, seq } of page) {
      if (body !== '' && hash !== leafHash(body)) wrong ??= seq
      texts.push({ entry: body })
    }
    if (page.length < LEAF_PAGE) return { texts, wrong }
  }
}

/** Index of an entry in the tree; undefined when the tree does not hold it yet. */
export async function indexOf(store: Store, { id }: LogEntry): Promise<number | undefined> {
  const tile = await store.tileOfEntry(id)
  if (tile?.first === undefined) return undefined
  const { entries } = await store.changes(String(tile.first - 1), TILE_WIDTH)
  const place = entries.findIndex((entry) => entry.id === id)
  return place < 0 ? undefined : tile.n * TILE_WIDTH + place
}

/** A part of the log that was there is there no more. */
export const missingFromStore = (what: string, details: ErrorDetails): BatonError =>
  storeRefused(`${what} is missing: somebody has changed the store; compare it with a backup`, details)
