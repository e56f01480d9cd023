import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { NEXT_TASKS } from '../queries.ts'
import { sql } from './migrations/0001-start.ts'
import { FLAGGED, LONGEST_CHAIN } from './queries.ts'

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

// bench/scale.ts found the opposite: where a task was flagged, every chain was looked at.
it('finds the longest chain of open work at the top of its index, and a flag by the first look', () => {
  const db = new DatabaseSync(':memory:')
  db.exec(sql)
  const planOf = (query: string) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${query}`)
      .all()
      .map(({ detail }) => detail)

  assert.deepEqual(planOf(LONGEST_CHAIN), ['SEARCH task USING INDEX task_chain (height>?)'])
  assert.deepEqual(planOf(FLAGGED), ['SCAN task USING INDEX task_flagged'])
})
