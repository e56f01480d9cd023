import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { checkAgainstSchemaFile } from './schema-folder.ts'
import { sentenceOf } from './schema-problems.ts'

const TUPLE = [{ type: 'string' }, { type: 'number' }]
const FILES: Readonly<Record<string, unknown>> = {
  'builder.input.schema.json': {
    type: 'object',
    required: ['routes'],
    properties: {
      routes: { type: 'object', additionalProperties: { type: 'object', required: ['method'] } },
    },
  },
  // A list of items is one schema for each place in draft-07, and no schema at all in 2020-12.
  'tuple.json': { items: TUPLE },
  'tuple-07.json': { $schema: 'http://json-schema.org/draft-07/schema#', items: TUPLE },
  'tuple-2020.json': { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: TUPLE },
  'old.json': { $schema: 'http://json-schema.org/draft-04/schema#' },
  'remote.json': { $ref: 'https://example.org/schema.json' },
  'local.json': { $ref: 'other.json' },
  'list.json': [],
  'hostile.json': { properties: { text: { pattern: '^(a+)+$' } } },
  'large.json': { description: 'x'.repeat(300_000) },
}

describe('a schema from the folder', () => {
  let root: string
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'baton-schemas-'))
    mkdirSync(join(root, 'schemas', 'deep'), { recursive: true })
    for (const [name, schema] of Object.entries(FILES))
      writeFileSync(join(root, 'schemas', name), JSON.stringify(schema, undefined, 2))
    writeFileSync(join(root, 'schemas', 'broken.json'), '{')
    writeFileSync(join(root, 'schemas', 'marked.json'), '\ufeff{"type": "string"}')
    writeFileSync(join(root, 'schemas', 'deep', 'inner.json'), '{"type": "string"}')
    writeFileSync(join(root, 'secret.json'), '{"type": "string"}')
    symlinkSync(join(root, 'secret.json'), join(root, 'schemas', 'link.json'))
    symlinkSync(tmpdir(), join(root, 'outside'))
  })
  after(() => rmSync(root, { recursive: true }))

  const check = (name: string, value: unknown, folder?: string) =>
    checkAgainstSchemaFile({ root, name, value, ...(folder !== undefined && { folder }) })
  const skippedBy = async (name: string, folder?: string) => {
    const answer = await check(name, 'text', folder)
    return 'skipped' in answer ? answer.skipped : `ok: ${answer.ok}`
  }

  it("[S1-55] [S1-60] [S1-61] judges a value, and its faults make document 001's failure", async () => {
    const name = 'builder.input.schema.json'
    assert.deepEqual(await check(name, { routes: {} }), { ok: true, errors: [] })
    const answer = await check(name, { routes: { orders: {} } })

    assert.ok('errors' in answer && !answer.ok)
    assert.equal(
      sentenceOf('Input', answer.errors),
      "Input validation failed: routes.orders is missing required field 'method'",
    )
    assert.deepEqual(answer.errors, [
      { field: 'routes.orders', error: "Missing required field 'method'", schema_path: '$.routes.*' },
    ])
  })

  it('[S1-22] is skipped with a word about it where it is not there', async () => {
    const answer = await check('none.json', {})

    assert.ok('skipped' in answer)
    assert.equal(answer.skipped, 'absent')
    assert.match(
      answer.message,
      /schemas\/none\.json was not found, so nothing was checked; add the file, or remove its name/,
    )
    assert.equal(await skippedBy('x.json', 'no-such-folder'), 'absent')
  })

  it('is read as draft-07 unless it says otherwise', async () => {
    for (const name of ['tuple.json', 'tuple-07.json', 'tuple-2020.json']) {
      const answer = await check(name, [1, 'a'])
      assert.ok('errors' in answer)
      assert.equal(answer.errors.length, 2, name)
    }
    assert.equal(await skippedBy('old.json'), 'unusable')
  })

  it('[T15] never comes from outside of its folder', async () => {
    const names = [
      '../secret.json',
      'deep/../../secret.json',
      '/etc/hostname',
      'C:\\x.json',
      '..\\secret.json',
      '',
      'a\0',
    ]
    for (const name of names) assert.equal(await skippedBy(name), 'unsafe_name', JSON.stringify(name))
    assert.equal(await skippedBy('link.json'), 'unsafe_name')
    assert.equal(await skippedBy('x.json', 'outside'), 'unsafe_name')
    assert.equal(await skippedBy('x.json', '..'), 'unsafe_name')
    assert.equal(await skippedBy('deep/inner.json'), 'ok: true')
  })

  it('is skipped where it cannot be used, and says why', async () => {
    for (const name of ['remote.json', 'local.json', 'list.json', 'broken.json', 'large.json', 'deep'])
      assert.equal(await skippedBy(name), 'unusable', name)
    assert.equal(await skippedBy('marked.json'), 'ok: true')
  })

  it('matches a hostile pattern in linear time', async () => {
    const answer = await check('hostile.json', { text: `${'a'.repeat(50_000)}!` })

    assert.ok('errors' in answer)
    assert.deepEqual(
      answer.errors.map(({ field }) => field),
      ['text'],
    )
  })
})
