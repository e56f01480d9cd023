import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Fields, fieldsOf } from './fields.ts'
import { sourcesOf } from './text/sources.ts'
import { PRIORITY_WORDS } from './text/words.ts'

const yaml = (text: string) => fieldsOf(sourcesOf(text, { path: 'x.yaml' })[0]!)!
const json = (value: unknown) => fieldsOf(sourcesOf(JSON.stringify(value), { path: 'x.json' })[0]!)!
const found = ({ diagnostics }: Fields) =>
  diagnostics.map(({ severity, code, line, column }) => [severity, code, line, column])
const codes = ({ diagnostics }: Fields) => diagnostics.map(({ code }) => code)

describe('fields of a mapping', () => {
  it('are there only for a mapping', () => {
    const [list] = sourcesOf('[1]')
    const [nested] = sourcesOf('{"a": {"b": {"c": 1}}}')
    assert.equal(fieldsOf(list!), undefined)
    assert.equal(fieldsOf(nested!, ['a', 'b', 'c']), undefined)
    assert.equal(fieldsOf(nested!, ['__proto__']), undefined)
    assert.equal(fieldsOf(nested!, ['a', 'b'])!.number('c'), 1)
  })

  it('are found under other spellings, and the place is kept', () => {
    const fields = yaml('top:\n  Status: a\n  assigned-to: b\n  createdAt: c\n  old: d\n').below('top')!
    assert.equal(fields.text('status'), 'a')
    assert.equal(fields.text('assigned_to'), 'b')
    assert.equal(fields.text('created_at'), 'c')
    assert.equal(fields.text('new', 'old'), 'd')
    assert.equal(fields.text('status'), 'a')
    assert.deepEqual(
      [...fields.places],
      [
        ['top.status', ['top', 'Status']],
        ['top.assigned_to', ['top', 'assigned-to']],
        ['top.created_at', ['top', 'createdAt']],
        ['top.new', ['top', 'old']],
      ],
    )
    assert.deepEqual(codes(fields), ['key_spelling', 'key_spelling', 'key_spelling'])
  })

  it('are never those of a prototype', () => {
    const fields = json({ a: 1 })
    for (const name of ['constructor', '__proto__', 'toString']) {
      assert.equal(fields.has(name), false)
      assert.equal(fields.value(name), undefined)
    }
  })

  it('that were not asked for are the rest, with their values', () => {
    const fields = yaml('a: 1\nb: {c: 1, d: 2}\n__proto__: x\ne: 3\n')
    fields.number('a')
    fields.below('b')!.number('c')
    fields.has('e')
    const rest = fields.rest()
    assert.deepEqual(Object.keys(rest), ['__proto__', 'e'])
    assert.deepEqual(fields.below('b')!.rest(), { d: 2 })
  })
})

describe('a text field', () => {
  it('[A2-21] is a scalar as it was written', () => {
    const fields = yaml('id: 15.10\nsha: 0012345678\nb: true\ns: "x"\nn: ~\nblank: "  "\n')
    assert.deepEqual(
      ['id', 'sha', 'b', 's', 'n', 'blank', 'none'].map((name) => fields.text(name)),
      ['15.10', '0012345678', 'true', 'x', undefined, undefined, undefined],
    )
    assert.deepEqual(fields.diagnostics, [])
  })

  it('that is a list or a mapping is reported where it stands', () => {
    const fields = yaml('a: x\nb:\n  - 1\n  - 2\nc: {k: v}\n')
    assert.deepEqual([fields.text('b'), fields.text('c')], [undefined, undefined])
    assert.deepEqual(found(fields), [
      ['error', 'not_text', 3, 3],
      ['error', 'not_text', 5, 4],
    ])
  })

  it('[A4-18] that was left to be filled in is kept and reported', () => {
    const fields = yaml('a: "[agent-id]"\nb: "{name}"\nc: <who>\nd: [X]\ne: "[x] done"\n')
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => fields.text(name)),
      ['[agent-id]', '{name}', '<who>', '[X]', '[x] done'],
    )
    assert.deepEqual(codes(fields), ['placeholder', 'placeholder', 'placeholder', 'placeholder'])
  })
})

describe('a text field in brackets', () => {
  it('is what was left to be filled in, or a list of one', () => {
    const fields = yaml('a: [Agent Name]\nb: {name}\nc: ["x"]\nd:\n  - 15.10\ne: {k: v}\n')
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => fields.text(name)),
      ['[Agent Name]', '{name}', 'x', '15.10', undefined],
    )
    assert.deepEqual(codes(fields), ['placeholder', 'placeholder', 'list_of_one', 'list_of_one', 'not_text'])
  })
})

describe('a message', () => {
  it('quotes a value on one line, cut, and without signs that a terminal obeys', () => {
    const fields = json({ a: `x\u001b[31m\n${'y'.repeat(500)}`, b: Array(1000).fill('z') })
    fields.number('a')
    fields.number('b')
    for (const { message } of fields.diagnostics) {
      assert.match(message, /^[ -~…]+$/)
      assert.ok(message.length < 150, message)
    }
  })
})

describe('an agent field', () => {
  it('[A1-22] is without its sign and its title', () => {
    const fields = json({ a: '@codex', b: 'Grok (Chief)', c: ' react-specialist ', d: '@@x', e: null, f: '' })
    assert.deepEqual(
      ['a', 'b', 'c', 'e', 'f'].map((name) => fields.agent(name)),
      ['codex', 'Grok', 'react-specialist', undefined, undefined],
    )
    assert.deepEqual(fields.diagnostics, [])
    assert.equal(fields.agent('d'), '@x')
    assert.deepEqual(codes(fields), ['bad_agent_name'])
  })

  it('[A2-04] that cannot be a name is kept and reported', () => {
    const fields = json({ a: 'the team', b: '@', c: 'x'.repeat(65), d: '[agent-id]' })
    assert.deepEqual(
      [fields.agent('a'), fields.agent('b'), fields.agent('d')],
      ['the team', undefined, '[agent-id]'],
    )
    assert.equal(fields.agent('c')!.length, 65)
    assert.deepEqual(codes(fields), ['bad_agent_name', 'bad_agent_name', 'placeholder', 'bad_agent_name'])
  })
})

describe('a number or boolean field', () => {
  it('[A2-20] is taken from a text with a warning', () => {
    const fields = json({ n: '3', x: 'three', l: [1], b: 'yes', c: 1, d: true, e: 0 })
    assert.deepEqual(
      ['n', 'x', 'l', 'e'].map((name) => fields.number(name)),
      [3, undefined, undefined, 0],
    )
    assert.deepEqual(
      ['b', 'c', 'd'].map((name) => fields.boolean(name)),
      [true, undefined, true],
    )
    assert.deepEqual(codes(fields), [
      'number_as_text',
      'not_a_number',
      'not_a_number',
      'boolean_as_text',
      'not_a_boolean',
    ])
  })
})

describe('a time field', () => {
  it('is an instant, and odd forms are reported with the right one', () => {
    const fields = yaml('a: 2026-02-21T14:30:00Z\nb: 2026-02-21T08:30:00-0600\nc: 2026-02-21 14:30\n')
    for (const name of ['a', 'b', 'c']) assert.equal(fields.time(name), '2026-02-21T14:30:00Z')
    assert.deepEqual(found(fields), [
      ['info', 'time_odd_zone', 2, 4],
      ['info', 'time_space', 3, 4],
      ['warning', 'time_no_zone', 3, 4],
    ])
    assert.match(fields.diagnostics[0]!.message, /write 2026-02-21T14:30:00Z/)
  })

  it('that cannot be read is reported with an example', () => {
    const fields = yaml('a: tomorrow\nb: 2026-02-30\nc: [date]\n')
    for (const name of ['a', 'b', 'c']) assert.equal(fields.time(name), undefined)
    assert.deepEqual(codes(fields), ['bad_time', 'bad_time', 'placeholder'])
    assert.match(fields.diagnostics[0]!.message, /"tomorrow".*2026-02-21T14:30:00Z/)
  })
})

describe('a list field', () => {
  it('that is a mapping is told to be a list', () => {
    const fields = yaml('dependencies: {a: 1}\n')

    assert.equal(fields.list('dependencies'), undefined)
    const [{ message } = { message: '' }] = fields.diagnostics
    assert.equal(message, 'dependencies must be a list of texts; a mapping was found')
  })

  it('has scalars as written, and a lone one counts with a warning', () => {
    const fields = yaml('a: [12, 15.10, x]\nb: lone\nc: []\nd: ~\n')
    assert.deepEqual(fields.list('a'), ['12', '15.10', 'x'])
    assert.deepEqual(fields.list('b'), ['lone'])
    assert.deepEqual(fields.list('c'), [])
    assert.equal(fields.list('d'), undefined)
    assert.deepEqual(codes(fields), ['not_a_list'])
  })

  it('takes a text with a colon that YAML makes a mapping of', () => {
    const fields = yaml('a:\n  - Endpoints: 15.10\n  - plain\n  - {x: 1, y: 2}\n  - Tests: {count}\n')
    assert.deepEqual(fields.list('a'), ['Endpoints: 15.10', 'plain', 'Tests: {count}'])
    assert.deepEqual(found(fields), [
      ['warning', 'unquoted_colon', 2, 5],
      ['error', 'not_text', 4, 5],
      ['warning', 'unquoted_colon', 5, 5],
    ])
  })
})

describe('a word field', () => {
  it('tolerates and reports synonyms, and lists the words for an unknown one', () => {
    const fields = json({ a: 'high', b: 'Urgent', c: 'banana' })
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => fields.word(PRIORITY_WORDS, name)),
      ['high', 'critical', undefined],
    )
    assert.deepEqual(codes(fields), ['odd_priority', 'unknown_priority'])
    assert.match(fields.diagnostics[1]!.message, /"banana".*critical, high, normal, low/)
  })
})

describe('fields below', () => {
  it('share the findings and know their place', () => {
    const fields = yaml('a:\n  b:\n    n: x\nlist:\n  - n: y\n  - text\n  - n: 1\n')
    fields.below('a')!.below('b')!.number('n')
    const each = fields.each('list')!
    assert.deepEqual(
      each.map((item) => (typeof item === 'string' ? item : item.number('n'))),
      [undefined, 'text', 1],
    )
    assert.deepEqual(found(fields), [
      ['error', 'not_a_number', 3, 8],
      ['error', 'not_a_number', 5, 8],
    ])
  })

  it('are reported where there is no mapping, and one alone is a list of one', () => {
    const fields = yaml('a: x\nb: {n: 1}\nc: [1]\nd: ~\n')
    assert.equal(fields.below('a'), undefined)
    assert.equal(fields.below('c'), undefined)
    assert.equal(fields.below('d'), undefined)
    assert.deepEqual(
      fields.each('b')!.map((item) => (item as Fields).number('n')),
      [1],
    )
    assert.deepEqual(fields.each('a'), ['x'])
    assert.deepEqual(codes(fields), ['not_a_mapping', 'not_a_mapping', 'not_a_list', 'not_a_list'])
  })

  it('report at a path of their own', () => {
    const fields = yaml('a:\n  b: 1\n').below('a')!
    fields.report('info', 'odd', 'message', 'b')
    assert.deepEqual(found(fields), [['info', 'odd', 2, 6]])
  })
})
