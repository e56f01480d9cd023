import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isWorkflowComplete, nextAgent, PHASES, phaseProgress, STATUSES } from './phases.ts'

describe('the words of document 002', () => {
  it('[S2-13] [S2-23] has these eight phases in this order', () => {
    assert.deepEqual(PHASES, [
      'Research',
      'Planning',
      'Infrastructure',
      'Implementation',
      'Testing',
      'Integration',
      'QA',
      'Complete',
    ])
  })

  it('[S2-16] [S2-23] has these six statuses', () => {
    assert.deepEqual(STATUSES, ['pending', 'in_progress', 'complete', 'failed', 'blocked', 'retry'])
  })
})

describe('phaseProgress', () => {
  it('[S2-54] goes from one of eight to eight of eight in the listed order', () => {
    assert.deepEqual(
      PHASES.map((phase) => phaseProgress(phase)),
      [
        { step: 1, of: 8, percent: 12.5 },
        { step: 2, of: 8, percent: 25 },
        { step: 3, of: 8, percent: 37.5 },
        { step: 4, of: 8, percent: 50 },
        { step: 5, of: 8, percent: 62.5 },
        { step: 6, of: 8, percent: 75 },
        { step: 7, of: 8, percent: 87.5 },
        { step: 8, of: 8, percent: 100 },
      ],
    )
  })
})

describe('nextAgent', () => {
  it('[S2-55] is the receiver, and nobody for None', () => {
    assert.equal(nextAgent({ to: '@feature-implementation-agent' }), '@feature-implementation-agent')
    assert.equal(nextAgent({ to: 'None' }), undefined)
  })

  it('[S2-55] takes @None and other spellings for what they are', () => {
    assert.equal(nextAgent({ to: '@None' }), '@None')
    assert.equal(nextAgent({ to: 'none' }), 'none')
  })
})

describe('isWorkflowComplete', () => {
  const end = { phase: 'Complete', status: 'complete', to: 'None' }

  it('[S2-56] is so when nobody is next, the phase is Complete and the status complete', () => {
    assert.equal(isWorkflowComplete(end), true)
  })

  it('[S2-56] is not so when one of the three is missing, as where testing ends its own branch', () => {
    assert.equal(isWorkflowComplete({ ...end, phase: 'Testing' }), false)
    assert.equal(isWorkflowComplete({ ...end, status: 'failed' }), false)
    assert.equal(isWorkflowComplete({ ...end, to: '@x' }), false)
    assert.equal(isWorkflowComplete({ ...end, phase: 'complete' }), false)
  })
})
