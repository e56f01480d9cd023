import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkForeign } from './foreign-schema.ts'
import { compileSchema, type JsonSchema } from './json-schema.ts'
import { sentenceOf } from './schema-problems.ts'

/** Document 001's component requirements: every property has a type. */
const REQUIREMENTS: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['component_requirements'],
  properties: {
    component_requirements: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'type'],
        properties: {
          name: { type: 'string', pattern: '^[A-Z][A-Za-z]*$' },
          type: { enum: ['functional', 'class'] },
          props: { type: 'object', additionalProperties: { type: 'object', required: ['type'] } },
        },
        additionalProperties: false,
      },
    },
  },
}
const component = (change: object) => ({
  component_requirements: [{ name: 'UserProfile', type: 'functional', props: {}, ...change }],
})

describe('compileSchema', () => {
  it('[S1-55] [S1-61] names the field, the fault and the place in the schema as document 001 does', async () => {
    const validate = await compileSchema(REQUIREMENTS)

    assert.deepEqual(validate(component({ props: { userId: { required: true } } })), [
      {
        field: 'component_requirements[0].props.userId',
        error: "Missing required field 'type'",
        schema_path: '$.component_requirements[*].props.*',
      },
    ])
  })

  it("[S1-60] says it in document 001's sentence", async () => {
    const validate = await compileSchema(REQUIREMENTS)

    assert.equal(
      sentenceOf('Input', validate(component({ props: { userId: {} } }))),
      "Input validation failed: component_requirements[0].props.userId is missing required field 'type'",
    )
    assert.equal(
      sentenceOf('Output', validate({})),
      "Output validation failed: output is missing required field 'component_requirements'",
    )
  })

  it('passes what matches and tells each other kind of fault apart', async () => {
    const validate = await compileSchema(REQUIREMENTS)
    const faults = [
      component({}),
      component({ name: 7 }),
      component({ name: 'lower' }),
      component({ type: 'hook' }),
      component({ extra: 1 }),
      'text',
    ].map((value) => validate(value).map(({ field, error }) => `${field} ${error}`))

    assert.deepEqual(faults, [
      [],
      ['component_requirements[0].name must be string'],
      ['component_requirements[0].name must match pattern "^[A-Z][A-Za-z]*$"'],
      ['component_requirements[0].type must be one of "functional", "class"'],
      ["component_requirements[0] Unknown field 'extra'"],
      ['$ must be object'],
    ])
  })

  it('tells two patterns of one schema apart', async () => {
    const validate = await compileSchema({
      properties: { a: { pattern: '^a+$' }, b: { pattern: '^b+$' } },
    })

    assert.deepEqual(validate({ a: 'aa', b: 'bb' }), [])
    assert.deepEqual(
      validate({ a: 'bb', b: 'aa' }).map(({ field }) => field),
      ['a', 'b'],
    )
  })

  it('finds the place in the value where the schema refers to itself', async () => {
    const validate = await compileSchema({
      $ref: '#/$defs/node',
      $defs: {
        node: {
          required: ['id'],
          properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    })

    assert.deepEqual(validate({ id: 1, children: [{ id: 2, children: [{}] }] }), [
      {
        field: 'children[0].children[0]',
        error: "Missing required field 'id'",
        schema_path: '$.children[*].children[*]',
      },
    ])
  })

  it('reads draft-07 by its name, where a list of items means one schema for each place', async () => {
    const items = [{ type: 'string' }, { type: 'number' }]
    const validate = await compileSchema({ $schema: 'http://json-schema.org/draft-07/schema#', items })

    assert.deepEqual(validate(['a', 1]), [])
    assert.equal(validate([1, 'a']).length, 2)
    await assert.rejects(compileSchema({ $schema: 'http://json-schema.org/draft-04/schema#' }), {
      code: 'invalid_input',
      message: /draft-04.*use 2020-12 or draft-07/,
    })
  })

  it('reads a schema from a file, and says which file cannot be read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'baton-schema-'))
    try {
      writeFileSync(join(folder, 'good.json'), JSON.stringify(REQUIREMENTS))
      writeFileSync(join(folder, 'bad.json'), '{')

      assert.deepEqual((await compileSchema('good.json', folder))(component({})), [])
      await assert.rejects(compileSchema('bad.json', folder), { code: 'invalid_input', message: /bad\.json/ })
      await assert.rejects(compileSchema('none.json', folder), { code: 'not_found', message: /none\.json/ })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('a schema that would do harm', () => {
  const deep = (levels: number): JsonSchema =>
    Array.from({ length: levels }).reduce<JsonSchema>((inner) => ({ not: inner }), {})
  const refused: Readonly<Record<string, JsonSchema>> = {
    'more than 64 KB': { description: 'x'.repeat(65 * 1024) },
    'more than 32 levels': deep(40),
    'three thousand levels': deep(3_000),
    'more than a thousand parts': {
      properties: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`p${i}`, {}])),
    },
    'a reference to another machine': { $ref: 'https://example.org/schema.json' },
    'a list of unique objects': { type: 'array', uniqueItems: true, items: { type: 'object' } },
    'a pattern that looks around': { pattern: '^(?=a)b' },
    'a type that does not exist': { type: 'text' },
    'a reference to nothing': { $ref: '#/$defs/none' },
  }
  for (const [what, schema] of Object.entries(refused)) {
    it(`is refused: ${what}`, async () => {
      await assert.rejects(compileSchema(schema), (error: { code: string }) =>
        ['invalid_input', 'too_large'].includes(error.code),
      )
    })
  }

  it('allows unique plain values', async () => {
    const validate = await compileSchema({ type: 'array', uniqueItems: true, items: { type: 'string' } })

    assert.equal(validate(['a', 'b', 'a']).length, 1)
  })

  it('[T15] matches a hostile pattern in linear time', async () => {
    const validate = await compileSchema({ pattern: '^(a+)+$' })
    const started = performance.now()

    assert.equal(validate(`${'a'.repeat(50_000)}!`).length, 1)
    assert.ok(performance.now() - started < 5_000)
  })

  it('refuses data with too many list items, or nested deeper than its schema can follow', async () => {
    const lists = await compileSchema({ type: 'array' })
    const endless = await compileSchema({ $ref: '#' })

    assert.match(lists(Array.from({ length: 10_001 }))[0]!.error, /more than 10000 list items/)
    assert.match(endless({})[0]!.error, /nested too deeply/)
  })

  it('never throws on any value', async () => {
    const validate = await compileSchema(REQUIREMENTS)

    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.ok(Array.isArray(validate(value)))
      }),
    )
  })
})

describe('checkForeign', () => {
  it('answers the same from a thread of its own', async () => {
    const validate = await compileSchema(REQUIREMENTS)
    const value = component({ name: 7, props: { userId: {} } })

    assert.deepEqual(await checkForeign(REQUIREMENTS, value), validate(value))
  })

  it('passes on why a schema cannot be used', async () => {
    await assert.rejects(checkForeign({ type: 'text' }, {}), {
      code: 'invalid_input',
      message: /the schema cannot be used/,
    })
  })

  it('ends a check that takes too long, and counts it against the value', async () => {
    // Each level asks for the next one twice: thirty levels are a thousand million questions.
    const levels = Array.from({ length: 30 }, (_, i) => [
      `l${i}`,
      { anyOf: [{ $ref: `#/$defs/l${i + 1}` }, { $ref: `#/$defs/l${i + 1}` }] },
    ])
    const schema = { $ref: '#/$defs/l0', $defs: { ...Object.fromEntries(levels), l30: { type: 'string' } } }

    const started = performance.now()
    const [problem] = await checkForeign(schema, 1, 1_500)

    assert.ok(performance.now() - started < 10_000)
    assert.equal(problem?.error, 'could not be checked within 1.5 s')
  })
})
