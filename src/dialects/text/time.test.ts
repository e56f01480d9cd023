import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readInstant } from './time.ts'

const HALF_PAST = '2026-02-21T14:30:00Z'

describe('a time', () => {
  // biome-ignore format: read as a table
  const cases: readonly (readonly [string, string, ...string[]])[] = [
    [HALF_PAST,                        HALF_PAST],
    ['2026-02-21T14:30Z',              HALF_PAST],
    ['2026-02-21T16:30:00+02:00',      HALF_PAST],
    ['2026-02-21T14:30:00.5Z',         '2026-02-21T14:30:00.500Z'],
    ['2026-02-21T14:30:00.123456Z',    '2026-02-21T14:30:00.123Z'],
    ['2026-02-21T14:30:00.000Z',       HALF_PAST],
    ['2026-02-21T08:30:00-0600',       HALF_PAST, 'odd_zone'],
    ['2026-02-21T14:30:00+00',         HALF_PAST, 'odd_zone'],
    ['2026-02-21T14:30:00z',           HALF_PAST, 'odd_zone'],
    ['2026-02-21 14:30 UTC',           HALF_PAST, 'space', 'odd_zone'],
    ['2026-02-21 14:30:00 UTC+0',      HALF_PAST, 'space', 'odd_zone'],
    ['2026-02-21 14:30:00Z',           HALF_PAST, 'space'],
    ['2026-02-21T14:30:00',            HALF_PAST, 'no_zone'],
    [' 2026-02-21 14:30 ',             HALF_PAST, 'space', 'no_zone'],
    ['2026-02-21',                     '2026-02-21T00:00:00Z', 'date_only'],
    ['20260221',                       '2026-02-21T00:00:00Z', 'prose', 'date_only'],
    ['20260221T143000Z',               HALF_PAST, 'prose'],
    ['2026/02/21 14:30',               HALF_PAST, 'prose', 'no_zone'],
    ['Feb 21, 2026',                   '2026-02-21T00:00:00Z', 'prose', 'date_only'],
    ['Saturday, February 21st, 2026 at 2:30 PM UTC', HALF_PAST, 'prose', 'odd_zone'],
    ['21 February 2026 14:30 GMT',     HALF_PAST, 'prose', 'odd_zone'],
    ['2026-12-31T24:00:00Z',           '2027-01-01T00:00:00Z'],
    ['2026-12-31T23:59:60Z',           '2027-01-01T00:00:00Z'],
    ['2026-02-21T00:30:00+01:00',      '2026-02-20T23:30:00Z'],
    ['2024-02-29T00:00:00Z',           '2024-02-29T00:00:00Z'],
    ['0099-01-01T00:00:00Z',           '0099-01-01T00:00:00Z'],
  ]
  for (const [text, instant, ...oddities] of cases)
    it(`reads ${text}`, () => {
      assert.deepEqual(readInstant(text), { instant, oddities })
    })

  // biome-ignore format: read as a table
  const none = [
    '', 'soon', '2026', '2026-02-30', '2026-13-01', '2026-00-10', '2026-02-21T25:00:00Z', '2026-02-21T14:60Z', '2026-04-31T00:00:00Z',
    '2025-02-29T12:00:00Z', '2026-02-21T24:00:01Z', '2026-02-21T14:30:00+25:00', '2026-02-21T14:30:00 Mars', 'Foo 21, 2026', '21.02.2026',
    '13:00 PM', 'Feb 30, 2026', 'Feb 21, 2026 13:00 PM', '0000-01-01T00:00:00+01:00', '9'.repeat(100), '[date]',
  ]
  for (const text of none)
    it(`does not exist: ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.equal(readInstant(text), undefined)
    })

  it('[S0-63] is written in one form, which reads as itself', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }), (date) => {
        const read = readInstant(date.toISOString())!
        assert.equal(Date.parse(read.instant), date.getTime())
        assert.deepEqual(readInstant(read.instant), { instant: read.instant, oddities: [] })
      }),
      { numRuns: 100 },
    )
  })
})
