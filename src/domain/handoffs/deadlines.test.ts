import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ackDeadline, addMs, isPast, leaseMs } from './deadlines.ts'

const instant = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())

describe('ackDeadline', () => {
  it('[S0-33] [S0-39] gives a markdown draft one hour from its creation', () => {
    assert.equal(ackDeadline('markdown', 'draft', '2026-02-21T14:30:00Z'), '2026-02-21T15:30:00.000Z')
  })

  it('[S0-34] [S0-38] gives a markdown offer four hours from its sending, as the sample has it', () => {
    assert.equal(ackDeadline('markdown', 'offered', '2026-02-21T14:35:00Z'), '2026-02-21T18:35:00.000Z')
  })

  it('gives a native offer a day and a native draft all the time', () => {
    assert.equal(ackDeadline('native', 'offered', '2026-02-28T23:59:59.999Z'), '2026-03-01T23:59:59.999Z')
    assert.equal(ackDeadline('native', 'draft', '2026-02-28T23:59:59.999Z'), undefined)
  })

  it('has none for the homes whose documents have none', () => {
    for (const home of ['queue', 'block', 'writeback', 'package'] as const) {
      for (const step of ['draft', 'offered'] as const) {
        assert.equal(ackDeadline(home, step, '2026-01-01T00:00:00.000Z'), undefined, `${home} ${step}`)
      }
    }
  })

  it('takes what was configured for a step instead, none included', () => {
    const at = '2026-01-01T00:00:00.000Z'

    assert.equal(ackDeadline('native', 'offered', at, { offeredMs: 1 }), '2026-01-01T00:00:00.001Z')
    assert.equal(ackDeadline('queue', 'draft', at, { draftMs: 0 }), '2026-01-01T00:00:00.000Z')
    assert.equal(ackDeadline('native', 'offered', at, { offeredMs: 'none' }), undefined)
    assert.equal(ackDeadline('markdown', 'draft', at, { offeredMs: 1 }), '2026-01-01T01:00:00.000Z')
  })

  it('reads an offset and answers in UTC', () => {
    assert.equal(ackDeadline('markdown', 'draft', '2026-02-21T16:30:00+02:00'), '2026-02-21T15:30:00.000Z')
  })
})

describe('isPast', () => {
  it('[S0-33] [S0-34] is past at the very millisecond and alive one before (A0-06)', () => {
    const deadline = '2026-02-21T18:35:00.000Z'

    assert.equal(isPast(deadline, '2026-02-21T18:34:59.999Z'), false)
    assert.equal(isPast(deadline, '2026-02-21T18:35:00.000Z'), true)
    assert.equal(isPast(deadline, '2026-02-21T18:35:00Z'), true)
  })

  it('[S0-34] compares instants, however they are written', () => {
    assert.equal(isPast('2026-02-21T18:35:00Z', '2026-02-21T18:35:00.500Z'), true)
    assert.equal(isPast('2026-02-21T18:35:00.000Z', '2026-02-21T20:35:00+02:00'), true)
    assert.equal(isPast('2026-02-21T18:35:00.000Z', '2026-02-21T20:34:59+02:00'), false)
  })

  it('[S0-35] is never past where there is no deadline', () => {
    assert.equal(isPast(undefined, '9999-12-31T23:59:59.999Z'), false)
  })

  it('[S0-34] turns exactly when the time that was given is over', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: -3, max: 3 }), (at, off) => {
        const deadline = ackDeadline('markdown', 'offered', at)

        assert.equal(isPast(deadline, addMs(at, 4 * 60 * 60 * 1000 + off)), off >= 0)
      }),
    )
  })
})

describe('leaseMs', () => {
  it('[S1-30] gives the queue 300 seconds, or what the request says', () => {
    assert.equal(leaseMs({ home: 'queue' }, false), 300_000)
    assert.equal(leaseMs({ home: 'queue', timeout_s: 900 }, false), 900_000)
    assert.equal(leaseMs({ home: 'queue', timeout_s: 0.5 }, false), 500)
  })

  it('[S1-110] lets work in the queue run out 300 seconds after its start and not before', () => {
    const until = addMs('2026-01-13T10:00:00Z', leaseMs({ home: 'queue' }, false) ?? 0)

    assert.equal(isPast(until, '2026-01-13T10:04:59.999Z'), false)
    assert.equal(isPast(until, '2026-01-13T10:05:00.000Z'), true)
  })

  it('gives native work two hours, or what was asked for', () => {
    assert.equal(leaseMs({ home: 'native' }, false), 7_200_000)
    assert.equal(leaseMs({ home: 'native', timeout_s: 60 }, false), 60_000)
  })

  it('[S0-35] has none for markdown, writeback, block and package, whatever is asked for', () => {
    for (const home of ['markdown', 'writeback', 'block', 'package'] as const) {
      assert.equal(leaseMs({ home }, false), undefined, home)
      assert.equal(leaseMs({ home, timeout_s: 300 }, false), undefined, home)
    }
  })

  it('has none for a person', () => {
    assert.equal(leaseMs({ home: 'queue', timeout_s: 300 }, true), undefined)
    assert.equal(leaseMs({ home: 'native' }, true), undefined)
  })
})
