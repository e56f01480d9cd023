import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { sql } from './migrations/0001-start.ts'
import { NEXT_TASKS } from './queries.ts'

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
