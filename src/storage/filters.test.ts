import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { State } from '../domain/lifecycle.ts'
import { blockList, handoffList, runList, sessionList, taskList } from './filters.ts'

const UID = '0199aaaa-0000-7000-8000-000000000001'
const conditions = ({ where }: { readonly where: readonly object[] }) =>
  where.map((each) => Object.values(each))

describe('filters of a list', () => {
  it('become conditions in one order: columns, states, words, the cursor', () => {
    const listing = handoffList(
      { text: 'limits', type: 'gate', state: ['offered'], run: 'r', from: 'planner' },
      { limit: 20, cursor: UID },
    )

    assert.deepEqual(conditions(listing), [
      ['from_agent', '=', 'planner'],
      ['run', '=', 'r'],
      ['state', 'in', ['offered']],
      ['open', 'is', 1],
      ['type', '=', 'gate'],
      ['contains', 'limits'],
      ['uid', '<', UID],
    ])
    assert.equal(listing.limit, 21)
  })

  for (const [states, open] of [
    [['offered', 'in_progress'], [1]],
    [['completed', 'failed'], [0]],
    [['offered', 'completed'], []],
  ] as const satisfies readonly (readonly [readonly State[], readonly number[]])[])
    it(`name the partial index of ${states.join(' and ')}: ${open.length > 0 ? `open = ${open}` : 'none'}`, () => {
      const { where } = handoffList({ state: states }, { limit: 1 })

      assert.deepEqual(
        where.flatMap((each) => (each.op === 'is' ? [each.value] : [])),
        open,
      )
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
