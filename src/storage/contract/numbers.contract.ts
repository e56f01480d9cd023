import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dumpOf, freshHandoff, offer, put, run } from '../../../test/support/store/store-units.ts'
import { beforeYear } from '../loaded.ts'
import type { NewRoom } from '../store.contract.ts'
import type { DumpRow, Store, View } from '../store.ts'

/** Ids of handoffs count anew every year; the number of the workspace goes on. */
export function describeNumbers(newRoom: NewRoom): void {
  describe('the ids of new handoffs', () => {
    it('[S4-03] begin again with 001 in a new year, and go on where a clock goes back', async (t) => {
      const store = await newRoom(t).open()

      const ids = [await begin(store, '2026'), await begin(store, '2026'), await begin(store, '2027')]
      ids.push(await begin(store, '2026'), await begin(store, '2027'), await begin(store, '2028'))

      assert.deepEqual(ids, [
        ...['HO-2026-001', 'HO-2026-002', 'HO-2027-001'],
        ...['HO-2026-004', 'HO-2027-003', 'HO-2028-001'],
      ])
    })

    it('are never those that documents brought along', async (t) => {
      const store = await newRoom(t).open()
      for (const id of ['HO-2026-002', 'HO-2026-003', 'HO-2027-001', 'HO-2026-1000'])
        await offer(store, { id })

      const one = await begin(store, '2026')
      const both = await Promise.all([begin(store, '2026'), begin(store, '2026')])
      const next = await begin(store, '2027')

      assert.deepEqual([one, ...both, next], ['HO-2026-001', 'HO-2026-004', 'HO-2026-005', 'HO-2027-002'])
    })

    it('have three digits or more', async (t) => {
      const store = await newRoom(t).open()
      await begin(store, '2026')
      const take = (view: View) => Array.from({ length: 997 }, () => view.number())
      await run(store, { numbers: 997 }, take, inYear('2026'))

      assert.deepEqual(
        [await begin(store, '2026'), await begin(store, '2026')],
        ['HO-2026-999', 'HO-2026-1000'],
      )
    })

    it('are given once beside an older program, which does not count by year', async (t) => {
      const store = await newRoom(t).open()
      const older = async () => {
        const number = await run(store, { numbers: 1 }, (view) => view.number(), inYear('2027'))
        await offer(store, { id: `HO-2027-00${number}` })
      }
      await begin(store, '2026')
      await begin(store, '2027')
      await older()
      await older()

      const ids = [await begin(store, '2027'), await begin(store, '2027'), await begin(store, '2027')]

      assert.deepEqual(ids, ['HO-2027-006', 'HO-2027-007', 'HO-2027-008'])
    })

    it('go on in a year that an older program began', async (t) => {
      const older = await newRoom(t).open()
      await begin(older, '2026')
      await begin(older, '2026')
      const rows = (await dumpOf(older)).filter(({ row }) => row.key !== beforeYear('2026'))
      const store = await newRoom(t).open()
      await store.restore(from(rows))

      assert.equal(await begin(store, '2026'), 'HO-2026-003')
      assert.equal(await begin(store, '2027'), 'HO-2027-001')
    })
  })
}

const inYear = (year: string): string => `${year}-02-21T14:30:00.000Z`

function begin(store: Store, year: string): Promise<string> {
  const handoff = freshHandoff()
  const decide = (view: View) => {
    const id = view.nextId()
    put(view, { ...handoff, id })
    return id
  }
  return run(store, { numbers: 1, streams: [handoff.root] }, decide, inYear(year))
}

async function* from(rows: readonly DumpRow[]): AsyncGenerator<DumpRow> {
  yield* rows
}
