import { append, type Frontier, nodeOf, type Range, type Sha256 } from './merkle.ts'
import { HASH_BYTES } from './sha256.ts'

/** Hashes of one level side by side (C2SP tlog-tiles): level 0 are leaves, one hash above stands for 256 below. */
export interface HashTile {
  readonly level: number
  readonly n: number
  readonly bytes: Uint8Array
}

export const TILE_WIDTH = 256
const TILE_BYTES = TILE_WIDTH * HASH_BYTES
/** Levels of nodes within a tile: 256 is 2 to the 8th. */
export const TILE_HEIGHT = 8

/** How many hashes a level has in a tree of this size. */
export const hashesOn = (level: number, size: number): number => Math.floor(size / TILE_WIDTH ** level)

/** The unfinished tiles of a tree, one for each level that has one: what must be read before it can grow. */
export function openTiles(size: number): readonly { readonly level: number; readonly n: number }[] {
  const open: { level: number; n: number }[] = []
  for (let level = 0; hashesOn(level, size) > 0; level += 1) {
    const count = hashesOn(level, size)
    if (count % TILE_WIDTH > 0) open.push({ level, n: Math.floor(count / TILE_WIDTH) })
  }
  return open
}

interface OpenTile {
  readonly bytes: Uint8Array
  length: number
}

const newTile = (): OpenTile => ({ bytes: new Uint8Array(TILE_BYTES), length: 0 })

/** Tiles and edge of a tree while leaves are appended to it. */
export class GrowingTree {
  readonly #sha256: Sha256
  readonly #changed = new Map<string, HashTile>()
  /** The unfinished tile of each level. */
  readonly #open: OpenTile[] = []
  #edge: Frontier

  /** `open` are the tiles that `openTiles` names, whole. */
  constructor(sha256: Sha256, edge: Frontier, open: readonly HashTile[]) {
    this.#sha256 = sha256
    this.#edge = edge
    for (const { level, bytes } of open) {
      const tile = newTile()
      tile.bytes.set(bytes)
      this.#open[level] = { ...tile, length: bytes.length }
    }
  }

  get edge(): Frontier {
    return this.#edge
  }

  append(leaf: Uint8Array): void {
    const size = this.#edge.size + 1
    this.#edge = append(this.#sha256, this.#edge, leaf)
    let hash: Uint8Array = leaf
    for (let level = 0; ; level += 1) {
      const open = this.#open[level] ?? newTile()
      this.#open[level] = open
      open.bytes.set(hash, open.length)
      open.length += HASH_BYTES
      if (open.length < TILE_BYTES) return
      const n = Math.ceil(hashesOn(level, size) / TILE_WIDTH) - 1
      this.#changed.set(`${level}/${n}`, { level, n, bytes: open.bytes })
      this.#open[level] = newTile()
      hash = rootOfHashes(this.#sha256, open.bytes)
    }
  }

  /** Every tile that is not as it was, the unfinished ones too. */
  changed(): readonly HashTile[] {
    const open = this.#open.flatMap(({ bytes, length }, level) => {
      const n = Math.floor(hashesOn(level, this.#edge.size) / TILE_WIDTH)
      return length === 0 ? [] : [{ level, n, bytes: bytes.slice(0, length) }]
    })
    return [...this.#changed.values(), ...open]
  }
}

/** The place of a complete subtree's root: hashes `start` to `end` of a tile, hashed up. */
export interface TilePlace {
  readonly level: number
  readonly n: number
  readonly start: number
  readonly end: number
}

/** The complete subtrees, left to right, whose roots make the root of a range of leaves as RFC 6962 splits it. */
export function placesOf({ start, end }: Range): readonly TilePlace[] {
  const places: TilePlace[] = []
  let at = start
  while (at < end) {
    let width = 1
    while (at % (width * 2) === 0 && at + width * 2 <= end) width *= 2
    const level = Math.floor(Math.log2(width) / TILE_HEIGHT)
    const scale = TILE_WIDTH ** level
    const first = (at / scale) % TILE_WIDTH
    places.push({ level, n: Math.floor(at / scale / TILE_WIDTH), start: first, end: first + width / scale })
    at += width
  }
  return places
}

/** Root of a power of two of hashes. */
export function rootOfHashes(sha256: Sha256, bytes: Uint8Array): Uint8Array {
  let row: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += HASH_BYTES) row.push(bytes.subarray(at, at + HASH_BYTES))
  while (row.length > 1) {
    const above: Uint8Array[] = []
    for (let i = 0; i + 1 < row.length; i += 2) above.push(nodeOf(sha256, row[i]!, row[i + 1]!))
    row = above
  }
  const [root] = row
  if (root === undefined) throw new TypeError('a tile without hashes has no root')
  return root
}
