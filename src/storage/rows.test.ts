import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aContent, anAgent } from '../../test/support/store/builders.ts'
import {
  AT,
  entryOf,
  freshHandoff,
  freshNotice,
  freshTask,
  nextUid,
} from '../../test/support/store/store-units.ts'
import { emptyLoaded } from './loaded.ts'
import { changingIn, keyOf, redactedRows, rowsOf, TABLES, writtenIn } from './rows.ts'
import { WorkingSet } from './working-set.ts'

const told = (set: WorkingSet) =>
  rowsOf(set.writes).map(({ mode, table, rows }) => `${mode} ${table} ${rows.length}`)

describe('rows of what the units left', () => {
  it('are inserts of new rows and updates of known ones, in the order in which they are written', () => {
    const [old, made] = [freshHandoff(), freshHandoff()]
    const loaded = { ...emptyLoaded(), handoffs: new Map([[old.uid, old]]) }
    loaded.contents.set(old.uid, aContent())
    const set = new WorkingSet(loaded, 'baton.local/test')

    set.decide({}, (view) => {
      view.addNotice(freshNotice())
      view.append(entryOf(made.uid, { stream: made.root }))
      view.putContent(old.uid, aContent({ package: { summary: 'changed' } }))
      view.putHandoff({ ...old, rev: 2 })
      view.putHandoff(made)
      view.putAgent(anAgent('codex'))
    })

    assert.deepEqual(told(set), [
      'upsert agent 1',
      'insert handoff 1',
      'update handoff 1',
      'update content 1',
      'insert stream 1',
      'insert entry 1',
      'insert notice 1',
    ])
  })

  it('hold the counts and the dependencies of new tasks, once for each table', () => {
    const [first, second] = [freshTask('T1'), freshTask('T2')]
    const [one, other] = [nextUid(), nextUid()]
    const set = new WorkingSet(emptyLoaded(), 'baton.local/test')
    set.decide({}, (view) => {
      view.putTask(first, { depends_on: [one], open_deps: 1 })
      view.putTask(second, { depends_on: [one, other], open_deps: 2 })
    })

    const [tasks, dependencies, ...rest] = rowsOf(set.writes)

    assert.deepEqual(rest, [])
    assert.partialDeepStrictEqual(tasks?.rows, [
      { uid: first.uid, open_deps: 1, height: 1 },
      { uid: second.uid, open_deps: 2, height: 1 },
    ])
    assert.deepEqual(dependencies?.rows, [
      { task: first.uid, depends_on: one },
      { task: second.uid, depends_on: one },
      { task: second.uid, depends_on: other },
    ])
  })

  it('fill the columns of their table and no others', () => {
    const set = new WorkingSet(emptyLoaded(), 'baton.local/test')
    set.decide({}, (view) => {
      const handoff = freshHandoff()
      view.putHandoff(handoff)
      view.putContent(handoff.uid, aContent())
      view.putAgent(anAgent('codex'))
      view.putTask(freshTask('T1'), { depends_on: [nextUid()], open_deps: 0 })
      view.append(entryOf(handoff.uid, { fields: { title: 'Limits' } }))
      view.addArtifact(
        { uid: nextUid(), path: 'a', sha256: 'f00d', stored: true, by: 'codex', created_at: AT },
        Buffer.of(1),
      )
      view.putToken({ uid: nextUid(), hash: 'h', agent: 'a', scopes: [], created_at: AT })
      view.addIdem({ actor: 'a', op: 'o', key: 'k', input_hash: '', subject: '', rev: 1, at: AT })
    })

    const written = rowsOf(set.writes)

    assert.equal(written.length, 11)
    for (const { table, rows } of written)
      assert.deepEqual(Object.keys(rows[0] ?? {}).sort(), [...writtenIn(table)].sort(), table)
  })

  it('change columns of their table, found by its key', () => {
    const redacted = redactedRows({
      entries: [],
      notices: [],
      records: [],
      artifacts: [],
      blocks: [],
      blobs: [],
      inputs: [],
    })

    for (const table of [
      'agent',
      'task',
      'handoff',
      'content',
      'stream',
      'token',
      'audit_session',
      'run',
      'delivery',
    ])
      for (const column of [keyOf(table), ...changingIn(table)])
        assert.ok(TABLES[table]?.includes(column), `${table}.${column}`)
    for (const { table } of redacted)
      for (const column of [keyOf(table), ...changingIn(table)])
        assert.ok(TABLES[table]?.includes(column), `${table}.${column}`)
  })
})
