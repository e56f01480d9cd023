import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import type { State } from '../../domain/lifecycle.ts'
import { NEXT_TASKS } from '../queries.ts'
import { migrate } from './migrate.ts'
import { sql } from './migrations/0001-start.ts'
import { FLAGGED, LONGEST_CHAIN, sqliteQueries } from './queries.ts'
import { Statements } from './statements.ts'

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

/** As the board asks. */
const COLUMNS: readonly (readonly State[])[] = [
  ['draft', 'offered'],
  ['accepted', 'in_progress', 'retry_wait'],
  ['in_review'],
  ['completed'],
  ['failed', 'rejected', 'expired', 'cancelled'],
]

// bench/dashboard.ts found the opposite: a column without rows and every count read all of history.
it('answers the columns of a board, its search and its counts without reading every document', async () => {
  const { queries, plans } = explained()

  for (const state of COLUMNS)
    for (const filter of [{}, { to: 'codex' }, { text: 'limits' }, { to: 'codex', text: 'limits' }])
      await queries.handoffs({ ...filter, state }, { limit: 50 })
  await queries.handoffs({ text: 'limits' }, { limit: 8 })
  await queries.counts()

  assert.ok(plans.some((step) => step.includes('handoff_ended')))
  assert.deepEqual(
    plans.filter((step) => /^SCAN (?:h|handoff|entry)\b/.test(step) && !step.includes('COVERING INDEX')),
    [],
  )
})

/** The queries over an empty store, and how SQLite answers each of them. */
function explained(): {
  readonly queries: ReturnType<typeof sqliteQueries>
  readonly plans: readonly string[]
} {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const plans: string[] = []
  class Explained extends Statements {
    override rows(text: string, ...values: Parameters<Statements['rows']>[1][]) {
      plans.push(...super.all(`EXPLAIN QUERY PLAN ${text}`, ...values).map(({ detail }) => String(detail)))
      return super.rows(text, ...values)
    }
  }
  const statements = new Explained(db)
  const queries = sqliteQueries(
    statements,
    async (query) => query(),
    async (question) => statements.rows(...question),
  )
  return { queries, plans }
}
