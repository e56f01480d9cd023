import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHandoff } from '../../../test/support/store/builders.ts'
import { dueOf } from '../handoffs/deadlines.ts'
import { checkSilence, nextReminder, spokenTime, timersOf } from './silence.ts'

const AT = '2026-02-21T14:30:00.000Z'
const waiting = aHandoff({ state: 'needs_input', need: 'gate', waiting_for: 'maria' })
const offered = aHandoff({ state: 'offered', waiting_for: 'maria' })

describe('the time of a person', () => {
  const rules = { silence: { policy: 'expire', after_s: 7_200 }, remind_s: 3_600 } as const
  const now = { at: AT, rules, waitsForPerson: true }

  it('begins when it becomes their move, by the rule of the handoff or of the workspace', () => {
    assert.deepEqual(timersOf(offered, waiting, now), {
      remind_at: '2026-02-21T15:30:00.000Z',
      silence_at: '2026-02-21T16:30:00.000Z',
    })
    const own = { ...waiting, silence: { policy: 'wait' as const }, remind_s: 60 }
    assert.deepEqual(timersOf(offered, own, now), {
      remind_at: '2026-02-21T14:31:00.000Z',
      silence_at: undefined,
    })
  })

  it('is not moved by what happens meanwhile, and ends with their move', () => {
    const running = { ...waiting, silence_at: 'then', remind_at: 'soon', reminded: 1 }

    assert.deepEqual(timersOf(running, running, now), {
      silence_at: 'then',
      remind_at: 'soon',
      reminded: 1,
    })
    assert.deepEqual(timersOf(running, offered, now), {})
    assert.deepEqual(timersOf(offered, waiting, { ...now, waitsForPerson: false }), {})
  })

  it('has reminders at doubled intervals, at most a thousandfold', () => {
    const of = (reminded: number) => nextReminder({ ...waiting, remind_s: 60, reminded }, {}, AT)

    assert.deepEqual(
      [0, 1, 2].map((n) => of(n).remind_at),
      ['2026-02-21T14:32:00.000Z', '2026-02-21T14:34:00.000Z', '2026-02-21T14:38:00.000Z'],
    )
    assert.equal(of(10).remind_at, of(500).remind_at)
    assert.deepEqual(nextReminder(waiting, {}, AT), { reminded: 1 })
  })

  it('is due at the earlier of the two instants; where they are one, the silence ends', () => {
    const due = (remind_at?: string, silence_at?: string) =>
      dueOf({
        ...waiting,
        ...(remind_at !== undefined && { remind_at }),
        ...(silence_at !== undefined && { silence_at }),
      })?.kind

    assert.deepEqual(
      [due('1', '2'), due('2', '1'), due('1', '1'), due('1'), due(undefined, '1'), due()],
      ['remind', 'silence', 'silence', 'remind', 'silence', undefined],
    )
  })

  it('has rules with all that they need', () => {
    const fine = [
      { policy: 'wait' },
      { policy: 'expire', after_s: 1 },
      { policy: 'escalate', after_s: 1, to: 'paul' },
      { policy: 'reassign', after_s: 1, to: 'paul' },
    ] as const

    for (const rule of fine) assert.deepEqual(checkSilence(rule), { ok: true })
    assert.deepEqual(checkSilence({ policy: 'reassign' }), {
      ok: false,
      code: 'invalid_input',
      message: 'silence: reassign needs after_s and to',
      details: { silence: { policy: 'reassign' }, missing: ['after_s', 'to'] },
    })
  })

  it('is said in the largest whole unit', () => {
    assert.deepEqual([1, 59, 60, 90, 3_600, 7_200, 86_400, 172_800].map(spokenTime), [
      '1 second',
      '59 seconds',
      '1 minute',
      '90 seconds',
      '1 hour',
      '2 hours',
      '1 day',
      '2 days',
    ])
  })
})
