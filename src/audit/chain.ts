import { decodeEntry, type Entry, encodeEntry, type LeafHash, ZERO_HASH } from './entry.ts'

/** The last entry of a stream: its position and its leaf hash. */
export interface ChainHead {
  readonly seq: number
  readonly hash: string
}

export type ChainVerdict =
  | { readonly ok: true; readonly count: number; readonly head: ChainHead }
  /** `at` is where the chain ceases to hold: that entry or the one before it is not the one written. */
  | { readonly ok: false; readonly at: number; readonly reason: string }

export const EMPTY_CHAIN: ChainHead = { seq: -1, hash: ZERO_HASH }

/** The entry that follows `head`, and the head that it makes. */
export function appendToChain(
  head: ChainHead,
  { origin, stream, record }: Omit<Entry, 'seq' | 'prev'>,
  leafHash: LeafHash,
): { readonly entry: string; readonly head: ChainHead } {
  const seq = head.seq + 1
  const entry = encodeEntry({ origin, stream, seq, prev: head.hash, record })
  return { entry, head: { seq, hash: leafHash(entry) } }
}

/** Why an entry as it was stored is not the one that follows `before` in this log; undefined when it is. */
export function doubtAbout(
  entry: { readonly stream: string; readonly seq: number; readonly body: string; readonly hash: string },
  leaf: string,
  origin: string,
  before: ChainHead | undefined = EMPTY_CHAIN,
): string | undefined {
  const { stream, seq, body, hash } = entry
  const decoded = decodeEntry(body)
  if (leaf !== hash) return 'its stored hash is not that of its text'
  if (!decoded.ok) return decoded.reason
  if (decoded.origin !== origin) return 'it is of another log'
  if (decoded.stream !== stream || decoded.seq !== seq) return 'its text is that of another place'
  const isNext = before.seq === seq - 1 && before.hash === decoded.prev
  return isNext ? undefined : 'it does not follow the entry before it'
}

/**
 * Follows one stream from its first entry and stops at the first that does not belong there. Hashes are made
 * from the entries' bytes, never taken from a column beside them. Nothing inside a chain tells where it ends:
 * only with a remembered head is a change of the last entry seen, or a tail that was cut off.
 */
export function verifyChain(
  entries: Iterable<{ readonly entry: string }>,
  leafHash: LeafHash,
  remembered?: ChainHead,
): ChainVerdict {
  let head = EMPTY_CHAIN
  let first: { readonly origin: string; readonly stream: string } | undefined
  for (const { entry } of entries) {
    const at = head.seq + 1
    const decoded = decodeEntry(entry)
    if (!decoded.ok) return { ok: false, at, reason: decoded.reason }
    first ??= decoded
    if (decoded.origin !== first.origin) return { ok: false, at, reason: 'it is of another log' }
    if (decoded.stream !== first.stream) return { ok: false, at, reason: 'it is of another stream' }
    if (decoded.seq !== at) return { ok: false, at, reason: `it says that it is number ${decoded.seq}` }
    if (decoded.prev !== head.hash) return { ok: false, at, reason: 'it does not follow the entry before it' }
    head = { seq: at, hash: leafHash(entry) }
  }
  if (remembered && (remembered.seq !== head.seq || remembered.hash !== head.hash)) {
    return {
      ok: false,
      at: head.seq,
      reason: `the chain does not end with the remembered entry ${remembered.seq}`,
    }
  }
  return { ok: true, count: head.seq + 1, head }
}
