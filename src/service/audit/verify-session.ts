import { verifyChain } from '../../audit/chain.ts'
import type { ChainReport } from '../../domain/audit-answers.ts'
import { storeRefused } from '../../domain/errors.ts'
import type { Store, Stream } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { newestCheckpoint } from './checkpoints.ts'
import { leafOfText, toText } from './hashes.ts'
import { readStream } from './log-reader.ts'
import { membersOf } from './members.ts'
import { sequence } from './sequence.ts'
import { findSession } from './sessions.ts'

const STREAMS_AT_ONCE = 100
const hashOf = (entry: string): string => toText(leafOfText(entry))

/**
 * Checks everything that a session rests on: the chains of all streams it wrote to, its entries against the
 * workspace's tree, and the newest checkpoint. The first entry that is wrong is named in the refusal.
 */
export async function verifySession(deps: ServiceDeps, call: Call, ref?: string): Promise<ChainReport> {
  const { store } = deps
  const session = await findSession(deps, call, ref)
  const { size } = await sequence(store)
  const members = await membersOf(store, session, session.seal?.size ?? size)
  if (session.seal && (session.seal.root !== members.root || session.seal.n !== members.n))
    throw broken(session.uid, 1, 'the seal does not fit the entries of the session', session.id)
  for await (const head of headsOf(store, [...members.streams])) await followStream(store, head)
  const checkpoint = await newestCheckpoint(deps)
  const says = {
    chain: `every entry of ${members.streams.size} streams follows the one before it`,
    tree: `the ${members.n} entries of the session stand in the tree of ${size} entries`,
    checkpoint: checkpoint
      ? `the first ${checkpoint.size} entries are signed, and extend what this user has seen`
      : 'no checkpoint has been signed yet; merkle_finalize makes one',
  }
  return {
    ok: true,
    session: session.id,
    entries: members.n,
    head: members.head,
    streams: members.streams.size,
    levels: SESSION_LEVELS.map(([level, does_not_prove]) => {
      const holds = level !== 'checkpoint' || checkpoint !== undefined
      return { level, holds, says: says[level], does_not_prove }
    }),
  }
}

/** The levels of a session, and what each does not prove. */
const SESSION_LEVELS = [
  ['chain', 'that nobody with access to the store has rewritten a chain'],
  ['tree', 'that the tree is the one that others have seen'],
  ['checkpoint', 'that what the entries say is true'],
] as const

/** The heads of streams as their rows say. A unit that changes nothing reads them; a read-only store has no units. */
async function* headsOf(store: Store, streams: readonly string[]): AsyncGenerator<Stream> {
  if (store.info.readOnly) return
  for (let at = 0; at < streams.length; at += STREAMS_AT_ONCE) {
    const some = streams.slice(at, at + STREAMS_AT_ONCE)
    const found = await store.transact({
      reads: { streams: some },
      at: '',
      decide: (view) => some.map((uid) => ({ uid, head: view.stream(uid) })),
    })
    for (const { uid, head } of found) {
      if (!head) throw broken(uid, 0, 'the head of its stream is missing')
      yield head
    }
  }
}

async function followStream(store: Store, { uid, seq, head }: Stream): Promise<void> {
  const { texts, wrong } = await readStream(store, uid, hashOf, seq + 1)
  if (texts.some(({ entry }) => entry === '')) throw (await store.archive())!.missing()
  if (wrong !== undefined) throw broken(uid, wrong, 'its stored hash is not that of its text')
  const verdict = verifyChain(texts, hashOf, { seq, hash: head })
  if (!verdict.ok) throw broken(uid, verdict.at, verdict.reason)
}

const broken = (stream: string, at: number, reason: string, session?: string) =>
  storeRefused(
    `the chain is broken at entry ${at} of stream ${stream}: ${reason}. Somebody has changed the store; compare it with a backup`,
    { stream, at, reason, session },
  )
