import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { platformSha256 } from '../archive/audit-platform.ts'
import { consistencyRanges, nodeOf, type Range, verifyInclusion } from './merkle.ts'

type Vector = Readonly<Record<string, unknown>>

const PROOFS: Readonly<Record<string, readonly Vector[]>> = JSON.parse(
  readFileSync(new URL('fixtures/merkle-proofs.json', import.meta.url), 'utf8'),
)
/** Accepted upstream with a root that is a placeholder of twelve bytes. */
const PLACEHOLDER = 'additional/sizes-are-equal-one-and-proof-is-empty'
const bytes = (text: unknown): Uint8Array => Buffer.from(String(text ?? ''), 'base64')
const isSame = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
  a !== undefined && Buffer.compare(a, b) === 0

/** A part of the leaves that is a subtree of every larger tree: it begins at a multiple of its width, rounded up. */
function isSubtree({ start, end }: Range): boolean {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || start >= end) return false
  let width = 1
  while (width < end - start) width *= 2
  return start % width === 0
}

/**
 * Builds both roots from a proof whose parts stand where `consistencyRanges` puts them: that of the subtree and
 * that of the whole tree.
 */
function rootsOf(range: Range, size: number, root: Uint8Array, proof: readonly Uint8Array[]) {
  if (proof.length !== consistencyRanges(range, size).length) return undefined
  let next = 0
  const built = (
    low: number,
    high: number,
    first: number,
    isWhole: boolean,
  ): readonly [Uint8Array, Uint8Array] => {
    if (first === low && range.end === high) {
      const hash = isWhole ? root : proof[next++]!
      return [hash, hash]
    }
    let width = 1
    while (width * 2 < high - low) width *= 2
    const middle = low + width
    if (range.end <= middle) {
      const [part, whole] = built(low, middle, first, isWhole)
      return [part, nodeOf(platformSha256, whole, proof[next++]!)]
    }
    const isCut = first < middle
    const [part, whole] = built(middle, high, Math.max(first, middle), isWhole && !isCut)
    const left = proof[next++]!
    return [isCut ? nodeOf(platformSha256, left, part) : part, nodeOf(platformSha256, left, whole)]
  }
  return built(0, size, range.start, true)
}

describe('the published vectors of subtrees', () => {
  it('[S3-40] hold where a leaf is in a part of the tree', () => {
    const vectors = PROOFS.subtreeinclusion!
    const wrong = vectors.filter((v) => {
      const range = { start: Number(v.start), end: Number(v.end) }
      const claim = {
        index: Number(v.leafIdx) - range.start,
        size: range.end - range.start,
        leaf: bytes(v.leafHash),
        root: bytes(v.root),
        proof: ((v.proof ?? []) as string[]).map(bytes),
      }
      return (isSubtree(range) && verifyInclusion(platformSha256, claim)) === v.wantErr
    })

    assert.equal(vectors.length, 78)
    assert.deepEqual(wrong, [])
  })

  it('[S3-40] hold where a part of the tree is in the whole', () => {
    const vectors = PROOFS.subtreeconsistency!
    const wrong = vectors.filter((v) => {
      const range = { start: Number(v.start), end: Number(v.end) }
      const size = Number(v.size)
      const proof = ((v.proof ?? []) as string[]).map(bytes)
      const [root1, root2] = [bytes(v.root1), bytes(v.root2)]
      // Nothing is a part of everything: then only its own root and an empty proof are judged.
      const isNothing = range.start === range.end && range.end <= size
      const isPart =
        [root1, root2, ...proof].every(({ length }) => length === 32) && isSubtree(range) && range.end <= size
      const roots = isPart ? rootsOf(range, size, root1, proof) : undefined
      const holds = isNothing
        ? isSame(platformSha256(), root1) && proof.length === 0
        : isSame(roots?.[0], root1) && isSame(roots?.[1], root2)
      return holds === v.wantErr && v.name !== PLACEHOLDER
    })

    assert.equal(vectors.length, 55)
    assert.deepEqual(wrong, [])
  })
})
