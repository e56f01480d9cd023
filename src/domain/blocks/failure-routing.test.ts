import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decideFailure } from './failure-routing.ts'

/** The sample of the document, lines 173 to 178. */
const sample = {
  retry: 2,
  route_to: '@implementation-agent',
  notify: '@enhanced-project-manager-agent',
  escalate_after: 3,
  context: 'Test failures require implementation fixes',
}
const notify = '@enhanced-project-manager-agent'
const context = 'Test failures require implementation fixes'

describe('decideFailure', () => {
  it('[S2-63] retries the sample twice, then routes it on and escalates', () => {
    const decisions = [0, 1, 2].map((retry_count) =>
      decideFailure({ retry_count, on_failure: sample, delegator: '@lead' }),
    )

    assert.deepEqual(decisions, [
      { status: 'retry', notify, retry: { agent: 'same', retry_count: 1 }, context },
      { status: 'retry', notify, retry: { agent: 'same', retry_count: 2 }, context },
      { status: 'failed', notify, route_to: '@implementation-agent', escalate_to: '@lead', context },
    ])
  })

  it('[S2-59] sends every retry of the sample through route_to in the other mode', () => {
    const decisions = [0, 1, 2].map((retry_count) =>
      decideFailure({ retry_count, on_failure: sample, delegator: '@lead', mode: 'each_failure' }),
    )

    assert.deepEqual(decisions, [
      { status: 'retry', notify, retry: { agent: '@implementation-agent', retry_count: 1 }, context },
      { status: 'retry', notify, retry: { agent: '@implementation-agent', retry_count: 2 }, context },
      { status: 'failed', notify, route_to: '@implementation-agent', escalate_to: '@lead', context },
    ])
  })

  it('[S2-59] retries with the same agent where no other is named, in both modes', () => {
    for (const mode of ['after_retries', 'each_failure'] as const) {
      assert.deepEqual(decideFailure({ retry_count: 0, on_failure: { retry: 1 }, mode }), {
        status: 'retry',
        retry: { agent: 'same', retry_count: 1 },
      })
    }
  })

  it('[S2-64] ends at once and tells nobody where there are no rules', () => {
    assert.deepEqual(decideFailure({ retry_count: 0 }), { status: 'failed' })
    assert.deepEqual(decideFailure({ retry_count: 5, on_failure: {}, delegator: '@lead' }), {
      status: 'failed',
    })
  })

  it('[S2-61] escalates from the failure that reaches escalate_after on, though retries are left', () => {
    const on_failure = { retry: 5, escalate_after: 2 }

    assert.deepEqual(
      [0, 1, 2].map((retry_count) => decideFailure({ retry_count, on_failure, delegator: '@lead' })),
      [
        { status: 'retry', retry: { agent: 'same', retry_count: 1 } },
        { status: 'failed', escalate_to: '@lead' },
        { status: 'failed', escalate_to: '@lead' },
      ],
    )
  })

  it('[S2-61] addresses the role itself when nobody has it, so that no escalation is lost', () => {
    const decision = decideFailure({ retry_count: 0, on_failure: { escalate_after: 1 } })

    assert.deepEqual(decision, { status: 'failed', escalate_to: 'delegator' })
  })

  it('[S2-57] [S2-58] makes at most retry retries, each with a count one higher', () => {
    const rules = fc.record(
      {
        retry: fc.nat({ max: 10 }),
        route_to: fc.constant('@fixer'),
        notify: fc.constant('@pm'),
        escalate_after: fc.integer({ min: 1, max: 12 }),
      },
      { requiredKeys: [] },
    )
    const mode = fc.constantFrom('after_retries' as const, 'each_failure' as const)
    fc.assert(
      fc.property(rules, mode, (on_failure, mode) => {
        let retry_count = 0
        let decision = decideFailure({ retry_count, on_failure, mode, delegator: '@lead' })
        while (decision.retry) {
          assert.deepEqual([decision.status, decision.retry.retry_count], ['retry', retry_count + 1])
          retry_count += 1
          decision = decideFailure({ retry_count, on_failure, mode, delegator: '@lead' })
        }

        const { retry = 0, escalate_after = Infinity } = on_failure
        assert.equal(retry_count, Math.min(retry, escalate_after - 1))
        assert.equal(decision.status, 'failed')
        assert.equal(decision.route_to, on_failure.route_to)
        assert.equal(decision.escalate_to, retry_count + 1 >= escalate_after ? '@lead' : undefined)
      }),
    )
  })

  it('[S2-60] [S2-62] notifies once for each failure and hands the context on, whatever else follows', () => {
    for (const retry_count of [0, 1, 2, 3]) {
      const decision = decideFailure({ retry_count, on_failure: sample })

      assert.deepEqual([decision.notify, decision.context], [notify, context])
    }
  })
})
