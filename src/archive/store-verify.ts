import { type ChainHead, verifyChain } from '../audit/chain.ts'
import { BatonError } from '../domain/errors.ts'
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
  let streams = 0
  let entries = 0
  let elsewhere = 0
  for (const [stream, head] of heads) {
    signal?.throwIfAborted()
    const { texts, wrong } = await readStream(store, stream, leafHash)
    const verdict = verifyChain(texts, leafHash, head)
    if (texts.some(({ entry }) => entry === '')) elsewhere += 1
    else if (!verdict.ok) broken.push({ stream, at: verdict.at, reason: verdict.reason })
    else if (wrong !== undefined)
      broken.push({ stream, at: wrong, reason: 'its stored hash is not that of its text' })
    streams += 1
    entries += texts.length
    tell?.('verifying the log', streams, heads.size)
  }
  broken.push(...(await verifyTree(store, (done, of) => tell?.('verifying the tree', done, of))))
  return { streams, entries, elsewhere, broken }
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
  throw new BatonError(
    'store_refused',
    `the log in ${target.info.location} is broken in stream ${first.stream} at entry ${first.at}: ${first.reason}. Its source is broken in the same place and was not changed`,
    { broken: chains.broken.slice(0, 20) },
  )
}
