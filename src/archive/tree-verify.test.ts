import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changing, newKeys, tampered, writeEntries } from '../../test/support/log/audit.ts'
import { describeOnEngines, type Workspace } from '../../test/support/program/workspace.ts'
import { leafOfText, toText } from '../service/audit/hashes.ts'
import type { DumpRow } from '../storage/store.ts'
import { copyStore } from './store-backup.ts'
import { verifyChains } from './store-verify.ts'
import { verifyTree } from './tree-verify.ts'

async function signed(w: Workspace): Promise<void> {
  const audit = await w.service.audit()
  for (const [step, count] of [3, 255, 40].entries()) {
    await writeEntries(w, count, `S${step}-`)
    await audit.checkpoint()
  }
}

type Change = (rows: readonly DumpRow[]) => readonly DumpRow[]
const first = () => true

/** Changes that leave every chain of the log as it was. */
const CHANGES: Readonly<Record<string, readonly [Change, RegExp]>> = {
  'a leaf': [
    changing('tile', first, ({ bytes }) => ({
      bytes: (bytes as Uint8Array).map((b, i) => (i === 40 ? ~b : b)),
    })),
    /its leaf is not that of its entry/,
  ],
  'an upper tile': [
    changing(
      'tile',
      ({ level }) => level === 1,
      ({ bytes }) => ({ bytes: (bytes as Uint8Array).map((b) => ~b) }),
    ),
    /its upper tiles/,
  ],
  'the edge': [
    changing('tree', first, ({ edge }) => ({ edge: String(edge).replace(/"[\w+/]{4}/, '"AAAA') })),
    /its edge/,
  ],
  'a checkpoint': [
    changing('checkpoint', first, ({ note }) => ({ note: String(note).replace(/\n[\w+/]{4}/, '\nAAAA') })),
    /the checkpoint of size \d+ is not that of its entries/,
  ],
  'the size': [changing('tree', first, ({ size }) => ({ size: Number(size) - 1 })), /edge|tile|checkpoint/],
}

describeOnEngines('the chains of a store', (open) => {
  it('are followed while the next entries are read', async (t) => {
    const w = await open(t, newKeys(t))
    await writeEntries(w, 3)
    const { changes } = w.store
    let reads = 0
    w.store.changes = (...asked) => {
      reads += 1
      return changes(...asked)
    }
    const seen: number[] = []

    const { broken } = await verifyChains(w.store, {
      tell: (what) => what === 'verifying the log' && seen.push(reads),
    })

    assert.deepEqual([broken, seen[0], reads], [[], 2, 2])
  })
})

describeOnEngines('the tree of a store', (open) => {
  it('is verified with its chains, and copied with them', async (t) => {
    const w = await open(t, newKeys(t))
    await signed(w)
    const copy = await open(t)

    let asked = 0
    const { entries } = w.store
    Object.assign(w.store, {
      entries: (...args: Parameters<typeof entries>) => {
        asked += 1
        return entries(...args)
      },
    })
    const { broken, streams } = await verifyChains(w.store)
    assert.deepEqual(
      [broken, asked],
      [[], 0],
      `${streams} chains are read in pages of the log, not one by one`,
    )
    await copyStore(w.store, copy.store)

    assert.deepEqual((await copy.store.tree()).size, 299)
    assert.deepEqual(await verifyTree(copy.store), [])
    assert.deepEqual(await copy.store.checkpoints({ limit: 9 }), await w.store.checkpoints({ limit: 9 }))
  })

  for (const [what, [change, reason]] of Object.entries(CHANGES))
    it(`is found to be broken when somebody has changed ${what}`, async (t) => {
      const w = await open(t, newKeys(t))
      await signed(w)

      const { store } = (await tampered(t, w, change)).deps

      const [fault, ...more] = (await verifyChains(store)).broken
      assert.match(fault?.reason ?? 'it holds', reason)
      assert.deepEqual(more, [])
    })

  it('[S3-38] is found to be broken when a whole chain was written anew', async (t) => {
    const w = await open(t, newKeys(t))
    await signed(w)
    const isLast = ({ act }: DumpRow['row']) => act === 'task.create'
    let head: { stream: unknown; hash: string } | undefined
    const rewritten = changing('entry', isLast, (row) => {
      const body = Buffer.from(row.body as Uint8Array)
        .toString('utf8')
        .replace('planner', 'plotter')
      head = { stream: row.stream, hash: toText(leafOfText(body)) }
      return { body: Buffer.from(body), hash: head.hash }
    })
    const repaired = changing(
      'stream',
      ({ uid }) => uid === head?.stream,
      () => ({ head: head?.hash }),
    )

    // Entries come after streams in a dump: the head is known when the rows are gone through again.
    const { store } = (await tampered(t, w, (rows) => repaired(rewritten(rows)))).deps

    const { broken } = await verifyChains(store)
    assert.deepEqual(
      broken.map(({ stream, reason }) => [stream, reason]),
      [['the tree', 'its leaf is not that of its entry']],
    )
  })
})
