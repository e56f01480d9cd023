import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ERROR_CODES } from '../../src/domain/errors.ts'

describe('the errors that every surface shows', () => {
  it('are these, with these numbers for HTTP, JSON-RPC and the shell, and this advice to try again', () => {
    const shown = Object.fromEntries(
      Object.entries(ERROR_CODES).map(([code, { http, rpc, exit, retry }]) => [
        code,
        [http, rpc, exit, retry],
      ]),
    )

    assert.deepEqual(shown, {
      invalid_input: [400, -32602, 2, false],
      not_found: [404, -32004, 3, false],
      not_allowed: [403, -32003, 4, false],
      wrong_state: [409, -32009, 5, false],
      conflict: [409, -32010, 6, false],
      limit_exceeded: [429, -32011, 7, true],
      unmet: [422, -32012, 8, false],
      timed_out: [408, -32013, 9, true],
      unavailable: [503, -32014, 13, true],
      too_large: [413, -32015, 14, false],
      unauthenticated: [401, -32001, 15, false],
      failed: [424, -32016, 16, false],
      store_refused: [500, -32017, 17, false],
      internal: [500, -32603, 70, false],
    })
  })
})
