import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_RETRY } from '../home.ts'
import {
  decideRetry,
  delayBeforeAttempt,
  ERROR_KINDS,
  isKnownErrorCode,
  recoveryActions,
  retryAvailable,
} from './retry.ts'

const policy = { max: 3, delay_s: 30, multiplier: 2 }
const now = '2026-01-13T10:00:00.000Z'

describe('the error codes of document 001', () => {
  it('[S1-96] [S1-97] [S1-98] advises what the document says for input, processing and time', () => {
    assert.deepEqual(recoveryActions('SCHEMA_VALIDATION_FAILED'), ['Fix input, retry'])
    assert.deepEqual(recoveryActions('PROCESSING_ERROR'), ['Check logs, retry'])
    assert.deepEqual(recoveryActions('TIMEOUT'), ['Increase timeout, retry'])
  })

  it('[S1-99] [S1-100] advises what the document says for a dependency and for the output', () => {
    assert.deepEqual(recoveryActions('DEPENDENCY_MISSING'), ['Generate dependency first'])
    assert.deepEqual(recoveryActions('VALIDATION_FAILED'), ['Fix implementation'])
  })

  it('[S1-102] prefers what the worker advises', () => {
    assert.deepEqual(recoveryActions('TIMEOUT', ['Ask ops']), ['Ask ops'])
    assert.deepEqual(recoveryActions('TIMEOUT', []), ['Increase timeout, retry'])
  })

  it('[S1-101] knows five codes and flags every other, also the names that objects bring along', () => {
    assert.deepEqual(Object.keys(ERROR_KINDS).sort(), [
      'DEPENDENCY_MISSING',
      'PROCESSING_ERROR',
      'SCHEMA_VALIDATION_FAILED',
      'TIMEOUT',
      'VALIDATION_FAILED',
    ])
    assert.equal(isKnownErrorCode('TIMEOUT'), true)
    for (const code of ['timeout', 'OUT_OF_MEMORY', '', 'toString', 'constructor']) {
      assert.equal(isKnownErrorCode(code), false, code)
      assert.deepEqual(recoveryActions(code), [], code)
    }
  })
})

describe('the delays', () => {
  it('[S1-103] has the policy of the document where a request brings none', () => {
    assert.deepEqual(DEFAULT_RETRY, { max: 3, delay_s: 30, multiplier: 2 })
  })

  it('[S1-104] waits 0, 30, 60 and 120 seconds before attempts 1 to 4', () => {
    const delays = [1, 2, 3, 4].map((attempt) => delayBeforeAttempt(policy, attempt))

    assert.deepEqual(delays, [0, 30, 60, 120])
  })

  it('[S1-104] waits for nothing where the policy has no delay, however it grows', () => {
    const eager = { max: 9, delay_s: 0, multiplier: 1e300 }

    assert.deepEqual(decideRetry({ policy: eager, attempt: 5, code: 'TIMEOUT', now }), {
      action: 'retry',
      at: '2026-01-13T10:00:00.000Z',
      attempt: 6,
    })
  })

  it('[S1-104] never falls, and stays a date, whatever policy a request brings', () => {
    const wild = fc.record({
      max: fc.integer({ min: 0, max: 100 }),
      delay_s: fc.double({ min: 0, max: 1e300, noNaN: true }),
      multiplier: fc.double({ min: 1, max: 1e300, noNaN: true }),
    })
    fc.assert(
      fc.property(wild, fc.integer({ min: 1, max: 100 }), (given, attempt) => {
        const decision = decideRetry({ policy: given, attempt, code: 'TIMEOUT', now })

        assert.ok(delayBeforeAttempt(given, attempt + 1) >= delayBeforeAttempt(given, attempt))
        if (decision.action === 'retry') assert.ok(decision.at >= now && decision.at < '2028')
      }),
    )
  })
})

describe('decideRetry', () => {
  it('[S1-104] [S1-105] offers the work again three times and no fourth', () => {
    const decisions = [1, 2, 3, 4].map((attempt) =>
      decideRetry({ policy, attempt, code: 'PROCESSING_ERROR', now }),
    )

    assert.deepEqual(decisions, [
      { action: 'retry', at: '2026-01-13T10:00:30.000Z', attempt: 2 },
      { action: 'retry', at: '2026-01-13T10:01:00.000Z', attempt: 3 },
      { action: 'retry', at: '2026-01-13T10:02:00.000Z', attempt: 4 },
      { action: 'stop', retry_available: false },
    ])
  })

  it('[S1-98] retries a timeout by itself', () => {
    assert.equal(decideRetry({ policy, attempt: 1, code: 'TIMEOUT', now }).action, 'retry')
  })

  it('[S1-96] [S1-99] [S1-100] leaves it to the sender to retry what would fail again (A1-17)', () => {
    for (const code of ['SCHEMA_VALIDATION_FAILED', 'DEPENDENCY_MISSING', 'VALIDATION_FAILED']) {
      const decision = decideRetry({ policy, attempt: 1, code, now })

      assert.deepEqual(decision, { action: 'stop', retry_available: true }, code)
    }
  })

  it('[S1-101] does not retry a code it does not know', () => {
    assert.deepEqual(decideRetry({ policy, attempt: 1, code: 'OUT_OF_MEMORY', now }), {
      action: 'stop',
      retry_available: true,
    })
  })

  it('[S1-106] [S1-107] has a retry left while fewer than max were made, counting from 0', () => {
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((retryCount) => retryAvailable(policy, retryCount)),
      [true, true, true, false, false],
    )
    assert.equal(retryAvailable({ ...policy, max: 0 }, 0), false)
  })
})
