import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sourcesOf } from '../sources.ts'

const json = (text: string) => sourcesOf(text, { path: 'a/b.json' })
const codes = (text: string) => json(text).flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))

describe('a JSON text', () => {
  it('gives its value, with or without a path', () => {
    const text = '{"a": [1, {"b": null}], "c": "d"}\n'
    for (const options of [{}, { path: 'x.json' }, { path: 'x.json.processed' }, { path: 'notes.md' }]) {
      const [source, ...others] = sourcesOf(text, options)
      assert.equal(source!.kind, 'json')
      assert.deepEqual(source!.value, { a: [1, { b: null }], c: 'd' })
      assert.deepEqual(source!.diagnostics, [])
      assert.deepEqual(others, [])
    }
  })

  it('gives a list at its top as one source', () => {
    const [source] = json('[{"a": 1}, 2]')
    assert.deepEqual(source!.value, [{ a: 1 }, 2])
  })

  it('finds places in lines that end with CRLF after a byte order mark', () => {
    const [source] = json('\ufeff{\r\n  "from": "a",\r\n  "list": [1,\r\n    2]\r\n}\r\n')
    assert.deepEqual(source!.locate(['from']), { line: 2, column: 11 })
    assert.deepEqual(source!.locate(['from'], 'key'), { line: 2, column: 3 })
    assert.deepEqual(source!.locate(['list', 1]), { line: 4, column: 5 })
    assert.deepEqual(source!.locate([]), { line: 1, column: 1 })
  })

  it('locates the nearest parent of what is not there', () => {
    const [source] = json('{\n  "a": {\n    "b": 1\n  }\n}')
    assert.deepEqual(source!.locate(['a', 'zz', 0]), { line: 2, column: 3 })
  })

  it('[A2-21] keeps numbers as they were written', () => {
    const [source] = json(
      '{"sha": 1234567890123456789012345678901234567890, "id": 15.10, "t": "x\\ty", "n": null}',
    )
    assert.equal(source!.raw(['sha']), '1234567890123456789012345678901234567890')
    assert.equal(source!.raw(['id']), '15.10')
    assert.equal(source!.raw(['t']), 'x\ty')
    assert.equal(source!.raw(['n']), 'null')
    assert.equal(source!.raw(['missing']), undefined)
    assert.equal(source!.raw([]), undefined)
  })

  it('keeps a number as its text where a double would be another one, wherever it stands', () => {
    const long = [
      '12345678901234567890',
      '1152921504606846976',
      '-0.12345678901234567891',
      '1.00000000000000000001',
      '12e4567',
      '1E-400',
    ]
    for (const number of long)
      for (const around of [(n: string) => `{"a": ${n}}`, (n: string) => `{"b":["x",[${n} ]]}`]) {
        const [source] = json(around(number))
        assert.deepEqual(source!.value, JSON.parse(around(`"${number}"`)))
        assert.deepEqual(codes(around(number)), ['long_number'])
      }
    const short =
      '{"a": 9007199254740991, "b": [1e3, 0.1, -12.50, 0.10000000000000001, 86.666666666666671, 2308484751285.7812, 1e22], "c": 5e-324, "d": "at: 12345678901234567890"}'
    assert.deepEqual(json(short)[0]!.value, JSON.parse(short))
    assert.deepEqual(codes(short), [])
  })

  it('names a key that is given twice and both of its lines, and keeps the first', () => {
    const [source] = json('{\n "a": 1,\n "b": {"c": 1,\n  "c": 2},\n "a": 3}')
    assert.deepEqual(source!.value, { a: 1, b: { c: 1 } })
    assert.deepEqual(
      source!.diagnostics.map(({ severity, code, message, line }) => [
        severity,
        code,
        message.slice(0, 40),
        line,
      ]),
      [
        ['error', 'duplicate_key', '"c" is given twice, first on line 3; kee', 4],
        ['error', 'duplicate_key', '"a" is given twice, first on line 2; kee', 5],
      ],
    )
  })

  it('counts no key twice that only looks like it in a text', () => {
    for (const text of [
      '{"a": "\\"a\\":", "b": "a:"}',
      '{"a\\"": 1, "a\\\\": 2}',
      '["a", "a"]',
      '{"": {"": 1}}',
    ])
      assert.deepEqual(codes(text), [], text)
  })

  it('makes plain data of keys that mean something to objects', () => {
    for (const text of [
      '{"__proto__": {"x": 1}, "constructor": 2}',
      '{"__proto__": {"x": 1}, "constructor": 2,}',
    ]) {
      const value = json(text)[0]!.value as Record<string, unknown>
      assert.deepEqual(Object.keys(value), ['__proto__', 'constructor'])
      assert.equal(Object.getPrototypeOf(value), Object.prototype)
      assert.equal(value.x, undefined)
    }
  })
})

describe('a text that is nearly JSON', () => {
  const cases: readonly (readonly [string, string, unknown])[] = [
    ['{"a": 1} // end', 'comment', { a: 1 }],
    ['{/* x */ "a": 1, # y\n "b": 2}', 'comment', { a: 1, b: 2 }],
    ['{"a": [1, 2,],}', 'trailing_comma', { a: [1, 2] }],
    ['{"a": "x\ny\tz"}', 'raw_control_character', { a: 'x\ny\tz' }],
    ["{'a': 'it\\'s'}", 'single_quotes', { a: "it's" }],
    ['{"a": None, "b": True, "c": False}', 'foreign_word', { a: null, b: true, c: false }],
    ['{"a": NaN, "b": -Infinity}', 'foreign_word', { a: null, b: null }],
    ['{a: 1, b_c: 2}', 'unquoted_key', { a: 1, b_c: 2 }],
    ['{"a": 007, "b": +1, "c": .5}', 'odd_number', { a: 7, b: 1, c: 0.5 }],
    ['{"a": "C:\\dir"}', 'bad_escape', { a: 'C:\\dir' }],
    ['{"a": 1 "b": 2}', 'missing_comma', { a: 1, b: 2 }],
    ['{"a": word, "b": 2}', 'unquoted_text', { a: 'word', b: 2 }],
    ['{"a" 1, "b": 2}', 'json_syntax', { a: 1, b: 2 }],
    ['{"a": 1, , "b": 2]}', 'json_syntax', { a: 1, b: 2 }],
  ]
  for (const [text, code, value] of cases)
    it(`is read and reported: ${JSON.stringify(text)}`, () => {
      const [source, ...others] = json(text)
      assert.deepEqual(source!.value, value)
      assert.ok(codes(text).includes(code), codes(text).join(' '))
      assert.deepEqual(others, [])
    })

  it('[A4-14] says where comments and trailing commas stand', () => {
    const [source] = json('{\n  // note\n  "a": 1,\n}')
    assert.deepEqual(
      source!.diagnostics.map(({ severity, code, line, column }) => [severity, code, line, column]),
      [
        ['warning', 'comment', 2, 3],
        ['warning', 'trailing_comma', 3, 9],
      ],
    )
  })

  it('gives a source for each of two objects that were pasted together', () => {
    const [first, second, ...others] = json('{"a": 1}\n{"b": 2}\n')
    assert.deepEqual([first!.value, second!.value, others], [{ a: 1 }, { b: 2 }, []])
    assert.deepEqual(first!.diagnostics, [])
    assert.deepEqual(second!.diagnostics[0]!.code, 'several_objects')
    assert.deepEqual(second!.locate(['b']), { line: 2, column: 7 })
  })

  it('that stand line by line are no surprise in a file of lines', () => {
    const text = '{"a":1}\n{"a":2}\n'

    const sources = sourcesOf(text, { path: 'queue/log.jsonl' })

    assert.deepEqual(
      sources.map(({ value, diagnostics }) => [value, diagnostics]),
      [
        [{ a: 1 }, []],
        [{ a: 2 }, []],
      ],
    )
  })

  it('reports text after the object', () => {
    const [source] = json('{"a": 1}\nHope this helps!\n')
    assert.deepEqual(source!.value, { a: 1 })
    assert.deepEqual(
      source!.diagnostics.map(({ code, line }) => [code, line]),
      [['text_after', 2]],
    )
  })

  it('is read up to where it was cut off', () => {
    const whole = '{"a": "x", "list": [1, {"b": true}], "n": 12, "z": null}'
    for (let length = 2; length < whole.length; length++) {
      const [source] = json(whole.slice(0, length))
      assert.deepEqual(
        source!.diagnostics.map(({ severity, code, line, column }) => [severity, code, line, column]),
        [['error', 'truncated', 1, length + 1]],
      )
    }
    assert.deepEqual(json(whole.slice(0, 32))[0]!.value, { a: 'x', list: [1, {}] })
    assert.deepEqual(json(whole.slice(0, 36))[0]!.value, { a: 'x', list: [1, { b: true }] })
  })

  it('gives no value and an error with a line when there is nothing', () => {
    for (const [text, code] of [
      ['', 'empty'],
      ['\n', 'empty'],
      ['{', 'truncated'],
      ['x', 'not_json'],
      ['// only this\n', 'empty'],
    ] as const) {
      const [source] = json(text)
      assert.equal(source!.value, undefined)
      assert.deepEqual(
        source!.diagnostics.map((found) => [found.severity, found.code, found.line]),
        [['error', code, 1]],
      )
    }
  })

  it('is found in a fence that fills the file, or a text without a path', () => {
    assert.equal(sourcesOf('```json\n{"a": 1}\n```\nand more\n')[0]!.kind, 'markdown')
    assert.deepEqual(sourcesOf('```json\n{"a": 1}\n```\n')[0]!.value, { a: 1 })
    const [source] = json('```json\n{"a": 1}\n```\n')
    assert.deepEqual(source!.value, { a: 1 })
    assert.deepEqual(
      source!.diagnostics.map(({ code, line }) => [code, line]),
      [['fenced_json', 1]],
    )
  })

  it('is told by the last ending of the path that is known', () => {
    const kind = (path: string) => sourcesOf('a: 1\n', { path })[0]!.kind
    assert.deepEqual(
      [
        'a.json',
        'a.JSON.processed',
        'a.json.md',
        'a.md.bak',
        'd.json/a.yml',
        'a',
        '.yaml',
        'a.constructor',
      ].map(kind),
      ['json', 'json', 'markdown', 'markdown', 'yaml', 'yaml', 'yaml', 'yaml'],
    )
  })

  it('is no JSON when a sentence only begins with a bracket', () => {
    for (const text of ['[link](x) and text', '{name} is here', '[x] done', '[1] a footnote'])
      assert.equal(sourcesOf(text)[0]!.kind, 'markdown', text)
  })
})
