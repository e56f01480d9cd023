/**
 * What the OpenAPI specification 3.1 says of the objects that a document may hold, as JSON Schema. Written from the
 * specification's tables of fields; objects that Baton does not use (callbacks, links, encodings, webhooks, examples)
 * are left out, so a document that begins to use one is refused here until its table is added.
 */

type Json = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const ref = (name: string): Json => ({ $ref: `#/$defs/${name}` })
const mapOf = (values: Json): Json => ({ type: 'object', additionalProperties: values })
const either = (name: string): Json => ({ oneOf: [ref('reference'), ref(name)] })

/** An object with these fields and no others but extensions. */
const object = (required: readonly string[], properties: Json, more: Json = {}): Json => ({
  type: 'object',
  required,
  properties,
  patternProperties: { '^x-': true },
  additionalProperties: false,
  ...more,
})

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const COMPONENT = '^[a-zA-Z0-9._-]+$'
const components = (values: Json): Json => ({ ...mapOf(values), propertyNames: { pattern: COMPONENT } })
const location = { description: text, required: { type: 'boolean' }, deprecated: { type: 'boolean' } }

export const OPENAPI_31: Json = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...object(
    ['openapi', 'info'],
    {
      openapi: { type: 'string', pattern: String.raw`^3\.1\.\d+(-.+)?$` },
      info: ref('info'),
      jsonSchemaDialect: { type: 'string', format: 'uri' },
      servers: { type: 'array', items: ref('server') },
      paths: ref('paths'),
      components: ref('components'),
      security: { type: 'array', items: mapOf({ type: 'array', items: text }) },
      tags: { type: 'array', items: object(['name'], { name: text, description: text }) },
    },
    { anyOf: [{ required: ['paths'] }, { required: ['components'] }] },
  ),
  $defs: {
    reference: {
      type: 'object',
      required: ['$ref'],
      properties: { $ref: { type: 'string', format: 'uri-reference' }, summary: text, description: text },
      additionalProperties: false,
    },
    info: object(['title', 'version'], {
      title: text,
      summary: text,
      description: text,
      version: text,
      license: object(
        ['name'],
        { name: text, identifier: text, url: text },
        { not: { required: ['identifier', 'url'] } },
      ),
    }),
    server: object(['url'], { url: text, description: text }),
    paths: {
      type: 'object',
      patternProperties: { '^/': ref('pathItem'), '^x-': true },
      additionalProperties: false,
    },
    pathItem: object([], {
      summary: text,
      description: text,
      parameters: { type: 'array', items: either('parameter') },
      ...Object.fromEntries(METHODS.map((method) => [method, ref('operation')])),
    }),
    operation: object([], {
      tags: { type: 'array', items: text },
      summary: text,
      description: text,
      operationId: text,
      parameters: { type: 'array', items: either('parameter'), uniqueItems: true },
      requestBody: either('requestBody'),
      responses: ref('responses'),
      deprecated: { type: 'boolean' },
      security: { type: 'array', items: mapOf({ type: 'array', items: text }) },
    }),
    parameter: object(
      ['name', 'in'],
      {
        name: text,
        in: { enum: ['query', 'header', 'path', 'cookie'] },
        ...location,
        style: text,
        explode: { type: 'boolean' },
        schema: ref('schema'),
        content: mapOf(ref('mediaType')),
      },
      {
        oneOf: [{ required: ['schema'] }, { required: ['content'] }],
        allOf: [
          {
            if: { properties: { in: { const: 'path' } } },
            // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
            then: {
              required: ['required'],
              properties: { required: { const: true }, name: { pattern: '^[^{}]+$' } },
            },
          },
          {
            if: { properties: { in: { const: 'header' } } },
            // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
            then: {
              properties: { name: { not: { pattern: '^([Aa]ccept|[Cc]ontent-[Tt]ype|[Aa]uthorization)$' } } },
            },
          },
        ],
      },
    ),
    requestBody: object(['content'], {
      description: text,
      content: mapOf(ref('mediaType')),
      required: { type: 'boolean' },
    }),
    mediaType: object([], { schema: ref('schema') }),
    responses: {
      type: 'object',
      minProperties: 1,
      patternProperties: { '^[1-5](?:[0-9]{2}|XX)$': either('response'), '^x-': true },
      properties: { default: either('response') },
      additionalProperties: false,
    },
    response: object(['description'], {
      description: text,
      headers: mapOf(either('header')),
      content: mapOf(ref('mediaType')),
    }),
    header: object([], { ...location, schema: ref('schema') }),
    components: object([], {
      schemas: components(ref('schema')),
      responses: components(either('response')),
      parameters: components(either('parameter')),
      securitySchemes: components(either('securityScheme')),
    }),
    securityScheme: object(
      ['type'],
      {
        type: { enum: ['http', 'apiKey', 'mutualTLS'] },
        description: text,
        scheme: text,
        bearerFormat: text,
      },
      {
        if: { properties: { type: { const: 'http' } } },
        // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
        then: { required: ['scheme'] },
      },
    ),
    // Judged apart, by the meta-schema of JSON Schema itself.
    schema: { type: ['object', 'boolean'] },
  },
}
