import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { progressOf, type Said, VERDICTS, type Verdict, verdictOf, worstVerdict } from './block.ts'
import { STATUSES } from './phases.ts'

const said = (more: Partial<Said>): Said => ({
  from: 'tester',
  to: 'None',
  phase: 'Testing',
  status: 'complete',
  at: '2026-02-21T14:30:00.000Z',
  ...more,
})

describe('what a pipeline is told', () => {
  it('[S2-75] has a code of its own for each end, and none of them but complete is a pass', () => {
    assert.deepEqual(
      Object.entries(VERDICTS).map(([verdict, { exit }]) => [verdict, exit]),
      [
        ['failed', 1],
        ['blocked', 10],
        ['unfinished', 11],
        ['no_block', 12],
        ['complete', 0],
      ],
    )
    assert.deepEqual(
      STATUSES.map((status) => [status, verdictOf(status)]),
      [
        ['pending', 'unfinished'],
        ['in_progress', 'unfinished'],
        ['complete', 'complete'],
        ['failed', 'failed'],
        ['blocked', 'blocked'],
        ['retry', 'unfinished'],
      ],
    )
    assert.equal(verdictOf(undefined), 'no_block')
  })

  it('is the worst of several, and nothing is no pass', () => {
    const cases: readonly (readonly [readonly Verdict[], Verdict])[] = [
      [[], 'no_block'],
      [['complete'], 'complete'],
      [['complete', 'no_block'], 'no_block'],
      [['no_block', 'unfinished', 'complete'], 'unfinished'],
      [['unfinished', 'blocked'], 'blocked'],
      [['blocked', 'failed', 'complete'], 'failed'],
    ]

    for (const [verdicts, worst] of cases) assert.equal(worstVerdict(verdicts), worst)
  })
})

describe('where a workflow stands', () => {
  it('[S2-53] [S2-54] is its newest phase and status, with the step of eight', () => {
    const { phase, status, step, of, percent, blocks, agents } = progressOf('w', [
      said({ from: 'scout', phase: 'Research', to: 'planner' }),
      said({ from: 'planner', phase: 'Planning', status: 'in_progress', to: 'builder' }),
    ])

    assert.deepEqual([phase, status, step, of, percent, blocks], ['Planning', 'in_progress', 2, 8, 25, 2])
    assert.deepEqual(agents, [
      { agent: 'scout', phase: 'Research', status: 'complete' },
      { agent: 'planner', phase: 'Planning', status: 'in_progress' },
    ])
  })

  it('[S2-53] [S2-55] has as holder whoever is next, who works, or who a failure went to', () => {
    const placed = (to: string) => ({ to, id: 'HO-2026-001' })
    const holders = [
      said({ to: 'next' }),
      said({}),
      said({ status: 'in_progress', to: 'next' }),
      said({ status: 'blocked' }),
      said({ status: 'failed' }),
      said({ status: 'failed', followed: { routed: placed('fixer') } }),
      said({ status: 'retry', followed: { retry: { ...placed('tester'), retry_count: 1 } } }),
    ].map((block) => progressOf('w', [block]).holder)

    assert.deepEqual(holders, ['next', undefined, 'tester', 'tester', 'tester', 'fixer', 'tester'])
  })

  it('[S2-54] [S2-56] is not moved back by a block of an earlier phase that is collected late', () => {
    const all = [said({ phase: 'Complete' }), said({ from: 'qa', phase: 'QA', to: 'next' })]
    const reopened = [...all, said({ phase: 'QA', status: 'failed' })]

    assert.deepEqual(
      [all, reopened].map((blocks) => {
        const { phase, complete } = progressOf('w', blocks)
        return [phase, complete]
      }),
      [
        ['Complete', true],
        ['QA', false],
      ],
    )
  })

  it('[S2-56] is complete only in phase Complete, with status complete and nobody next', () => {
    const complete = [
      said({ phase: 'Complete' }),
      said({ phase: 'Complete', to: 'next' }),
      said({ phase: 'Complete', status: 'failed' }),
      said({}),
    ].map((block) => progressOf('w', [block]).complete)

    assert.deepEqual(complete, [true, false, false, false])
  })
})
