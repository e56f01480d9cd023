import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PlanSummary } from '../../src/migrate/summary.ts'
import { aTree } from '../migrate/v1-tree.ts'
import { ask } from '../support/program/command.ts'
import { sharedFile, sharedFiles } from './files.ts'

const CORPUS = 'data/corpus/REBEmpire+BPR-D/'
const paths = sharedFiles(CORPUS)
const HERE = '_agents/_handoffs/'

/** What a person is asked about the real files, beside the task, which none of them names. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  'handoff-abacus-filter-upgrade-20260223': ['created_at'],
  'handoff-abacus-review-flag-20260223': ['created_at'],
  'handoff-abacus-router-prototype-20260223': ['created_at'],
  'handoff-api-artifacts-russell-20260217': ['from_agent', 'to_agent'],
  'handoff-api-crisis-strategic-assessment-russell-20260219': ['status', 'to_agent'],
  'handoff-grok-meeting-service-launch-20260216': ['status'],
  'handoff-parallel-patch-review-russell-20260218': ['created_at'],
}

/** What such a person may answer. */
const ANSWERS: Readonly<Record<string, string>> = {
  from_agent: 'grok',
  to_agent: 'russell',
  status: 'Complete',
  created_at: '2026-02-21',
}

const corpus = (): Record<string, string> =>
  Object.fromEntries(paths.map((path) => [path.slice(CORPUS.length), sharedFile(path)]))

describe('the files that real agents left behind', () => {
  it('name no task: every handoff is asked about, and nothing is moved', async (t) => {
    const tree = aTree(t, corpus())

    const plan = await ask<PlanSummary>(tree.where, 'migrate', '--from', 'v1', '.')

    assert.deepEqual([plan.moves, plan.duplicates, plan.left], [[], [], []])
    assert.deepEqual([plan.seen.documents, plan.seen.handoffs, plan.undecided.length], [25, 21, 20])
    for (const { name, questions } of plan.undecided) {
      const others = questions.map(({ field }) => field).filter((field) => field !== 'related_task')
      assert.deepEqual(others.sort(), ASKED[name] ?? [], name)
      assert.ok(questions.some(({ field }) => field === 'related_task'))
    }
  })

  it('with a task each, all migrate; reports and tasks stay', async (t) => {
    const tree = aTree(t, corpus())
    const { undecided } = await ask<PlanSummary>(tree.where, 'migrate', '--from', 'v1', '.')
    const answers = undecided.map(({ name, questions }, i) => {
      const lines = questions.map(({ field }) =>
        field === 'related_task'
          ? `  related_task: BPRD-2026-${String(100 + i)}`.replace('2026-', '2026-0')
          : `  ${field}: ${ANSWERS[field]}`,
      )
      return [`"${name}":`, ...lines].join('\n')
    })
    tree.file('answers.yaml', `${answers.join('\n')}\n`)

    const done = await ask<PlanSummary>(
      tree.where,
      'migrate',
      '--from',
      'v1',
      '.',
      '--answers',
      '../answers.yaml',
      '--apply',
    )

    assert.deepEqual([done.seen.moves, done.seen.duplicates, done.undecided], [20, 1, []])
    assert.deepEqual(done.duplicates[0]?.differs, [])
    const outside = Object.keys(tree.all()).filter((path) => !path.startsWith('_handoffs/'))
    assert.deepEqual(outside, [
      `${HERE}PHANTOM_HANDOFFS_RESOLVED.md`,
      `${HERE}archive/2026-02-15_handoffs.md`,
      'reports/v2-migration/cleanup-report-20260221-211029.json',
      'tasks/_counter.yaml',
      'tasks/active/BPRD-2026-0001.md',
      'tasks/backlog/BPRD-2026-0004.md',
    ])
    const places = done.moves.map(({ to }) => to.split('/').slice(0, -1).join('/'))
    assert.equal(places.filter((place) => place === '_handoffs/active').length, 15)
    assert.equal(places.filter((place) => place === '_handoffs/archived/2026/02').length, 5)
    for (const { from, to } of done.moves) {
      const original = corpus()[from]!
      const body = original.startsWith('---') ? original.slice(original.indexOf('\n---') + 4) : original
      assert.ok(tree.read(to).endsWith(body.trimStart()), from)
    }
  })
})
