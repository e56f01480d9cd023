import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { folders } from '../../../test/support/documents/folders.ts'
import { freshHandoff, put, run } from '../../../test/support/store/store-units.ts'
import { uuid7 } from '../../service/uuid7.ts'
import { openSqliteStore } from './sqlite-store.ts'

const DAY_MS = 86_400_000

it('a report that was counted is corrected also when the clock of the machine was set back', async (t) => {
  const path = folders(t).path('baton.db')
  const store = await openSqliteStore({ path })
  t.after(() => store.close())
  const made_at = Date.now() + 2 * DAY_MS
  const rows = Array.from({ length: 1_100 }, () =>
    freshHandoff({ uid: uuid7(made_at), created_at: new Date(made_at).toISOString() }),
  )
  await Promise.all(rows.map((row) => run(store, { handoffs: [row.uid] }, (view) => put(view, row))))
  // The last entry is of a time when the clock was three days ahead.
  const db = new DatabaseSync(path)
  const ahead = new Date(made_at + DAY_MS).toISOString()
  db.exec(`UPDATE entry SET at = '${ahead}' WHERE id = (SELECT max(id) FROM entry)`)
  const received = async () => {
    const { agents } = (await store.flow('90d', store.now())).tally
    return ['codex', 'gemini'].map((name) => agents.get(name)?.made ?? 0)
  }
  assert.deepEqual(await received(), [1_100, 0])
  assert.equal(db.prepare(`SELECT key FROM meta WHERE key LIKE 'flow %'`).all().length, 1)
  db.close()

  const given = { ...rows[3]!, to: 'gemini', waiting_for: 'gemini', rev: 2 }
  await run(store, { handoffs: [given.uid] }, (view) => view.putHandoff(given))

  assert.deepEqual(await received(), [1_099, 1])
})
