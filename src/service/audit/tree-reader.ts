import { consistencyRanges, inclusionRanges, nodeOf, type Range } from '../../audit/merkle.ts'
import { HASH_BYTES } from '../../audit/sha256.ts'
import { placesOf, rootOfHashes, type TilePlace } from '../../audit/tiles.ts'
import { storeRefused } from '../../domain/errors.ts'
import type { Store } from '../../storage/store.ts'
import { nodeSha256 } from './hashes.ts'

/** Enough for any proof; whoever walks the whole log must not hold all of it. */
const KEPT_TILES = 256

/** Roots and proofs of the tree as its tiles say. A tile is read once; a proof needs a few of them. */
export class TreeReader {
  readonly #store: Store
  readonly #tiles = new Map<string, Promise<Uint8Array>>()

  constructor(store: Store) {
    this.#store = store
  }

  async rootAt(size: number): Promise<Uint8Array> {
    return size === 0 ? nodeSha256() : this.#rootOf({ start: 0, end: size })
  }

  leaf(index: number): Promise<Uint8Array> {
    return this.#rootOf({ start: index, end: index + 1 })
  }

  inclusion(index: number, size: number): Promise<readonly Uint8Array[]> {
    return Promise.all(inclusionRanges(index, { start: 0, end: size }).map((range) => this.#rootOf(range)))
  }

  consistency(from: number, to: number): Promise<readonly Uint8Array[]> {
    return Promise.all(consistencyRanges({ start: 0, end: from }, to).map((range) => this.#rootOf(range)))
  }

  async #rootOf(range: Range): Promise<Uint8Array> {
    const roots = await Promise.all(placesOf(range).map((place) => this.#rootAtPlace(place)))
    return roots.reduceRight((right, left) => nodeOf(nodeSha256, left, right))
  }

  async #rootAtPlace({ level, n, start, end }: TilePlace): Promise<Uint8Array> {
    let bytes = await this.#tile(level, n)
    if (bytes.length < end * HASH_BYTES) {
      // Read before the tree has grown.
      this.#tiles.delete(`${level}/${n}`)
      bytes = await this.#tile(level, n)
    }
    if (bytes.length < end * HASH_BYTES) throw missingTile(level, n)
    return rootOfHashes(nodeSha256, bytes.subarray(start * HASH_BYTES, end * HASH_BYTES))
  }

  #tile(level: number, n: number): Promise<Uint8Array> {
    const key = `${level}/${n}`
    if (this.#tiles.size > KEPT_TILES) this.#tiles.clear()
    let tile = this.#tiles.get(key)
    if (!tile) {
      tile = this.#store.tiles(level, n, 1).then(([found]) => {
        if (found?.n !== n) throw missingTile(level, n)
        return found.bytes
      })
      this.#tiles.set(key, tile)
    }
    return tile
  }
}

export const missingTile = (level: number, n: number) =>
  storeRefused(
    `tile ${n} of level ${level} of the log's tree is missing or too short. Somebody has changed the store; compare it with a backup`,
    { level, n },
  )
