import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { sql } from './migrations/0001-start.ts'
import { LONGEST_CHAIN, NEXT_TASKS } from './queries.ts'

// bench/scale.ts found the opposite: 150 times slower with a hundred times as many tasks.
it('reads next actions from their index, without sorting all open tasks', () => {
  const db = new DatabaseSync(':memory:')
  db.exec(sql)

  const plan = db.prepare(`EXPLAIN QUERY PLAN ${NEXT_TASKS}`).all(20)

  assert.deepEqual(
    plan.map(({ detail }) => detail),
    ['SCAN task USING INDEX task_next'],
  )
})

it('finds the longest chain of open work at the top of its index', () => {
  const db = new DatabaseSync(':memory:')
  db.exec(sql)

  const plan = db.prepare(`EXPLAIN QUERY PLAN ${LONGEST_CHAIN}`).all()

  assert.deepEqual(
    plan.map(({ detail }) => detail),
    [
      'SEARCH task USING INDEX task_chain (height>?)',
      'SCALAR SUBQUERY 1',
      'SCAN task USING INDEX task_flagged',
    ],
  )
})
