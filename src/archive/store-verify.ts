import { type ChainHead, doubtAbout, verifyChain } from '../audit/chain.ts'
import { storeRefused } from '../domain/errors.ts'
import { readStream } from '../service/audit/log-reader.ts'
import type { Store } from '../storage/store.ts'
import { leafHash } from '../storage/working-set.ts'
import { RowDigest } from './row-digest.ts'
import { verifyTree } from './tree-verify.ts'

export interface LongWork {
  /** How far it is; `of` is absent when nobody knows. */
  readonly tell?: (what: string, done: number, of?: number) => void
  readonly signal?: AbortSignal
}

export interface ChainReport {
  readonly streams: number
  readonly entries: number
  /** Streams with entries in an archive that is not there. */
  readonly elsewhere: number
  /** Streams that do not hold, with the first entry that is wrong. */
  readonly broken: readonly { readonly stream: string; readonly at: number; readonly reason: string }[]
}

/** Follows every chain of the log from its first entry to the head that the store remembers, then the tree. */
export async function verifyChains(store: Store, { tell, signal }: LongWork = {}): Promise<ChainReport> {
  const heads = await headsOf(store)
  const broken: { stream: string; at: number; reason: string }[] = []
  const { streams, entries, left } = await followAll(store, heads, (done) => {
    signal?.throwIfAborted()
    tell?.('verifying the log', done, heads.size)
  })
  let elsewhere = 0
  for (const [stream, head] of left) {
    signal?.throwIfAborted()
    const { texts, wrong } = await readStream(store, stream, leafHash)
    const verdict = verifyChain(texts, leafHash, head)
    if (texts.some(({ entry }) => entry === '')) elsewhere += 1
    else if (!verdict.ok) broken.push({ stream, at: verdict.at, reason: verdict.reason })
    else if (wrong !== undefined)
      broken.push({ stream, at: wrong, reason: 'its stored hash is not that of its text' })
  }
  broken.push(...(await verifyTree(store, (done, of) => tell?.('verifying the tree', done, of))))
  return { streams, entries, elsewhere, broken }
}

const ENTRIES_AT_ONCE = 1_000

/** Follows all chains at once, in the order of the log. What is left does not hold, and is looked at by itself. */
async function followAll(
  store: Store,
  heads: ReadonlyMap<string, ChainHead>,
  tell: (done: number) => void,
): Promise<{ streams: number; entries: number; left: ReadonlyMap<string, ChainHead> }> {
  const left = new Map(heads)
  const reached = new Map<string, ChainHead>()
  let entries = 0
  for (let next = store.changes('0', ENTRIES_AT_ONCE, true); ; ) {
    const page = await next
    if (page.entries.length === 0) return { streams: heads.size, entries, left }
    // Read while these are hashed; where it fails, the next round says so.
    next = store.changes(page.cursor, ENTRIES_AT_ONCE, true)
    next.catch(() => undefined)
    for (const entry of page.entries) {
      const { stream, seq, body } = entry
      const head = left.get(stream)
      if (heads.has(stream)) entries += 1
      if (!head) continue
      const hash = leafHash(body)
      // One that does not follow is not remembered, so that nothing follows it either.
      if (doubtAbout(entry, hash, store.info.origin, reached.get(stream))) continue
      reached.set(stream, { seq, hash })
      if (head.seq === seq && head.hash === hash && left.delete(stream)) tell(heads.size - left.size)
    }
  }
}

/** The last entry of every stream, as its row says. */
async function headsOf(store: Store): Promise<Map<string, ChainHead>> {
  const heads = new Map<string, ChainHead>()
  for await (const { table, row } of store.dump()) {
    if (table === 'stream') heads.set(String(row.uid), { seq: Number(row.seq), hash: String(row.head) })
    // Tables come in one order, and the log is the largest: nothing after the heads is read.
    else if (table === 'entry') break
  }
  return heads
}

/** Reads a store back and refuses it unless it holds exactly these rows and unbroken chains. */
export async function demandCopied(
  sent: RowDigest,
  target: Store,
  work: LongWork = {},
): Promise<ChainReport> {
  const received = new RowDigest()
  for await (const _ of received.through(target.dump(), work, 'reading back'));
  sent.demandSame(received, target.info.location)
  const chains = await verifyChains(target, work)
  const [first] = chains.broken
  if (!first) return chains
  throw storeRefused(
    `the log in ${target.info.location} is broken in stream ${first.stream} at entry ${first.at}: ${first.reason}. Its source is broken in the same place and was not changed`,
    { broken: chains.broken.slice(0, 20) },
  )
}
