import { HASH_BYTES } from './sha256.ts'
/** SHA-256 over the parts one after the other. Given by the caller: the same code runs without Node. */
export type Sha256 = (...parts: readonly Uint8Array[]) => Uint8Array

/** Leaves from `start` up to but without `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * The right edge of a tree: the roots of its complete subtrees, largest first. It is all that is needed to
 * append and to tell the root.
 */
export interface Frontier {
  readonly size: number
  readonly hashes: readonly Uint8Array[]
}

export const EMPTY_FRONTIER: Frontier = { size: 0, hashes: [] }
const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** RFC 6962: a leaf and a node are hashed under different prefixes, so neither can stand for the other. */
export const leafOf = (sha256: Sha256, entry: Uint8Array): Uint8Array => sha256(LEAF, entry)
export const nodeOf = (sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(NODE, left, right)

/** The edge after one more leaf. Two subtrees of one size become one: as often as the size ends in ones. */
export function append(sha256: Sha256, { size, hashes }: Frontier, leaf: Uint8Array): Frontier {
  const edge = [...hashes]
  let hash = leaf
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) hash = nodeOf(sha256, take(edge), hash)
  return { size: size + 1, hashes: [...edge, hash] }
}

export function rootOf(sha256: Sha256, { hashes }: Frontier): Uint8Array {
  const last = hashes.at(-1)
  if (last === undefined) return sha256()
  return hashes.slice(0, -1).reduceRight((right, left) => nodeOf(sha256, left, right), last)
}

/** Root of the leaves, MTH of RFC 6962. */
export function rootOfLeaves(sha256: Sha256, leaves: Iterable<Uint8Array>): Uint8Array {
  let edge = EMPTY_FRONTIER
  for (const leaf of leaves) edge = append(sha256, edge, leaf)
  return rootOf(sha256, edge)
}

/** The subtrees whose roots prove that leaf `index` is in the tree of these leaves; lowest first. */
export function inclusionRanges(index: number, { start, end }: Range): readonly Range[] {
  const ranges: Range[] = []
  let [low, high] = [start, end]
  while (high - low > 1) {
    const middle = low + splitOf(high - low)
    const isLeft = index < middle
    ranges.push(isLeft ? { start: middle, end: high } : { start: low, end: middle })
    if (isLeft) high = middle
    else low = middle
  }
  return ranges.reverse()
}

/**
 * The subtrees whose roots prove that the tree of `size` leaves begins with the tree of the first `end`, lowest
 * first. A `start` other than zero asks for a subtree of it.
 */
export function consistencyRanges({ start, end }: Range, size: number): readonly Range[] {
  const ranges: Range[] = []
  let [low, high, first] = [0, size, start]
  let isWhole = true
  if (start === end) return []
  while (!(first === low && end === high)) {
    const middle = low + splitOf(high - low)
    if (end <= middle) {
      ranges.push({ start: middle, end: high })
      high = middle
    } else {
      ranges.push({ start: low, end: middle })
      if (first < middle) {
        first = middle
        isWhole = false
      }
      low = middle
    }
  }
  if (!isWhole) ranges.push({ start: low, end: high })
  return ranges.reverse()
}

/** RFC 9162, 2.1.3.2. Refuses hashes of the wrong length, invalid sizes and proofs that do not fit. */
export function verifyInclusion(
  sha256: Sha256,
  claim: {
    readonly index: number
    readonly size: number
    readonly leaf: Uint8Array
    readonly root: Uint8Array
    readonly proof: readonly Uint8Array[]
  },
): boolean {
  const { index, size, leaf, root, proof } = claim
  if (!isCount(index) || !isCount(size) || index >= size || ![leaf, root, ...proof].every(isHash))
    return false
  let [position, last] = [index, size - 1]
  let hash = leaf
  for (const sibling of proof) {
    if (last === 0) return false
    if (position % 2 === 1 || position === last) {
      hash = nodeOf(sha256, sibling, hash)
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)]
    } else hash = nodeOf(sha256, hash, sibling)
    ;[position, last] = [half(position), half(last)]
  }
  return last === 0 && isSame(hash, root)
}

/** RFC 9162, 2.1.4.2. Nothing is consistent with an empty tree, since nothing could be inconsistent with it. */
export function verifyConsistency(
  sha256: Sha256,
  claim: {
    readonly size1: number
    readonly size2: number
    readonly root1: Uint8Array
    readonly root2: Uint8Array
    readonly proof: readonly Uint8Array[]
  },
): boolean {
  const { size1, size2, root1, root2, proof } = claim
  if (!isCount(size1) || !isCount(size2) || size1 === 0 || size1 > size2) return false
  if (![root1, root2, ...proof].every(isHash)) return false
  if (size1 === size2) return proof.length === 0 && isSame(root1, root2)
  let [position, last] = [size1 - 1, size2 - 1]
  while (position % 2 === 1) [position, last] = [half(position), half(last)]
  const [begin, ...rest] = position === 0 ? [root1, ...proof] : proof
  if (begin === undefined || proof.length === 0) return false
  let [old, now] = [begin, begin]
  for (const sibling of rest) {
    if (last === 0) return false
    if (position % 2 === 1 || position === last) {
      old = nodeOf(sha256, sibling, old)
      now = nodeOf(sha256, sibling, now)
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)]
    } else now = nodeOf(sha256, now, sibling)
    ;[position, last] = [half(position), half(last)]
  }
  return last === 0 && isSame(old, root1) && isSame(now, root2)
}

/** Largest power of two below a count of at least two. */
function splitOf(count: number): number {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}

/** Not a shift: counts may be larger than 32 bits. */
const half = (count: number): number => Math.floor(count / 2)

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

const isHash = (hash: Uint8Array): boolean => hash.length === HASH_BYTES

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false
  return true
}

function take(edge: Uint8Array[]): Uint8Array {
  const hash = edge.pop()
  if (hash === undefined) throw new TypeError('the edge of the tree does not fit its size')
  return hash
}
