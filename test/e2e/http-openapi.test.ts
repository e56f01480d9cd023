import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { loadOperations } from '../../src/operations/index.ts'
import { openApi } from '../../src/transports/http/server/openapi.ts'
import { serve } from '../../src/transports/http/server/serve.ts'
import { openWorkspace } from '../support/program/workspace.ts'
import { newToken } from '../support/servers/http-workspace.ts'
import { OPENAPI_31 } from '../support/servers/openapi-schema.ts'

interface Operation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, object>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

const document = JSON.parse(JSON.stringify(openApi(await loadOperations()))) as Document
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

describe('the OpenAPI document', () => {
  it('is one by the rules of OpenAPI 3.1', () => {
    const check = newAjv().compile(OPENAPI_31)

    assert.ok(check(document), JSON.stringify(check.errors?.slice(0, 5), undefined, 1))
  })

  it('is held to those rules by a schema that knows what is wrong', () => {
    const check = newAjv().compile(OPENAPI_31)
    // biome-ignore lint/suspicious/noExplicitAny: what is spoilt here has no type
    const broken: readonly ((copy: any) => unknown)[] = [
      (copy) => (copy.openapi = '3.0.3'),
      (copy) => delete copy.info.version,
      (copy) => (copy.paths['no-slash'] = {}),
      (copy) => (copy.paths['/v1/inbox'].fetch = {}),
      (copy) => delete copy.paths['/v1/inbox'].get.responses[200].description,
      (copy) => (copy.paths['/v1/inbox'].get.responses.ok = { description: 'x' }),
      (copy) => (copy.paths['/v1/inbox'].get.parameters[0].in = 'body'),
      (copy) => delete copy.paths['/v1/inbox'].get.parameters[0].schema,
      (copy) => delete copy.paths['/v1/handoffs/{id}'].get.parameters[0].required,
      (copy) => (copy.paths['/v1/inbox'].get.extra = 1),
      (copy) =>
        (copy.paths['/v1/inbox'].get.parameters[0] = { name: 'Authorization', in: 'header', schema: {} }),
      (copy) => (copy.components.schemas['a b'] = {}),
      (copy) => delete copy.components.securitySchemes.token.scheme,
    ]
    for (const spoil of broken) {
      const copy = structuredClone(document)
      spoil(copy)
      assert.equal(check(copy), false, String(spoil))
    }
  })

  it('names each operation once, with a parameter for every field of its path and no other', () => {
    const ids = described.map(({ operation }) => operation.operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const { path, operation } of described) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const given = (operation.parameters ?? []).filter((each) => each.in === 'path').map(({ name }) => name)
      assert.deepEqual(given, inPath, operation.operationId)
      const places = (operation.parameters ?? []).map((each) => `${each.in} ${each.name.toLowerCase()}`)
      assert.equal(new Set(places).size, places.length, operation.operationId)
    }
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))
    assert.equal(new Set(shapes).size, shapes.length)
  })

  it('refers to nothing that is not in it, and every tag and scheme is declared', () => {
    for (const [, pointer] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      const found = pointer!
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
      assert.ok(typeof found === 'object', `${pointer} leads nowhere`)
    }
    const used = described.flatMap(({ operation }) => operation.tags ?? [])
    assert.deepEqual(
      document.tags.map(({ name }) => name),
      [...new Set(used)].sort(),
    )
    for (const { name, description } of document.tags) assert.match(description, /^[A-Z].*\.$/, name)
    const schemes = Object.keys(document.components.securitySchemes ?? {})
    for (const each of document.security)
      for (const name of Object.keys(each)) assert.ok(schemes.includes(name))
  })

  it('has no part that nothing refers to, and a refusal for every operation', () => {
    const text = JSON.stringify(document)
    for (const kind of ['schemas', 'responses'] as const)
      for (const name of Object.keys(document.components[kind] ?? {}))
        assert.ok(text.includes(`"#/components/${kind}/${name}"`), name)
    for (const { operation } of described)
      assert.ok(
        Object.keys(operation.responses).some((status) => /^4/.test(status)),
        operation.operationId,
      )
  })

  it('holds schemas that are JSON Schema of 2020-12', () => {
    const ajv = newAjv()
    const schemas = [...schemasIn(document.paths), ...Object.values(document.components.schemas ?? {})]
    assert.ok(schemas.length > 200)
    for (const schema of schemas)
      assert.ok(ajv.validateSchema(schema), `${JSON.stringify(schema).slice(0, 200)}: ${ajv.errorsText()}`)
  })
})

describe('a client made of the document alone', () => {
  it('carries a handoff from its sending to its end, and every answer is as described', async (t) => {
    const { service, beside } = await openWorkspace(t)
    const server = await serve({ service: await beside(), port: 0, signals: false, log: () => undefined })
    t.after(() => server.close())
    const tokens = [await newToken(service, 'ana'), await newToken(service, 'codex')]

    const { stdout } = await promisify(execFile)(
      'python3',
      [resolve(import.meta.dirname, '../support/servers/openapi_client.py'), server.url, ...tokens],
      { maxBuffer: 64 * 1024 * 1024 },
    )

    const calls = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.ok(calls.length > 40)
    const check = answerCheck()
    for (const { operation, status, type, body } of calls) check(operation, status, type, body)
    const { items } = await service.looking.list({ state: ['completed'] }, { limit: 5 })
    assert.deepEqual(
      items.map(({ from, to, trace }) => [from, to, trace?.traceparent.slice(3, 11)]),
      [['ana', 'codex', '4bf92f35']],
    )
  })
})

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  ajvFormats.default(ajv)
  return ajv
}

/** Holds an answer against what the document says of it. */
function answerCheck(): (operation: string, status: number, type: string, body: unknown) => void {
  const ajv = newAjv()
  ajv.addSchema({ $id: 'doc', ...document } as object)
  const compiled = new Map<string, ValidateFunction>()
  return (name, status, type, body) => {
    const { path, method, operation } = described.find((each) => each.operation.operationId === name)!
    const said = operation.responses[status] as
      | { $ref?: string; content?: Record<string, object> }
      | undefined
    assert.ok(said, `${name} may not answer ${status}`)
    if (status === 304) return assert.equal(body, '')
    const pointer =
      said.$ref === undefined ? `#/paths/${escaped(path)}/${method}/responses/${status}` : said.$ref
    const at = `doc${pointer}/content/${escaped(type)}/schema`
    const check = compiled.get(at) ?? ajv.compile({ $ref: at })
    compiled.set(at, check)
    assert.ok(check(body), `${name} ${status}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(body)}`)
  }
}

const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

function schemasIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'schema' && typeof inner === 'object' ? [inner as object] : schemasIn(inner),
  )
}
