import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { EMPTY_FRONTIER, nodeOf, type Range, rootOf, rootOfLeaves, type Sha256 } from './merkle.ts'
import { HASH_BYTES } from './sha256.ts'
import { GrowingTree, type HashTile, openTiles, placesOf, rootOfHashes, TILE_WIDTH } from './tiles.ts'

const sha256: Sha256 = (...parts) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const leaves = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => sha256(Uint8Array.of(i & 255, (i >> 8) & 255, i >> 16)))

/** A tree that is grown in steps, each from what the one before stored. */
function grow(steps: readonly number[], all: readonly Uint8Array[]): Map<string, HashTile> {
  const stored = new Map<string, HashTile>()
  let edge = EMPTY_FRONTIER
  for (const count of steps) {
    const open = openTiles(edge.size).map(({ level, n }) => stored.get(`${level}/${n}`)!)
    const tree = new GrowingTree(sha256, edge, open)
    for (let i = 0; i < count; i++) tree.append(all[edge.size + i]!)
    for (const tile of tree.changed()) stored.set(`${tile.level}/${tile.n}`, tile)
    edge = tree.edge
  }
  return stored
}

function rootFrom(stored: ReadonlyMap<string, HashTile>, range: Range): Uint8Array {
  const roots = placesOf(range).map(({ level, n, start, end }) => {
    const bytes = stored.get(`${level}/${n}`)!.bytes.subarray(start * HASH_BYTES, end * HASH_BYTES)
    assert.equal(bytes.length, (end - start) * HASH_BYTES)
    return rootOfHashes(sha256, bytes)
  })
  return roots.reduceRight((right, left) => nodeOf(sha256, left, right))
}

describe('tiles of a tree', () => {
  const all = leaves(1_500)

  it('[S3-39] give the same root for the same leaves, in however many steps they came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 }), (wanted) => {
        const steps = wanted.filter((_, i) => wanted.slice(0, i + 1).reduce((a, b) => a + b) <= all.length)
        fc.pre(steps.length > 0)
        const size = steps.reduce((a, b) => a + b)
        const root = rootFrom(grow(steps, all), { start: 0, end: size })
        assert.deepEqual(Buffer.from(root), Buffer.from(rootOfLeaves(sha256, all.slice(0, size))))
      }),
      { numRuns: 60 },
    )
  })

  it('are 256 wide when they are full, and each hash above stands for a full one below', () => {
    const stored = grow([600], all)

    assert.deepEqual(
      [...stored.values()].map(({ level, n, bytes }) => [level, n, bytes.length / HASH_BYTES]),
      [
        [0, 0, 256],
        [0, 1, 256],
        [0, 2, 88],
        [1, 0, 2],
      ],
    )
    const first = rootOfLeaves(sha256, all.slice(0, TILE_WIDTH))
    assert.deepEqual(Buffer.from(stored.get('1/0')!.bytes.subarray(0, HASH_BYTES)), Buffer.from(first))
  })

  it('reach a third level without another rule', () => {
    const many = leaves(66_000)
    const stored = grow([65_535, 1, 464], many)

    assert.equal(stored.get('1/0')?.bytes.length, 256 * HASH_BYTES)
    assert.equal(stored.get('2/0')?.bytes.length, HASH_BYTES)
    const root = rootFrom(stored, { start: 0, end: many.length })
    assert.deepEqual(Buffer.from(root), Buffer.from(rootOfLeaves(sha256, many)))
  })

  it('have the edge that the frontier has', () => {
    const tree = new GrowingTree(sha256, EMPTY_FRONTIER, [])
    for (const leaf of all.slice(0, 777)) tree.append(leaf)

    assert.equal(tree.edge.size, 777)
    const root = rootOf(sha256, tree.edge)
    assert.deepEqual(Buffer.from(root), Buffer.from(rootOfLeaves(sha256, all.slice(0, 777))))
  })
})
