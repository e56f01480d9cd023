import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MAX_ALIASES, MAX_DEPTH, MAX_YAML_LENGTH } from '../limits.ts'
import { sourcesOf } from '../sources.ts'

const yaml = (text: string) => sourcesOf(text, { path: 'a/b.yaml' })[0]!
const found = (text: string) =>
  yaml(text).diagnostics.map(({ severity, code, line, column }) => [severity, code, line, column])

describe('a YAML text', () => {
  it('gives its value, with or without a path', () => {
    const text = '# top\nhandoff:\n  to: "@x"\n  n: 1\n  list: [a, b]\n'
    for (const options of [{}, { path: 'x.yml' }]) {
      const [source, ...others] = sourcesOf(text, options)
      assert.equal(source!.kind, 'yaml')
      assert.deepEqual(source!.value, { handoff: { to: '@x', n: 1, list: ['a', 'b'] } })
      assert.deepEqual([source!.diagnostics, others], [[], []])
    }
  })

  it('[A0-24] leaves times as text and takes numbers, booleans and null as the core schema says', () => {
    const { value } = yaml('t: 2026-02-21T14:30:00Z\nd: 2026-02-21\nyes: yes\nb: true\nn: ~\nf: 1.5\ne:\n')
    const t = '2026-02-21T14:30:00Z'
    assert.deepEqual(value, { t, d: '2026-02-21', yes: 'yes', b: true, n: null, f: 1.5, e: null })
  })

  it('[A2-21] keeps numbers and keys as they were written', () => {
    const source = yaml(
      'ids: [12, 15.10, 007]\nsha: 1234567890123456789012345678901234567890\n2026: x\n1.10: y\n',
    )
    assert.deepEqual(
      [0, 1, 2].map((index) => source.raw(['ids', index])),
      ['12', '15.10', '007'],
    )
    assert.equal(source.raw(['sha']), '1234567890123456789012345678901234567890')
    assert.deepEqual(Object.keys(source.value as object), ['2026', 'ids', 'sha', '1.10'])
  })

  it('locates keys, values and elements', () => {
    const source = yaml('a: 1\nb:\n  - x\n  - k: v\nc:\n')
    assert.deepEqual(source.locate(['b', 1, 'k']), { line: 4, column: 8 })
    assert.deepEqual(source.locate(['b', 1, 'k'], 'key'), { line: 4, column: 5 })
    assert.deepEqual(source.locate(['c']), { line: 5, column: 1 })
    assert.deepEqual(source.locate(['b', 7]), { line: 2, column: 1 })
  })

  it('gives a source for each document of a stream, with its own places', () => {
    const sources = sourcesOf('a: 1\n---\n# note\nb:\n  c: 2\n---\n---\nd: 3\n...\n', { path: 'x.yaml' })
    assert.deepEqual(
      sources.map(({ value }) => value),
      [{ a: 1 }, { b: { c: 2 } }, { d: 3 }],
    )
    assert.deepEqual(sources[1]!.locate(['b', 'c']), { line: 5, column: 6 })
    assert.equal(sources[1]!.text.slice(sources[1]!.start, sources[1]!.end).includes('c: 2'), true)
  })

  it('makes plain data of keys that mean something to objects', () => {
    const value = yaml('__proto__:\n  x: 1\ntoString: 2\n').value as Record<string, unknown>
    assert.deepEqual(Object.keys(value), ['__proto__', 'toString'])
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
    assert.equal(value.x, undefined)
  })

  it('reads aliases, and neither merges nor resolves tags', () => {
    const source = yaml('a: &x {b: 1}\nc: *x\nd:\n  <<: *x\ne: !point 3,4\n')
    assert.deepEqual(source.value, { a: { b: 1 }, c: { b: 1 }, d: { '<<': { b: 1 } }, e: '3,4' })
    assert.deepEqual(
      source.diagnostics.map(({ code, line }) => [code, line]),
      [['tag_ignored', 5]],
    )
  })
})

describe('a text that is nearly YAML', () => {
  it('[A2-03] is read with unquoted names of agents, each reported, but not inside of texts', () => {
    const text = 'from: @a # who\nto:\n  - @b\nflow: [@c, `d`]\nkeep: |\n  @x: y\nquoted: "\n  @z"\n'
    const value = { from: '@a', to: ['@b'], flow: ['@c', '`d`'], keep: '@x: y\n', quoted: ' @z' }
    assert.deepEqual(yaml(text).value, value)
    assert.deepEqual(found(text), [
      ['warning', 'unquoted_at', 1, 7],
      ['warning', 'unquoted_at', 3, 5],
      ['warning', 'unquoted_at', 4, 8],
      ['warning', 'unquoted_at', 4, 12],
    ])
  })

  it('[A2-15] names a key that is given twice and keeps the first', () => {
    const source = yaml('a: 1\nb:\n  c: 1\n  c: 2\na: 3\n')
    assert.deepEqual(source.value, { a: 1, b: { c: 1 } })
    assert.deepEqual(found('a: 1\na: 3\n'), [['error', 'duplicate_key', 2, 1]])
    assert.match(source.diagnostics[0]!.message, /"c" is given twice, first on line 3/)
  })

  const cases: readonly (readonly [string, unknown, readonly unknown[]])[] = [
    ['a:\n\tb: 1\n\tc: 2\nd: 3\n', { a: { b: 1, c: 2 }, d: 3 }, ['warning', 'tab_indent', 2, 1]],
    ['a: 1\nstatus:open\nb: 2\n', { a: 1, status: 'open', b: 2 }, ['warning', 'missing_space', 2, 8]],
    ['a: Fixed: it\nb: 1\n', { a: 'Fixed: it', b: 1 }, ['warning', 'unquoted_text', 1, 4]],
    ['a: "x" and y\nb: 1\n', { a: '"x" and y', b: 1 }, ['warning', 'unquoted_text', 1, 4]],
    ["a: *bold* it's\nb: 1\n", { a: "*bold* it's", b: 1 }, ['warning', 'unquoted_text', 1, 4]],
    ['- [ ] open\n- [x] done: yes\n', ['[ ] open', '[x] done: yes'], ['warning', 'unquoted_text', 1, 3]],
    ['a: "never closed\nb: 2\n', { a: 'never closed', b: 2 }, ['error', 'unclosed_quote', 1, 4]],
    ['a: [1, 2\nb: 3\n', { a: [1, 2], b: 3 }, ['error', 'unclosed_bracket', 2, 1]],
    ['h:\n  a: 1\n b: 2\n  c: 3\n', { h: { a: 1, b: 2, c: 3 } }, ['error', 'yaml_syntax', 3, 2]],
    ['a: %x\nb: 1\n', { a: '%x', b: 1 }, ['warning', 'unquoted_sign', 1, 4]],
    ['a: "\\q"\nb: 1\n', { a: '\\q', b: 1 }, ['warning', 'bad_escape', 1, 4]],
  ]
  for (const [text, value, diagnostic] of cases)
    it(`is read and reported: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(yaml(text).value, value)
      assert.deepEqual(found(text)[0], diagnostic)
    })

  it('finds values after a repair where they stand in the text', () => {
    const source = yaml('a:\n\tb: "x"\n\tc: 15.10\nd:e\nf: 1\n')
    assert.deepEqual(source.locate(['a', 'c']), { line: 3, column: 5 })
    assert.equal(source.raw(['a', 'c']), '15.10')
    assert.deepEqual(source.locate(['f']), { line: 5, column: 4 })
  })

  it('gives the lines at the margin that can still be read', () => {
    const { value, diagnostics } = yaml('a: 1\nb: {x: [}\n  y: ]\nstatus: open\nto: "@x"\n')
    assert.ok(diagnostics.some(({ severity }) => severity === 'error'))
    assert.equal((value as Record<string, unknown>).status, 'open')
    assert.equal((value as Record<string, unknown>).a, 1)
  })

  it('has an error when it says nothing', () => {
    for (const text of ['', '\n', '# only a comment\n', '---\n---\n']) {
      assert.equal(yaml(text).value, undefined)
      assert.deepEqual(found(text), [['error', 'empty', 1, 1]])
    }
  })
})

describe('YAML that asks too much', () => {
  it('is refused beyond a length', () => {
    assert.deepEqual(found('a: b\n'.repeat(MAX_YAML_LENGTH / 5 + 1)), [['error', 'too_large', 1, 1]])
  })

  it('is cut below a depth, in brackets and in lines', () => {
    const lines = Array.from({ length: MAX_DEPTH + 20 }, (_, level) => `${' '.repeat(level)}a:\n`).join('')
    for (const text of ['['.repeat(100_000), '- '.repeat(1000), '? '.repeat(1000), lines])
      assert.equal(yaml(text).diagnostics[0]?.code, 'too_deep')
    assert.deepEqual(found(`a: ${'['.repeat(40)}${']'.repeat(40)}\n`), [])
  })

  it('is cut where aliases multiply', () => {
    const laughs = Array.from({ length: 12 }, (_, i) => `k${i}: &a${i} [${`*a${i - 1}, `.repeat(i && 9)}]\n`)
    const source = yaml(laughs.join(''))
    assert.deepEqual(
      source.diagnostics.map(({ severity, code }) => [severity, code]),
      [['error', 'too_many_aliases']],
    )
    assert.ok(JSON.stringify(source.value).length < 1_000_000)
    assert.deepEqual(found(`a: &a x\nb: [${'*a, '.repeat(MAX_ALIASES)}]\n`), [])
  })

  it('has no value for an alias of itself or of nothing', () => {
    assert.deepEqual(yaml('a: &x\n  b: *x\n').value, { a: { b: null } })
    assert.deepEqual(found('b: [*y]\n'), [['error', 'unknown_alias', 1, 5]])
  })
})
