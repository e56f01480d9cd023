import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PlanSummary } from '../../src/migrate/summary.ts'
import { ask, quick } from '../support/program/command.ts'
import { aTree, type Tree, v1Text } from './v1-tree.ts'

const LIST = '_agents/claude/handoff.md'
const row = (task: string, status: string, title = '') =>
  `| ${task}${title} | Claude | High | ${status} | 2026-02-24 |\n`
const list = (...rows: readonly string[]): string => `---
date: "2026-02-21"
author: "grok"
status: "Active"
---

# Claude: operational tasks

## Action Items

| Task | Assigned To | Priority | Status | Due |
|------|-------------|----------|--------|-----|
${rows.join('')}
---
*Updated automatically.*
`

const idOf = (task: string): string => `handoff-grok-claude-${task}-20260221`

async function run(tree: Tree, ...more: readonly string[]): Promise<PlanSummary> {
  const { stdout } = await quick(tree.where, 'migrate', '--from', 'v1', '.', '--json', ...more)
  return JSON.parse(stdout)
}

describe('a table of work for one agent', () => {
  it('[S0-110] [S0-113] becomes one handoff for each row that names a task, and the file goes', async (t) => {
    const text = list(row('BPRD-2026-0001', 'Pending', ': Ship the router'), row('BPRD-2026-0002', '✅ Done'))
    const tree = aTree(t, { [LIST]: text })

    await ask(tree.where, 'migrate', '--from', 'v1', '.', '--apply')

    const [open, done] = [idOf('BPRD-2026-0001'), idOf('BPRD-2026-0002')]
    assert.deepEqual(Object.keys(tree.all()), [
      '_handoffs/_index.yaml',
      `_handoffs/active/${open}.md`,
      `_handoffs/archived/2026/02/${done}.md`,
    ])
    const first = tree.read(`_handoffs/active/${open}.md`)
    assert.match(
      first,
      /^status: Active$[\s\S]*^target_completion: "2026-02-24"$[\s\S]*^title: Ship the router$/m,
    )
    assert.match(first, /^priority: high$[\s\S]*^migrated_from: _agents\/claude\/handoff\.md$/m)
    assert.deepEqual(Object.values(tree.backups()), [text])
    assert.deepEqual((await run(tree)).moves, [])
  })

  it('[S0-115] stays whole while one row names no task id or no known status', async (t) => {
    for (const wrong of [row('Write the brief', 'Pending'), row('BPRD-2026-0003', 'simmering')]) {
      const text = list(row('BPRD-2026-0001', 'Pending'), wrong)
      const tree = aTree(t, { [LIST]: text })

      const { moves, undecided } = await run(tree, '--apply')

      assert.deepEqual([moves.length, undecided.length], [0, 2])
      assert.deepEqual(tree.all(), { [LIST]: text })
    }
  })

  it('[S0-111] gives way to a file that says more of the same handoff', async (t) => {
    const file = 'a/handoff-router-claude-20260221.md'
    const tree = aTree(t)
    tree.write(LIST, list(row('BPRD-2026-0001', 'Pending')), 2_000)
    tree.write(file, v1Text({ task: 'BPRD-2026-0001' }), 1_000)

    const { moves, duplicates } = await run(tree)

    assert.deepEqual([moves.map(({ from }) => from), duplicates.map(({ path }) => path)], [[file], [LIST]])
  })

  it('of plain texts is one handoff with its deliverables', async (t) => {
    const tree = aTree(t, { [LIST]: list(row('Write the brief', 'Pending'), row('Ship it', 'Pending')) })

    const { undecided } = await run(tree)

    assert.deepEqual(
      undecided.map(({ name, questions }) => [name, questions.map(({ field }) => field)]),
      [[LIST, ['related_task']]],
    )
  })

  it('that says nothing at all is reported', async (t) => {
    const tree = aTree(t, { [LIST]: '# Nothing here\n' })

    const { undecided, seen } = await run(tree)

    assert.equal(seen.handoffs, 1)
    assert.match(undecided[0]?.questions[0]?.message ?? '', /says nothing of one/)
  })
})
