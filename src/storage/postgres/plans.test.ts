import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../test/support/store/store-places.ts'
import { offer } from '../../../test/support/store/store-units.ts'
import { DRAW } from './numbers.ts'
import { openPostgresStore } from './postgres-store.ts'
import { changeIn } from './tables.ts'

const SETTINGS = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin']

/** Plans are kept: one that is made over a row must do for a million, of this workspace and of others. */
describe('the plan of a change', () => {
  for (const [table, column] of [
    ['stream', 'head'],
    ['content', 'doc'],
  ] as const)
    it(`looks up the rows that are given by their key, however few there are: ${table}`, async (t) => {
      const url = await newDatabase()
      const store = await openPostgresStore({ url, workspace: 'a' })
      t.after(() => store.close())
      await offer(store)
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      t.after(() => client.end())
      for (const setting of SETTINGS) await client.query(`SET ${setting} = off`)
      await client.query(`SET plan_cache_mode = force_generic_plan; ANALYZE baton.${table}`)

      await client.query(`PREPARE change AS ${changeIn(table, [column]).statement.text}`)
      const { rows } = await client.query('EXPLAIN EXECUTE change (NULL, NULL, NULL)')

      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.match(
        plan,
        new RegExp(`Index Scan using ${table}_pkey on ${table} r .*\\n.*Index Cond: .*ws.*uid`),
      )
    })
})

describe('the plan of the draw of numbers', () => {
  it('looks up each id by itself, also before the server has looked at the new tables', async (t) => {
    const url = await newDatabase()
    const store = await openPostgresStore({ url, workspace: 'a' })
    t.after(() => store.close())
    await Promise.all(Array.from({ length: 300 }, () => offer(store)))
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    t.after(() => client.end())
    await client.query('SET plan_cache_mode = force_generic_plan')

    await client.query(`PREPARE draw AS ${DRAW.text}`)
    const { rows } = await client.query('EXPLAIN EXECUTE draw (NULL, NULL, NULL, NULL, NULL)')

    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.equal(plan.match(/using handoff_id on handoff .*\n.*Index Cond: .*ws.*id = /g)?.length, 2, plan)
  })
})
