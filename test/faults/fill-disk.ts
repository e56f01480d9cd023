import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyChain } from '../../src/audit/chain.ts'
import type { BatonError } from '../../src/domain/errors.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import type { Store } from '../../src/storage/store.ts'
import { leafHash } from '../../src/storage/working-set.ts'
import { aContent } from '../support/store/builders.ts'
import { freshHandoff, put, run } from '../support/store/store-units.ts'

/** Fills a small disk through the store; prints what was answered and what is there. */
const folder = process.argv[2] ?? ''
const [little, much] = [join(folder, 'little'), join(folder, 'much')]
writeFileSync(little, Buffer.alloc(400_000))
writeFileSync(much, Buffer.alloc(1_000_000))
const store = await openSqliteStore({ path: join(folder, 'baton.db') })
const acknowledged: string[] = []
const refused: string[] = []

let refusal: BatonError | undefined
while (!refusal) refusal = (await attempt([40_000]))[0]
rmSync(little)
const batch = await attempt([10, 20_000_000, 10])
rmSync(much)
const afterwards = await attempt([40_000, 40_000])
const there = await Promise.all(acknowledged.map((uid) => isWhole(store, uid)))
const gone = await Promise.all(refused.map(async (uid) => (await store.handoff(uid)) === undefined))
await store.close()
console.log(
  JSON.stringify({
    filled: acknowledged.length,
    refusal: { code: refusal.code, retry: refusal.retry, message: refusal.message },
    batch: batch.map((error) => error?.code ?? 'kept'),
    afterwards: afterwards.map((error) => error?.code ?? 'kept'),
    lost: there.filter((whole) => !whole).length,
    halves: gone.filter((isGone) => !isGone).length,
  }),
)

/** One batch with a handoff for each size; answers the refusals. */
function attempt(sizes: readonly number[]): Promise<readonly (BatonError | undefined)[]> {
  return Promise.all(
    sizes.map((size) => {
      const handoff = freshHandoff()
      const content = aContent({ package: { context: 'x'.repeat(size) } })
      return run(store, { streams: [handoff.root] }, (view) => put(view, handoff, content)).then(
        () => {
          acknowledged.push(handoff.uid)
          return undefined
        },
        (error: BatonError) => {
          refused.push(handoff.uid)
          return error
        },
      )
    }),
  )
}

async function isWhole(from: Store, uid: string): Promise<boolean> {
  const entries = (await from.entries(uid, 0, 9)).map(({ body }) => ({ entry: body }))
  const isThere = (await from.handoff(uid)) !== undefined && (await from.content(uid)) !== undefined
  return isThere && entries.length === 1 && verifyChain(entries, leafHash).ok
}
