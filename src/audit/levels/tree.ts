import { nodeOf, type Sha256 } from '../merkle.ts'
import { HASH_BYTES } from '../sha256.ts'
import { type HashTile, TILE_HEIGHT, TILE_WIDTH } from '../tiles.ts'

/**
 * Grows a tree leaf by leaf, in memory that does not grow with it: the right edge, and for each level of tiles the
 * row that is being filled. Each node is hashed once, for the root and for the tiles alike.
 */
export class TreeBuilder {
  #size = 0
  readonly #sha256: Sha256
  /** Roots of complete subtrees by height; those whose bit is set in the size count. */
  readonly #edge: Uint8Array[] = []
  readonly #rows: { n: number; count: number; bytes: Uint8Array }[] = []
  #full: HashTile[] = []

  constructor(sha256: Sha256) {
    this.#sha256 = sha256
  }

  get size(): number {
    return this.#size
  }

  add(leaf: Uint8Array): void {
    let hash = leaf
    let height = 0
    this.#keep(0, hash)
    // Not by shifts: a size may have more than 32 bits.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) {
      // An odd rest means that a subtree of this height stands to the left.
      hash = nodeOf(this.#sha256, this.#edge[height]!, hash)
      height += 1
      if (height % TILE_HEIGHT === 0) this.#keep(height / TILE_HEIGHT, hash)
    }
    this.#edge[height] = hash
    this.#size += 1
  }

  root(): Uint8Array {
    let root: Uint8Array | undefined
    for (let rest = this.#size, height = 0; rest > 0; rest = Math.floor(rest / 2), height += 1) {
      if (rest % 2 === 0) continue
      const left = this.#edge[height]!
      root = root === undefined ? left : nodeOf(this.#sha256, left, root)
    }
    return root ?? this.#sha256()
  }

  /** The rows that were filled since the last call. */
  takeFull(): readonly HashTile[] {
    const full = this.#full
    this.#full = []
    return full
  }

  /** The rows at the right edge, which are not full. */
  partial(): readonly HashTile[] {
    return this.#rows.flatMap(({ n, count, bytes }, level) =>
      count === 0 ? [] : [{ level, n, bytes: bytes.subarray(0, count * HASH_BYTES) }],
    )
  }

  #keep(level: number, hash: Uint8Array): void {
    this.#rows[level] ??= newRow(0)
    const row = this.#rows[level]
    row.bytes.set(hash, row.count * HASH_BYTES)
    row.count += 1
    if (row.count < TILE_WIDTH) return
    this.#full.push({ level, n: row.n, bytes: row.bytes })
    this.#rows[level] = newRow(row.n + 1)
  }
}

const newRow = (n: number) => ({ n, count: 0, bytes: new Uint8Array(TILE_WIDTH * HASH_BYTES) })

export const widthOf = ({ bytes }: HashTile): number => bytes.length / HASH_BYTES
