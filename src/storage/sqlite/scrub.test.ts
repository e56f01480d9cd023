import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { newSqlitePlace } from '../../../test/support/store/store-places.ts'
import { freshNotice, offer, run } from '../../../test/support/store/store-units.ts'
import { openSqliteStore } from './sqlite-store.ts'

const SECRET = 'sk-live-8d2b6f1a90'

describe('scrubbing a SQLite file', () => {
  it('leaves nothing of rewritten rows in the file or in the log of pages beside it', async (t) => {
    const { path, remove } = newSqlitePlace()
    t.after(remove)
    const store = await openSqliteStore({ path })
    t.after(() => store.close())
    const notice = freshNotice({ text: `${SECRET} `.repeat(200) })
    await run(store, {}, (view) => view.addNotice(notice))
    for (let i = 0; i < 20; i += 1) await offer(store)
    const nothing = { entries: [], records: [], artifacts: [], blocks: [], blobs: [], inputs: [] }
    await run(store, {}, (view) => view.redact({ ...nothing, notices: [{ ...notice, text: 'gone' }] }))
    const holds = () => [path, `${path}-wal`].some((file) => readFileSync(file).includes(SECRET))
    assert.equal(holds(), true)

    assert.deepEqual(await store.scrub(), [])

    assert.equal(holds(), false)
  })

  it('says that it could not while somebody reads an older state, and can afterwards', async (t) => {
    const { path, remove } = newSqlitePlace()
    t.after(remove)
    const store = await openSqliteStore({ path, lockWaitMs: 50 })
    t.after(() => store.close())
    await offer(store)
    const reader = new DatabaseSync(path, { readOnly: true })
    t.after(() => reader.close())
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM handoff').get()
    await offer(store)

    const held = await store.scrub()
    reader.exec('COMMIT')
    const after = await store.scrub()

    assert.match(held.join(), /run the same command again when they are done$/)
    assert.deepEqual(after, [])
  })
})
