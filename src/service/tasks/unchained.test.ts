import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { checkLog } from '../../../test/support/log/log.ts'
import { EXAMPLE, run } from '../../../test/support/program/invoke.ts'
import { by, ENGINES, type Engine, person } from '../../../test/support/program/workspace.ts'
import {
  newDatabase,
  newPostgresPlace,
  newSqlitePlace,
  query,
} from '../../../test/support/store/store-places.ts'
import { createService, openStore } from '../../compose/main.ts'
import type { Task, ThoughtRecord } from '../../domain/tasks/task.ts'

const claude = by('claude')
const maria = person('maria')
const UID = '0198f000-0000-7000-8000-000000000001'
const DOC = {
  uid: UID,
  shape: 'completion',
  by: 'pm',
  ...EXAMPLE,
  created_at: '2026-02-21T14:30:00.000Z',
}

/** A service, and a way into its database past it. */
async function opened(t: TestContext, engine: Engine) {
  const url = engine === 'postgres' ? await newDatabase() : ''
  const place = engine === 'postgres' ? newPostgresPlace(url) : newSqlitePlace()
  const store = await openStore(place.target)
  t.after(async () => {
    await store.close()
    place.remove()
  })
  const insert = async (doc: unknown) => {
    const values = [UID, 'P0.1.1', JSON.stringify(doc)]
    if (place.target.engine === 'postgres')
      await query(
        url,
        'INSERT INTO baton.record (ws, uid, task, doc) SELECT DISTINCT ws, $1, $2, $3 FROM baton.task',
        values,
      )
    else {
      const db = new DatabaseSync(place.target.path)
      db.prepare('INSERT INTO record (uid, task, doc) VALUES (?, ?, ?)').run(...values)
      db.close()
    }
  }
  const service = createService(store)
  await run(service, maria, 'task_create', { id: 'P0.1.1', title: 'Package setup' })
  await run(service, claude, 'task_start', { id: 'P0.1.1' })
  const unchained = async () =>
    (await run<{ items: ThoughtRecord[] }>(service, maria, 'thought_list', { unchained: true })).items.map(
      ({ uid }) => uid,
    )
  return { service, store, insert, unchained }
}

for (const engine of ENGINES)
  describe(`a record that was put into the database past the tools, on ${engine}`, () => {
    it('[S3-72] [S3-82] is found, does not count for done, and counts once a person answers for it', async (t) => {
      const { service, store, insert, unchained } = await opened(t, engine)
      await run(service, claude, 'thought_record', EXAMPLE)
      await run(service, claude, 'task_update', { task_id: 'P0.1.1', status: 'todo' })
      await run(service, claude, 'task_start', { id: 'P0.1.1' })
      const before = await unchained()
      await insert(DOC)
      const done = () => run<Task>(service, claude, 'task_update', { task_id: 'P0.1.1', status: 'done' })

      assert.deepEqual([before, await unchained()], [[], [UID]])
      await run(service, claude, 'audit_session_start')
      assert.deepEqual((await run(service, claude, 'audit_verify_chain')).unchained, [UID])
      await assert.rejects(done(), { code: 'unmet' })
      await assert.rejects(run(service, claude, 'thought_attest', { uid: UID, reason: 'mine' }), {
        code: 'not_allowed',
      })
      const keyed = { ...maria, key: 'k1' }
      for (const _ of ['once', 'again with its key'])
        await run(service, keyed, 'thought_attest', { uid: UID, reason: 'the store was locked' })
      assert.deepEqual(await unchained(), [])
      await assert.rejects(run(service, maria, 'thought_attest', { uid: UID, reason: 'again' }), {
        code: 'wrong_state',
      })
      assert.deepEqual([(await done()).status, (await done()).record_id], ['done', UID])
      assert.equal((await run(service, claude, 'audit_verify_chain')).unchained, undefined)
      // The log names the record that somebody else wrote; what it says is not bound.
      await checkLog(store, 1)
    })

    it('is refused where it is not whole', async (t) => {
      const { service, insert } = await opened(t, engine)
      const { tests_run: _, ...broken } = DOC
      await insert(broken)

      await assert.rejects(run(service, maria, 'thought_attest', { uid: UID, reason: 'by hand' }), {
        code: 'invalid_input',
        message: `the record ${UID} is not whole: tests_run`,
      })
      await assert.rejects(run(service, maria, 'thought_attest', { uid: 'none', reason: 'by hand' }), {
        code: 'not_found',
      })
    })
  })
