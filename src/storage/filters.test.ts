import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { State } from '../domain/lifecycle.ts'
import { blockList, handoffList, runList, sessionList, taskList } from './filters.ts'

const UID = '0199aaaa-0000-7000-8000-000000000001'
const conditions = ({ where }: { readonly where: readonly object[] }) =>
  where.map((each) => Object.values(each))

describe('filters of a list', () => {
  it('that an index answers come first; others are put to the rows that it finds', () => {
    const listing = handoffList(
      { ref: 'limits', type: 'gate', state: ['offered'], run: 'r', from: 'planner' },
      { limit: 20, cursor: UID },
    )

    assert.deepEqual(conditions(listing), [
      ['run', '=', 'r'],
      ['uid', '<', UID],
    ])
    assert.deepEqual(
      listing.among.map((each) => Object.values(each)),
      [
        ['from_agent', '=', 'planner'],
        ['type', '=', 'gate'],
        ['state', 'in', ['offered']],
        ['contains', 'limits'],
      ],
    )
    assert.equal(listing.limit, 21)
  })

  for (const [states, keys, open] of [
    [['offered', 'in_progress'], [], ['offered', 'in_progress']],
    [['completed', 'failed'], ['a b gate completed', 'a b gate failed'], []],
    [['offered', 'completed'], ['a b gate completed'], ['offered']],
  ] as const satisfies readonly (readonly [readonly State[], readonly string[], (readonly State[])?])[])
    it(`find ${states.join(' and ')} by a key for each end, and the open ones apart`, () => {
      const { shelf } = handoffList({ from: 'a', to: 'b', type: 'gate', state: states }, { limit: 1 })

      assert.deepEqual(shelf?.keys, keys)
      assert.deepEqual(shelf?.open?.states ?? [], open)
    })

  it('leave out what is not asked for', () => {
    const page = { limit: 1 }

    for (const list of [handoffList, taskList, runList, blockList, sessionList])
      assert.deepEqual(list({}, page).where, [])
  })

  it('refuse a cursor of another list', () => {
    for (const list of [handoffList, taskList, runList, blockList])
      for (const cursor of ['', 'x', '1:2'])
        assert.throws(() => list({}, { limit: 1, cursor }), { code: 'invalid_input' })
  })
})
