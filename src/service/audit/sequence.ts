import { setTimeout as pause } from 'node:timers/promises'
import { type ChainHead, doubtAbout } from '../../audit/chain.ts'
import { HASH_BYTES } from '../../audit/sha256.ts'
import { GrowingTree, hashesOn, openTiles, TILE_WIDTH } from '../../audit/tiles.ts'
import { storeRefused, unavailable } from '../../domain/errors.ts'
import { present } from '../../domain/present.ts'
import type { LogEntry, Store, Tile, Tree } from '../../storage/store.ts'
import { leafOfText, nodeSha256, toBytes, toText } from './hashes.ts'
import { missingTile } from './tree-reader.ts'

/** Leaves that are taken in with one write. */
const AT_ONCE = 2_048
/** Beside the calls of a server, which may have to wait for each part: it takes about a millisecond. */
const AT_ONCE_BESIDE = 256
const PART = 32
/** How long a writer that took a lower number may keep the others out of the tree. */
const PATIENCE_MS = 10_000
/** Heads of streams that are kept between pages; more would be read again. */
const KEPT_HEADS = 20_000

type Heads = Map<string, ChainHead>

/**
 * Takes every entry that was committed before the call into the tree, in the order of their ids. Any number of
 * processes may do this at once: each step is conditional on the size it began with, so they never disagree. A server
 * passes `beside`: it is told after each part of a step how many are left, makes room for calls, and ends it by false.
 */
export async function sequence(store: Store, beside?: (left: number) => Promise<boolean>): Promise<Tree> {
  const { newest, ...begun } = await store.tree()
  if (store.info.readOnly) return begun
  const deadline = performance.now() + PATIENCE_MS
  const heads: Heads = new Map()
  let tree: Tree = begun
  const goesOn = async () => !beside || (await beside(newest - tree.last))
  while (tree.last < newest) {
    const { entries } = await store.changes(String(tree.last), beside ? AT_ONCE_BESIDE : AT_ONCE)
    if (entries.length > 0) {
      const grow = await growing(store, tree, heads)
      const part = beside ? PART : AT_ONCE
      for (let i = 0; i < entries.length; i += part) {
        if (!(await goesOn())) return tree
        await grow.take(entries.slice(i, i + part))
      }
      if (!(await goesOn())) return tree
      const { next, tiles } = grow.grown()
      const isMine = await store.growTree(tree.size, next, tiles)
      tree = isMine ? next : await store.tree()
      // Another has taken in more or less than this page: where the streams stand is read again.
      if (!isMine) heads.clear()
      if (!(await goesOn())) return tree
      continue
    }
    // An entry above is there and one below is still being written: its number was taken first.
    if (performance.now() > deadline)
      throw unavailable(
        'a change that began before is not finished, so the log cannot be put in order yet; try again',
      )
    await pause(5)
    tree = await store.tree()
  }
  return tree
}

/** Takes entries in, part by part, and answers the tree and the tiles that this makes. */
async function growing(store: Store, tree: Tree, heads: Heads) {
  const open = await openTilesOf(store, tree.size)
  const growing = new GrowingTree(nodeSha256, { size: tree.size, hashes: tree.edge.map(toBytes) }, open)
  const firsts = new Map(open.flatMap(({ level, n, first }) => (level === 0 ? [[n, first]] : [])))
  let last = tree.last
  return {
    async take(entries: readonly LogEntry[]): Promise<void> {
      await readHeads(store, entries, heads)
      for (const entry of entries) {
        const { size } = growing.edge
        if (size % TILE_WIDTH === 0) firsts.set(size / TILE_WIDTH, entry.id)
        growing.append(checkedLeaf(store, entry, heads))
        last = entry.id
      }
    },
    grown(): { next: Tree; tiles: readonly Tile[] } {
      const { size, hashes } = growing.edge
      return {
        next: { size, last, edge: hashes.map(toText) },
        tiles: growing.changed().map((tile) => {
          const first = tile.level === 0 ? firsts.get(tile.n) : undefined
          return { ...tile, ...present({ first }) }
        }),
      }
    },
  }
}

/** Another may have grown the tree since its size was read: of a tile that is longer by now, the beginning counts. */
async function openTilesOf(store: Store, size: number): Promise<readonly Tile[]> {
  return Promise.all(
    openTiles(size).map(async ({ level, n }) => {
      const [tile] = await store.tiles(level, n, 1)
      const length = (hashesOn(level, size) % TILE_WIDTH) * HASH_BYTES
      if (tile?.n !== n || tile.bytes.length < length) throw missingTile(level, n)
      return { ...tile, bytes: tile.bytes.subarray(0, length) }
    }),
  )
}

/** The entries before the first of each stream, so that links into what is in the tree are checked too. */
async function readHeads(store: Store, entries: readonly LogEntry[], heads: Heads): Promise<void> {
  if (heads.size > KEPT_HEADS) heads.clear()
  const firsts = new Map<string, number>()
  for (const { stream, seq } of entries)
    if (!heads.has(stream) && !firsts.has(stream)) firsts.set(stream, seq)
  await Promise.all(
    [...firsts].map(async ([stream, seq]) => {
      if (seq === 0) return
      const [before] = await store.entries(stream, seq - 1, 1, true)
      // Of one whose archive is elsewhere the hash that it left here counts.
      const hash = before?.body === '' ? before.hash : toText(leafOfText(before?.body ?? ''))
      if (before) heads.set(stream, { seq: before.seq, hash })
    }),
  )
}

/**
 * The leaf of an entry that is what was written. A log whose signed root does not fit its entries is dead for
 * good, so what was damaged on disk must not get in.
 */
function checkedLeaf(store: Store, entry: LogEntry, heads: Heads): Uint8Array {
  const leaf = leafOfText(entry.body)
  const hash = toText(leaf)
  const reason = doubtAbout(entry, hash, store.info.origin, heads.get(entry.stream))
  if (reason) throw damaged(entry, reason)
  heads.set(entry.stream, { seq: entry.seq, hash })
  return leaf
}

const damaged = ({ id, stream, seq }: LogEntry, reason: string) =>
  storeRefused(
    `entry ${seq} of stream ${stream} is not as it was written: ${reason}; nothing is signed over it. See all that is wrong with: baton doctor, and compare with a backup`,
    { entry: id, stream, at: seq, reason },
  )
