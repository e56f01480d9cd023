import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { tasksInOrder } from './task-import.ts'
import { fromBacklog, fromCsv, fromIndex, fromTaskMaster, readCsv } from './task-sources.ts'

describe('tasks of the task-prompts index', () => {
  it('[S3-106] are read from a table', () => {
    const text = `# Task prompts

| ID | Title | Prompts | Depends on | Critical path |
|----|-------|---------|------------|:---:|
| P0.1.1 | [Package setup](p0.1-infrastructure.md#p011) | p0.1 | — | yes |
| **P0.1.2** | \`Linter\` | p0.1 | P0.1.1 | |
| P0.2.1 | Schema | p0.2 | P0.1.1, P0.1.2 | |
`
    assert.deepEqual(fromIndex(text), [
      { id: 'P0.1.1', title: 'Package setup', depends_on: [], critical: true, done: false },
      { id: 'P0.1.2', title: 'Linter', depends_on: ['P0.1.1'], done: false },
      { id: 'P0.2.1', title: 'Schema', depends_on: ['P0.1.1', 'P0.1.2'], done: false },
    ])
  })

  it('[S3-106] are read from a list', () => {
    const text = `Tasks:
- [x] P0.1.1 — Package setup (critical path)
- [ ] [P0.1.2 — Linter](p0.1-infrastructure.md) (depends on P0.1.1)
* **P0.1.4**: Test runner (after P0.1.1; critical)
- see the guide
`
    assert.deepEqual(fromIndex(text), [
      { id: 'P0.1.1', title: 'Package setup', depends_on: [], critical: true, done: true },
      { id: 'P0.1.2', title: 'Linter', depends_on: ['P0.1.1'], done: false },
      { id: 'P0.1.4', title: 'Test runner', depends_on: ['P0.1.1'], critical: true, done: false },
    ])
  })
})

describe("Task Master's tasks", () => {
  const tasks = [
    {
      id: 1,
      title: 'Setup',
      status: 'done',
      dependencies: [],
      priority: 'high',
      testStrategy: 'npm test passes',
    },
    {
      id: 2,
      title: 'Server',
      status: 'pending',
      dependencies: [1],
      priority: 'medium',
      subtasks: [
        { id: 1, title: 'Routes', status: 'pending', dependencies: [] },
        { id: 2, title: 'Errors', status: 'pending', dependencies: [1] },
      ],
    },
    { id: 3, title: 'Dropped', status: 'cancelled', dependencies: [2] },
  ]
  const expected = [
    { id: '1', title: 'Setup', depends_on: [], priority: 'high', criteria: ['npm test passes'], done: true },
    { id: '2.1', title: 'Routes', depends_on: ['1'], done: false },
    { id: '2.2', title: 'Errors', depends_on: ['1', '2.1'], done: false },
    { id: '2', title: 'Server', depends_on: ['1', '2.1', '2.2'], priority: 'normal', done: false },
    { id: '3', title: 'Dropped', depends_on: ['2'], done: false, dropped: true },
  ]

  it('come with their subtasks, which they wait for', () => {
    assert.deepEqual(fromTaskMaster(JSON.stringify({ tasks })), expected)
  })

  it('come from a tag: the one that was named, master, or the only one', () => {
    const other = [{ id: 7, title: 'Other' }]
    const both = JSON.stringify({ master: { tasks }, next: { tasks: other } })

    assert.deepEqual(fromTaskMaster(both), expected)
    assert.deepEqual(
      fromTaskMaster(both, 'next').map(({ id }) => id),
      ['7'],
    )
    assert.deepEqual(
      fromTaskMaster(JSON.stringify({ next: { tasks: other } })).map(({ id }) => id),
      ['7'],
    )
    assert.throws(
      () => fromTaskMaster(JSON.stringify({ a: { tasks }, b: { tasks } })),
      /tags a, b; choose one with --tag/,
    )
    assert.throws(() => fromTaskMaster('{'), /it is not JSON/)
  })
})

describe("Backlog.md's tasks", () => {
  it('are read from their front matter and acceptance criteria', () => {
    const text = `---
id: task-12
title: 'Parse: the header'
status: In Progress
assignee: ['@codex']
dependencies: [task-2]
priority: high
---

## Acceptance Criteria
<!-- AC:BEGIN -->
- [ ] #1 Empty input is refused
- [x] #2 Numbers are kept
<!-- AC:END -->
`
    assert.deepEqual(fromBacklog(text), {
      id: 'task-12',
      title: 'Parse: the header',
      depends_on: ['task-2'],
      priority: 'high',
      criteria: ['Empty input is refused', 'Numbers are kept'],
      done: false,
    })
    assert.equal(fromBacklog('# no front matter'), undefined)
    assert.equal(fromBacklog('---\nid: [\n---\n'), undefined)
  })
})

describe('tasks in a CSV file', () => {
  it('are read by the names of their columns', () => {
    const text =
      'ID;Title;Depends on;Priority;Critical;Criteria;Status\r\nA1;"First; with ""quotes""";;high;yes;one|two;Done\r\nA2;Second;A1;;;;\r\n'
    assert.deepEqual(fromCsv(text), [
      {
        id: 'A1',
        title: 'First; with "quotes"',
        depends_on: [],
        priority: 'high',
        critical: true,
        criteria: ['one|two'],
        done: true,
      },
      { id: 'A2', title: 'Second', depends_on: ['A1'], done: false },
    ])
    assert.throws(() => fromCsv('a,b\n1,2\n'), /names no columns id and title/)
  })

  it('keep every cell, whatever stands in it', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', ';', 'é') })
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(cell, cell).filter(([a, b]) => (a + b).trim() !== ''),
          { minLength: 1 },
        ),
        (rows) => {
          const text = `x,y\n${rows.map((row) => row.map(quoted).join(',')).join('\n')}\n`
          assert.deepEqual(readCsv(text).slice(1), rows)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('the order of an import', () => {
  const task = (id: string, ...depends_on: string[]) => ({ id, title: id, depends_on, done: false })

  it('puts every task behind what it waits for', () => {
    const ordered = tasksInOrder([task('C1', 'B1', 'A1'), task('B1', 'a1'), task('A1')])

    assert.deepEqual(
      ordered.map(({ id }) => id),
      ['A1', 'B1', 'C1'],
    )
    assert.deepEqual(ordered[1]?.depends_on, ['A1'])
  })

  it('[S3-103] refuses a cycle and shows it', () => {
    assert.throws(() => tasksInOrder([task('A1', 'C1'), task('B1', 'A1'), task('C1', 'B1')]), {
      code: 'invalid_input',
      message: /^tasks wait for each other: A1 → C1 → B1 → A1;/,
    })
  })

  it('leaves out what was given up, and lets nobody wait for it', () => {
    const ordered = tasksInOrder([{ ...task('A1'), dropped: true }, task('B1', 'A1')])

    assert.deepEqual(
      ordered.map(({ id, depends_on }) => [id, depends_on]),
      [['B1', []]],
    )
  })

  it('refuses what is no id, what comes twice and what holds nothing', () => {
    assert.throws(() => tasksInOrder([task('--all')]), /"--all" is not a task id/)
    assert.throws(() => tasksInOrder([task('A1'), task('A1')]), /A1 is in it twice/)
    assert.throws(() => tasksInOrder([]), /no task was found/)
  })
})
