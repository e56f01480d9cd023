import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newKeys, writeEntries } from '../../../test/support/log/audit.ts'
import { describeOnEngines, type Workspace } from '../../../test/support/program/workspace.ts'
import { printCheckpoint } from '../../audit/checkpoint.ts'
import { compareAnchors } from './anchors.ts'
import { toBytes } from './hashes.ts'
import type { LogKeys } from './keys.ts'

/** A head of this log, signed with the key of this ring whatever was signed before. */
async function signed(w: Workspace, ring: LogKeys, size: number, root: string): Promise<string> {
  const { origin } = w.store.info
  const key = await ring.makeKey(origin)
  return key.sign(printCheckpoint({ origin, size, root: toBytes(root) }), async () => undefined)
}

describeOnEngines('checkpoints that were kept outside', (open) => {
  it('hold while the log goes on, and those of other logs are passed over', async (t) => {
    const keys = newKeys(t).keys
    const [w, other] = [await open(t, { keys }), await open(t, { keys })]
    await writeEntries(w, 3)
    await writeEntries(other, 1)
    const first = await (await w.service.audit()).checkpoint()
    await writeEntries(w, 300, 'U')
    const second = await (await w.service.audit()).checkpoint()
    const foreign = await (await other.service.audit()).checkpoint()
    await writeEntries(w, 1, 'V')
    const notes = [first, second, foreign].map(({ note }) => ({ place: 'here', note }))

    const report = await compareAnchors(w.service.deps, [...notes, { place: 'here', note: 'reviewed' }])

    const size = second.size + 1
    assert.deepEqual(report, { size, held: 2, newest: second.size, others: 2, broken: [] })
  })

  it('break when the log is shorter, is another, or when somebody else signed them', async (t) => {
    const keys = newKeys(t).keys
    const w = await open(t, { keys })
    await writeEntries(w, 3)
    const { size, root } = await (await w.service.audit()).checkpoint()
    const [own, stranger] = [await keys(), await newKeys(t).keys()]
    const wrong = Buffer.alloc(32, 7).toString('base64')

    const { held, broken } = await compareAnchors(w.service.deps, [
      { place: 'longer', note: await signed(w, own, size + 5, root) },
      { place: 'another', note: await signed(w, own, size - 1, wrong) },
      { place: 'forged', note: await signed(w, stranger, size, root) },
    ])

    assert.equal(held, 0)
    assert.deepEqual(broken, [
      { place: 'longer', reason: `it remembers ${size + 5} entries, and the log has only ${size}` },
      { place: 'another', reason: `the first ${size - 1} entries are not the ones it remembers` },
      { place: 'forged', reason: 'it is not signed with a key of this log' },
    ])
  })
})
