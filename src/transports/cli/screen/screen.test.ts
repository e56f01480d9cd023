import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Screen } from './screen.ts'
import { duration, relativeTime, toSeconds } from './time.ts'
import { cut, widthOf, wrap } from './width.ts'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const terminal = (columns = 40) => new Screen({ isTerminal: true, colour: false, columns, now: NOW })
const piped = new Screen({ isTerminal: false, colour: false, columns: 80, now: NOW })

describe('a table', () => {
  const rows = [
    [
      { text: 'HO-1', style: 'bold' as const },
      { text: 'A title that is too long for it', fill: true },
      'codex',
    ],
    ['HO-22', { text: 'Short', fill: true }, 'x'],
  ]

  it('stands in columns on a terminal and gives way where it may', () => {
    const table = terminal(40).table(rows, ['ID', 'TITLE', 'TO'])

    assert.deepEqual(table.split('\n'), [
      '  ID     TITLE                     TO',
      '  HO-1   A title that is too lon…  codex',
      '  HO-22  Short                     x',
    ])
  })

  it('sets what would hardly be seen below its row, whole, and keeps what the row is about', () => {
    const inbox = [
      [
        'decide',
        { text: 'feature-1.specification.gate', style: 'bold' as const },
        { text: 'Gate: specification · 3 points to validate', fill: true },
        'from spec-writer',
        'just now',
      ],
      ['accept', 'HO-2026-001', { text: '', fill: true }, 'from x', '2 h ago'],
    ]

    assert.deepEqual(terminal(80).table(inbox, ['DO', 'ID', 'TITLE', 'WITH', 'SINCE']).split('\n'), [
      '  DO      ID                            WITH              SINCE',
      '  decide  feature-1.specification.gate  from spec-writer  just now',
      '          Gate: specification · 3 points to validate',
      '  accept  HO-2026-001                   from x            2 h ago',
    ])
    const narrow = terminal(40).table(inbox.slice(0, 1)).split('\n')
    assert.deepEqual(narrow.slice(1), ['          Gate: specification · 3 points', '          to validate'])
  })

  it('is one line with tabs for each row when piped, without a head', () => {
    assert.equal(
      piped.table(rows, ['ID', 'TITLE', 'TO']),
      'HO-1\tA title that is too long for it\tcodex\nHO-22\tShort\tx',
    )
  })

  it('keeps a row on its line, whatever an agent writes into it', () => {
    assert.equal(piped.table([['a\tb\nc', '\u001b[31mred']]), 'a b c\tred')
  })

  it('is painted on a terminal with colour and nowhere else', () => {
    const coloured = new Screen({ isTerminal: true, colour: true, columns: 80 })

    assert.equal(coloured.table([[{ text: 'x', style: 'bold' }]]), '  \u001b[1mx\u001b[22m')
    assert.equal(terminal(80).table([[{ text: 'x', style: 'bold' }]]), '  x')
  })
})

describe('width', () => {
  it('counts cells: two for East Asian signs and emoji, none for marks that combine', () => {
    assert.deepEqual(
      ['abc', '日本', 'e\u0301', '🚀', 'Ünï', '\u001b[1mx\u001b[22m'].map(widthOf),
      [3, 4, 1, 2, 3, 1],
    )
  })

  it('cuts between signs and says so', () => {
    assert.deepEqual([cut('hello', 5), cut('hello!', 5), cut('日本語', 4)], ['hello', 'hell…', '日…'])
  })

  it('breaks lines between words and leaves a long word whole', () => {
    assert.deepEqual(wrap('one two three\nhttps://example.com/long x', 9), [
      'one two',
      'three',
      'https://example.com/long',
      'x',
    ])
  })
})

describe('time', () => {
  it('is told as people say it', () => {
    const at = (seconds: number) => relativeTime(new Date(NOW.getTime() + seconds * 1_000).toISOString(), NOW)

    assert.deepEqual([-2, -42, -180, -3_580, -7_200, -200_000, 3, 90, 14_400, 604_800].map(at), [
      'just now',
      '42 s ago',
      '3 min ago',
      '1 h ago',
      '2 h ago',
      '2 d ago',
      'now',
      'in 2 min',
      'in 4 h',
      'in 7 d',
    ])
    assert.deepEqual(
      [duration(90 * 86_400_000), duration(150 * 86_400_000), duration(800 * 86_400_000)],
      ['90 d', '5 months', '2 years'],
    )
  })

  it('is the instant itself when piped', () => {
    assert.equal(piped.when('2026-11-15T11:00:00.000Z'), '2026-11-15T11:00:00.000Z')
    assert.equal(terminal().when('2026-11-15T11:00:00.000Z'), '1 h ago')
  })

  it('is read with a unit, or in seconds without one', () => {
    assert.deepEqual(
      ['600', '90s', '10m', '2h', '90d', '1.5h', '0', '', 'soon', '3 parsecs', '-1h'].map(toSeconds),
      [600, 90, 600, 7_200, 7_776_000, 5_400, 0, undefined, undefined, undefined, undefined],
    )
  })
})

describe('a sentence behind a mark', () => {
  it('breaks between words and stays beside its mark on a terminal', () => {
    const text = terminal(40).marked('✗', 'there is no workspace here or above it; make one')

    assert.equal(text, '✗ there is no workspace here or above\n  it; make one')
  })
})
