import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import type { Change, Path } from '../source.ts'
import { sourcesOf } from '../sources.ts'
import { sameData } from '../tree.ts'
import { withChange } from './change.ts'

const edited = (path: string, text: string, ...changes: readonly Change[]) => {
  const sources = sourcesOf(text, { path })
  return (sources.find(({ kind }) => kind === 'fence') ?? sources[0]!).edit(changes)
}
const set = (value: unknown, ...path: Path): Change => ({ path, value })
const remove = (...path: Path): Change => ({ path, value: undefined })

describe('an edit of JSON', () => {
  const text = '{\n    "a": 15.10, // why\n    "b": {"c": [1, 2]},\n    "d": []\n}\n'

  const cases: readonly (readonly [string, Change, string])[] = [
    ['replaces a value', set('x', 'a'), text.replace('15.10', '"x"')],
    ['leaves a value that stays the same', set(15.1, 'a'), text],
    ['replaces a value in a list', set(3, 'b', 'c', 1), text.replace('2]', '3]')],
    ['adds a key below the others', set(1, 'e'), text.replace('[]\n', '[],\n    "e": 1\n')],
    ['adds a key on the line of the others', set(1, 'b', 'x'), text.replace('2]}', '2], "x": 1}')],
    ['adds to a list', set(3, 'b', 'c', 2), text.replace('2]', '2, 3]')],
    ['adds to an empty list', set(1, 'd', 0), text.replace('[]', '[\n        1\n    ]')],
    ['removes a key with its line', remove('a'), text.replace('    "a": 15.10, // why\n', '')],
    ['removes the last key with the comma before', remove('d'), text.replace(',\n    "d": []', '')],
    ['removes the first of a list', remove('b', 'c', 0), text.replace('1, 2', '2')],
    ['removes the last of a list', remove('b', 'c', 1), text.replace('1, 2', '1')],
    ['removes the only key', remove('b', 'c'), text.replace('"c": [1, 2]', '')],
    [
      'makes parents that are not there',
      set(1, 'x', 'y'),
      text.replace('[]\n', '[],\n    "x": {\n        "y": 1\n    }\n'),
    ],
    ['leaves what is not there to be removed', remove('x', 'y'), text],
  ]
  for (const [title, change, expected] of cases)
    it(title, () => {
      assert.equal(edited('x.json', text, change), expected)
    })

  it('keeps tabs, CRLF and a byte order mark', () => {
    const before = '\ufeff{\r\n\t"a": 1\r\n}\r\n'
    const after = '\ufeff{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}\r\n'
    assert.equal(edited('x.json', before, set({ c: 2 }, 'b')), after)
  })

  it('keeps everything on one line', () => {
    assert.equal(edited('x.json', '{"a":1}', set([2], 'b')), '{"a":1, "b":[2]}')
  })

  it('touches only its own object where there are two', () => {
    const [, second] = sourcesOf('{"a": 1}\n{"b": 2}\n', { path: 'x.json' })
    assert.equal(second!.edit([set(3, 'b')]), '{"a": 1}\n{"b": 3}\n')
  })

  it('writes an object into an empty file', () => {
    assert.equal(edited('x.json', '', set(1, 'a', 'b')), '{\n  "a": {\n    "b": 1\n  }\n}\n')
  })
})

describe('an edit of YAML', () => {
  const text = [
    '# top',
    'status: open # now',
    'from: "@a"',
    'empty:',
    'n: 15.10',
    'list:',
    '  - x # first',
    '  - k: v',
    '    l: w',
    'flow: {a: 1, b: [2]}',
    'text: |',
    '  one',
    '  two',
    '',
    '# end',
    '',
  ].join('\n')

  const cases: readonly (readonly [string, Change, string])[] = [
    ['replaces a value and keeps the comment', set('done', 'status'), text.replace('open', 'done')],
    ['keeps the quotes', set('@b', 'from'), text.replace('"@a"', '"@b"')],
    ['quotes what needs it', set('@b', 'status'), text.replace('open', '"@b"')],
    ['quotes a text that looks like a number', set('15.10', 'n'), text.replace('n: 15.10', 'n: "15.10"')],
    ['leaves a number that stays the same', set(15.1, 'n'), text],
    ['fills a key that was empty', set(1, 'empty'), text.replace('empty:', 'empty: 1')],
    ['writes a mapping below a key', set({ a: 1 }, 'empty'), text.replace('empty:', 'empty:\n  a: 1')],
    [
      'makes parents that are not there',
      set(1, 'empty', 'a', 'b'),
      text.replace('empty:', 'empty:\n  a:\n    b: 1'),
    ],
    ['replaces a block of text', set('1\n2\n', 'text'), text.replace('one\n  two', '1\n  2')],
    ['replaces a list by a value', set(1, 'list'), text.replace(/list:[\s\S]*w\n/, 'list: 1\n')],
    ['changes an element', set('y', 'list', 0), text.replace('- x', '- y')],
    ['changes a value in an element', set('z', 'list', 1, 'l'), text.replace('l: w', 'l: z')],
    ['adds a key to an element', set(1, 'list', 1, 'm'), text.replace('l: w', 'l: w\n    m: 1')],
    ['adds an element', set('z', 'list', 2), text.replace('l: w', 'l: w\n  - z')],
    ['changes a value in brackets', set(3, 'flow', 'b', 0), text.replace('[2]', '[3]')],
    ['adds a key in brackets', set('x, y', 'flow', 'c'), text.replace('[2]}', '[2], c: "x, y"}')],
    ['adds a key below the last one', set(1, 'new'), text.replace('  two\n', '  two\nnew: 1\n')],
    ['removes a key with its line', remove('status'), text.replace('status: open # now\n', '')],
    ['removes a key with all of its lines', remove('list'), text.replace(/list:[\s\S]*w\n/, '')],
    ['removes an element', remove('list', 0), text.replace('  - x # first\n', '')],
    ['removes the first key of an element', remove('list', 1, 'k'), text.replace('k: v\n    l: w', 'l: w')],
    ['leaves what is not there to be removed', remove('x', 'y'), text],
  ]
  for (const [title, change, expected] of cases)
    it(title, () => {
      assert.equal(edited('x.yaml', text, change), expected)
      const windows = (lines: string) => lines.replaceAll('\n', '\r\n')
      assert.equal(edited('x.yaml', windows(text), change), windows(expected))
    })

  it('leaves an empty mapping or list where the last of it goes', () => {
    assert.equal(
      edited('x.yaml', 'a:\n  b: 1\nc:\n  - 2\n', remove('a', 'b'), remove('c', 0)),
      'a: {}\nc: []\n',
    )
    assert.equal(edited('x.yaml', 'a: 1\n', remove('a')), '{}\n')
  })

  it('writes lists like the document does', () => {
    assert.equal(edited('x.yaml', 'a:\n- 1\nb: 2\n', set([3], 'c')), 'a:\n- 1\nb: 2\nc:\n- 3\n')
  })

  it('writes the value out where an alias stands', () => {
    const after = edited('x.yaml', 'a: &x\n  k: 1\nb: *x\n', set(2, 'b', 'k'))
    assert.deepEqual(sourcesOf(after, { path: 'x.yaml' })[0]!.value, { a: { k: 1 }, b: { k: 2 } })
  })

  it('adds to a text without a last line break, or of comments only', () => {
    assert.equal(edited('x.yaml', 'a: 1', set(2, 'b')), 'a: 1\nb: 2')
    assert.equal(edited('x.yaml', '# c\n', set(2, 'b')), '# c\nb: 2\n')
  })

  it('quotes new texts like their neighbours', () => {
    assert.equal(edited('x.yaml', 'a: "x"\nb: "y"\n', set('z', 'c')), 'a: "x"\nb: "y"\nc: "z"\n')
    assert.equal(edited('x.yaml', "a: 'x'\nb: 1\n", set(["it's"], 'c')), "a: 'x'\nb: 1\nc:\n  - 'it''s'\n")
  })

  it('loses nothing of what could not be read', () => {
    const text = 'a: 1\nb: {x: [}\n  y: ]\nstatus: open\n'
    const after = edited('x.yaml', text, set('done', 'status'), set(2, 'a'))
    for (const line of ['b: {x: [}', '  y: ]']) assert.ok(after.includes(line), after)
    const tabs = 'a:\n\tb: 1 # c\n\td: 2\n'
    assert.equal(edited('x.yaml', tabs, set(3, 'a', 'd')), tabs.replace('2', '3'))
  })

  it('touches only its own document of a stream', () => {
    const [, second] = sourcesOf('a: 1\n---\n# c\nb: 2\n---\nd: 3\n', { path: 'x.yaml' })
    assert.equal(second!.edit([set(4, 'b'), set(5, 'c')]), 'a: 1\n---\n# c\nb: 4\nc: 5\n---\nd: 3\n')
  })
})

describe('an edit of Markdown', () => {
  it('[S0-69] [S0-64] keeps the body, unknown keys, comments and block texts', () => {
    const text = '---\na: 1 # c\nx_other: {k: [1]}\ntext: |\n  one\n\n  two\n---\n\n# T\n---\ntext'
    assert.equal(
      edited('x.md', text, set(2, 'a'), set('z', 'b')),
      text.replace('a: 1', 'a: 2').replace('two\n', 'two\nb: z\n'),
    )
  })

  it('writes front matter above a text that has none', () => {
    assert.equal(edited('x.md', '# T\r\n', set('v', 'k')), '---\r\nk: v\r\n---\r\n# T\r\n')
    for (const blank of ['', '\n', ' \n'])
      assert.equal(edited('x.md', blank, set('v', 'k')), `---\nk: v\n---\n${blank}`)
  })

  it('keeps the indentation of a block in a list', () => {
    const text = '1. x\n   ```yaml\n   handoff:\n     to: "@a"\n   ```\nend\n'
    const after = text.replace('"@a"', '"@b"').replace('b"\n', 'b"\n     m:\n       n: 1\n')
    assert.equal(edited('x.md', text, set('@b', 'handoff', 'to'), set({ n: 1 }, 'handoff', 'm')), after)
  })
})

describe('plain words that are added together', () => {
  const cases: readonly (readonly [string, string, readonly Change[]])[] = [
    [
      'in an outer and an inner mapping that end in one place',
      'a:\n  b: x\n',
      [set('y', 'c'), set('z', 'a', 'd')],
    ],
    ['below one parent that is not there', 'a: x\n', [set('y', 'n', 'p'), set('z', 'n', 'q')]],
    ['below a text whose last line is space', 'a: |\n  x\n     \n', [set('y', 'b'), set('z', 'c')]],
    ['to what another key repeats', 'a: &x\n  k: v\nb: *x\n', [set('y', 'a', 'm'), set('z', 'c')]],
    ['in the place of a text with a tag', 'a: !!seq x\nb: y\n', [set('y', 'a'), set('z', 'b')]],
    ['in the place of a text in two lines', 'a: x\n  y\nb: "v\n  w"\n', [set('y', 'a'), set('z', 'b')]],
    ['beside a key that stands behind a mark', '? a\n: x\n', [set('y', 'c'), set('z', 'd')]],
  ]
  for (const [where, text, added] of cases)
    it(`${where} read as they should`, () => {
      const [before] = sourcesOf(text, { path: 'x.yaml' })
      const [after] = sourcesOf(before!.edit(added), { path: 'x.yaml' })
      const expected = added.reduce((now, { path, value: to }) => withChange(now, path, to), before!.value)
      assert.deepEqual(after!.value, expected)
      assert.deepEqual(after!.diagnostics.length, before!.diagnostics.length)
    })
})

const scalar = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('word', 'two words', 'On', '2026-02-21', '2026-02-21T14:30:00Z', '1e5', 7),
  fc.constantFrom(
    '@codex',
    'a: b',
    '# x',
    '- y',
    'x\ny\n',
    'null',
    '15.10',
    '',
    '  lead',
    '\tt',
    'e\n\n  x\n\n',
    "it's",
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)
const key = fc.oneof(
  fc.constantFrom('a', 'b', 'status', 'Key With', '__proto__'),
  fc.string({ minLength: 1, maxLength: 6 }),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}))
const mapping = fc.dictionary(key, value, { minKeys: 1, maxKeys: 5 }).map(plain)
const changes = fc.array(
  fc.record({
    path: fc.array(fc.oneof(key, fc.nat(2)), { minLength: 1, maxLength: 3 }),
    pick: fc.option(fc.nat()),
    value: fc.option(value, { nil: undefined }).map(plain),
  }),
  { maxLength: 3 },
)

const FORMS: Readonly<Record<string, (data: unknown) => readonly [path: string, text: string]>> = {
  'JSON in lines': (data) => ['x.json', `${JSON.stringify(data, null, 2)}\n`],
  'JSON on one line': (data) => ['x.json', JSON.stringify(data)],
  'YAML in lines': (data) => ['x.yaml', `# top\n${stringify(data)}# end\n`],
  'YAML with CRLF': (data) => [
    'x.yaml',
    stringify(data, { indentSeq: false, lineWidth: 0 }).replaceAll('\n', '\r\n'),
  ],
  'YAML in brackets': (data) => ['x.yaml', stringify(data, { collectionStyle: 'flow' })],
  'front matter': (data) => ['x.md', `---\n${stringify(data)}---\n\n# Body\n---\ntext`],
}

describe('any edit', () => {
  for (const [name, form] of Object.entries(FORMS))
    it(`of ${name} reads back as the changed value, and no change gives the same text`, () => {
      fc.assert(
        fc.property(mapping, changes, (data, wanted) => {
          const [path, text] = form(data)
          const [source] = sourcesOf(text, { path })
          assert.equal(source!.edit([]), text)
          const made = wanted.map((change) => ({ ...change, path: pathOf(data, change) }))
          const [again] = sourcesOf(source!.edit(made), { path })
          const expected = made.reduce(
            (now, change) => withChange(now, change.path, change.value),
            source!.value,
          )
          assert.ok(sameData(again!.value, expected), JSON.stringify([text, made, again!.text]))
        }),
        { numRuns: 40 },
      )
    })

  it('leaves every byte of the other keys of JSON as it was', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 4 }), fc.nat(), value, (all, pick, to) => {
        const parts = all.map((data, index) => `  "k${index}":  ${JSON.stringify(data)}`)
        const index = pick % all.length
        const after = edited('x.json', `{\n${parts.join(' ,\n')}\n}`, set(to, `k${index}`))
        assert.ok(after.startsWith(`{\n${parts.slice(0, index).join(' ,\n')}`), after)
        assert.ok(after.endsWith(`${parts.slice(index + 1).join(' ,\n')}\n}`), after)
      }),
      { numRuns: 60 },
    )
  })

  it('leaves every byte of the other keys as it was', () => {
    const part = (name: string, data: unknown) =>
      `# about ${name}\n${stringify({ [name]: data }, { lineWidth: 0 })}`
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 2, maxLength: 4 }),
        fc.nat(),
        fc.option(value, { nil: undefined }),
        (all, pick, to) => {
          const parts = all.map((data, index) => part(`k${index}`, plain(data)))
          const index = pick % all.length
          const after = edited('x.yaml', parts.join(''), set(to, `k${index}`))
          assert.ok(after.startsWith(parts.slice(0, index).join('')), after)
          assert.ok(after.endsWith(parts.slice(index + 1).join('')), after)
        },
      ),
      { numRuns: 80 },
    )
  })
})

/** As JSON has it: no negative zero, no prototype. */
function plain<T>(data: T): T {
  return data === undefined ? data : JSON.parse(JSON.stringify(data))
}

/** Half of the changes go to places that are there. */
function pathOf(data: unknown, change: { readonly path: Path; readonly pick: number | null }): Path {
  const paths = pathsIn(data, [])
  return change.pick === null || paths.length === 0 ? change.path : paths[change.pick % paths.length]!
}

function pathsIn(data: unknown, path: Path): Path[] {
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([name, item]) => {
    const here = [...path, Array.isArray(data) ? Number(name) : name]
    return [here, ...pathsIn(item, here)]
  })
}
