import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ImportedTask } from '../../src/git/task-import.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, baton, onTerminal, refusal, type Where } from '../support/program/command.ts'

interface Imported {
  readonly items: readonly ImportedTask[]
}

function here(t: Parameters<typeof folders>[0]) {
  const place = folders(t)
  const where: Where = { cwd: place.repository('shop') }
  return { where, file: (name: string, text: string) => place.file(`shop/${name}`, text) }
}
const outcomes = ({ items }: Imported) => items.map(({ id, outcome }) => `${id} ${outcome}`)
const entries = async (where: Where) => (await ask<{ entries: number }>(where, 'store', 'info')).entries

describe('tasks of another tool or of a document', () => {
  it('[S3-106] come in from the task-prompts index once, with their order', async (t) => {
    const { where, file } = here(t)
    file('index.md', '- P0.1.2 — Linter (depends on P0.1.1)\n- P0.1.1 — Package setup (critical)\n')

    const first = await ask<Imported>(where, 'task', 'import', 'index.md')
    const before = await entries(where)
    const { code, stdout } = await baton(where, 'task', 'import', 'index.md')
    const { items } = await ask<{ items: { id: string }[] }>(where, 'next')

    assert.deepEqual(outcomes(first), ['P0.1.1 created', 'P0.1.2 created'])
    assert.deepEqual([code, stdout], [0, '2 tasks: 2 unchanged\n'])
    assert.equal(await entries(where), before)
    assert.deepEqual(
      items.map(({ id }) => id),
      ['P0.1.1'],
    )
  })

  it('[S3-103] are refused as a whole where they wait for each other, and the cycle is shown', async (t) => {
    const { where, file } = here(t)
    file('tasks.csv', 'id,title,depends_on\nA1,First,\nA2,Second,A3\nA3,Third,A2\n')

    const { exit, message, details } = await refusal(where, 'task', 'import', 'tasks.csv')

    assert.equal(exit, 2)
    assert.match(message, /A2 → A3 → A2/)
    assert.deepEqual(details.cycle, ['A2', 'A3', 'A2'])
    await ask(where, 'task', 'create', 'Z9', '--title', 'Only this')
    assert.deepEqual(
      (await ask<{ items: { id: string }[] }>(where, 'task', 'list')).items.map(({ id }) => id),
      ['Z9'],
    )
  })

  it('come in from Task Master, Backlog.md and CSV, and what differs here is left as it is', async (t) => {
    const { where, file } = here(t)
    const master = [
      { id: 1, title: 'Setup', status: 'done', dependencies: [] },
      {
        id: 2,
        title: 'Server',
        status: 'pending',
        dependencies: [1],
        subtasks: [{ id: 1, title: 'Routes' }],
      },
    ]
    file('tasks.json', JSON.stringify({ master: { tasks: master } }))
    file('backlog/tasks/task-1 - a.md', '---\nid: TASK-1\ntitle: A\nstatus: To Do\n---\n')
    file(
      'backlog/tasks/task-2 - b.md',
      '---\nid: TASK-2\ntitle: B\nstatus: To Do\ndependencies: [task-1]\n---\n',
    )
    file('tasks.csv', 'id,title,depends_on\nC1,First,TASK-2\nTASK-1,Renamed,\n')

    const fromMaster = await ask<Imported>(where, 'task', 'import', 'tasks.json')
    const fromBacklog = await ask<Imported>(where, 'task', 'import', 'backlog')
    const fromCsv = await ask<Imported>(where, 'task', 'import', 'tasks.csv')

    assert.deepEqual(outcomes(fromMaster), ['1 created', '2.1 created', '2 created'])
    assert.deepEqual(outcomes(fromBacklog), ['TASK-1 created', 'TASK-2 created'])
    assert.deepEqual(outcomes(fromCsv), ['C1 created', 'TASK-1 differs'])
    assert.deepEqual(fromCsv.items[1]?.differs, ['title'])
    const { task } = await ask<{ task: { title: string; depends_on: string[] } }>(
      where,
      'task',
      'get',
      'TASK-2',
    )
    assert.deepEqual(task.depends_on, ['TASK-1'])
  })

  it('[S3-72] are done here only when a person says so, and then with a record that says so', async (t) => {
    const { where, file } = here(t)
    file('tasks.csv', 'id,title,depends_on,status\nA1,First,,done\nA2,Second,A1,todo\n')
    const args = ['task', 'import', 'tasks.csv', '--with-done']

    const agent = await refusal({ ...where, env: { CLAUDECODE: '1' } }, ...args, '--as', 'claude')
    const unseen = await refusal(where, ...args)
    const no = onTerminal(where, args, { steps: [['what tasks.csv calls done?', 'n\r']] })
    const before = await ask<{ items: unknown[] }>(where, 'task', 'list')
    const yes = onTerminal(where, args, { steps: [['what tasks.csv calls done?', 'y\r']] })
    const again = await ask<Imported>(where, 'task', 'import', 'tasks.csv')
    const { task, records } = await ask<{ task: { status: string }; records: { summary: string }[] }>(
      where,
      'task',
      'get',
      'A1',
    )

    assert.deepEqual([agent.code, unseen.code, no.code, yes.code], ['not_allowed', 'not_allowed', 4, 0])
    assert.equal(before.items.length, 0)
    assert.match(yes.shown, /A1 First: created, done/)
    assert.deepEqual(outcomes(again), ['A1 unchanged', 'A2 unchanged'])
    assert.deepEqual([task.status, records.length], ['done', 1])
    assert.match(records[0]?.summary ?? '', /was imported as done from tasks\.csv/)
  })

  it('[S3-72] come with their record or not at all', async (t) => {
    const { where, file } = here(t)
    // The record names the file. Put together here, so that no file of ours holds what looks like a key.
    const name = `${['AK', 'IA', 'Z7Q4M2K9P3X8W6T1'].join('')}.csv`
    file(name, 'id,title,status\nA1,First,done\n')

    const args = ['task', 'import', name, '--with-done']
    const { code, shown } = onTerminal(where, args, { steps: [['calls done?', 'y\r']] })
    const { items } = await ask<{ items: unknown[] }>(where, 'task', 'list')

    assert.equal(code, 2)
    assert.match(shown, /summary holds what looks like/)
    assert.deepEqual(items, [])
  })

  it('[S3-72] are never turned over by a file that calls a task of this workspace done', async (t) => {
    const { where, file } = here(t)
    await ask(where, 'task', 'create', 'P0.1.1', '--title', 'Real work')
    file('tasks.csv', 'id,title,status\nP0.1.1,Real work,done\n')

    const plain = await ask<Imported>(where, 'task', 'import', 'tasks.csv')
    const { code, shown } = onTerminal(where, ['task', 'import', 'tasks.csv', '--with-done'], {
      steps: [['calls done?', 'y\r']],
    })
    const { task, records } = await ask<{ task: { status: string }; records: unknown[] }>(
      where,
      'task',
      'get',
      'P0.1.1',
    )

    assert.equal(plain.items[0]?.done, 'left')
    assert.equal(code, 0)
    assert.match(
      shown,
      /P0\.1\.1 is a task of this workspace already; it is\s+done when its own record is here/,
    )
    assert.deepEqual([task.status, records.length], ['todo', 0])
  })

  it('are refused with the fix where the file cannot be read or a dependency is nowhere', async (t) => {
    const { where, file } = here(t)
    file('tasks.csv', 'id,title,depends_on\nA1,First,X9\n')
    file('tasks.txt', 'A1')
    file('empty.md', '# Nothing\n')

    assert.match(
      (await refusal(where, 'task', 'import', 'tasks.csv')).message,
      /A1 depends on X9, which is neither in the file nor here/,
    )
    assert.equal((await refusal(where, 'task', 'import', 'tasks.txt')).exit, 2)
    assert.equal((await refusal(where, 'task', 'import', 'empty.md')).exit, 2)
    assert.equal((await refusal(where, 'task', 'import', 'nowhere.md')).exit, 3)
    assert.equal((await refusal(where, 'task', 'import')).exit, 2)
  })
})
