import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  BatonError,
  ERROR_CODES,
  type ErrorCode,
  HandoffFailedException,
  HandoffLimitExceeded,
  HandoffTimeoutException,
  toError,
} from './errors.ts'

const codes = Object.keys(ERROR_CODES) as ErrorCode[]

describe('an error', () => {
  it('carries its code, its facts and its cause, and says whether to try again', () => {
    const cause = new Error('disk full')
    const error = new BatonError('unavailable', 'the store is away', { file: 'x' }, cause)

    assert.deepEqual(
      [error.name, error.code, error.message, error.details, error.cause, error.retry],
      ['BatonError', 'unavailable', 'the store is away', { file: 'x' }, cause, true],
    )
    assert.equal('cause' in new BatonError('internal', 'a bug'), false)
  })

  it('[S0-50] [S1-88] [S1-91] has the class that a document names where one does', () => {
    assert.ok(toError('limit_exceeded', '') instanceof HandoffLimitExceeded)
    assert.ok(toError('failed', '') instanceof HandoffFailedException)
    assert.ok(toError('timed_out', '') instanceof HandoffTimeoutException)
    assert.deepEqual(
      codes.map((code) => toError(code, '').name).filter((name) => name !== 'BatonError'),
      ['HandoffLimitExceeded', 'HandoffTimeoutException', 'HandoffFailedException'],
    )
  })

  it('is a BatonError with its own code whatever its class', () => {
    for (const code of codes) {
      const error = toError(code, 'text', { a: 1 })

      assert.ok(error instanceof BatonError)
      assert.deepEqual([error.code, error.message, error.details], [code, 'text', { a: 1 }])
    }
  })
})

describe('the table of errors', () => {
  it('has fewer than fifteen codes, each in lower case with an exit code and an RPC code of its own', () => {
    assert.ok(codes.length < 15)
    for (const code of codes) assert.match(code, /^[a-z]+(_[a-z]+)*$/)
    for (const column of ['exit', 'rpc'] as const)
      assert.equal(new Set(codes.map((code) => ERROR_CODES[code][column])).size, codes.length, column)
  })

  it('has no exit code that a shell or the collecting command uses for something else', () => {
    const taken = [0, 1, 10, 11, 12, 126, 127, 130]

    assert.deepEqual(
      codes.filter((code) => (taken as readonly number[]).includes(ERROR_CODES[code].exit)),
      [],
    )
  })
})
