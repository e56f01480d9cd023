import * as z from 'zod'
import { ERROR_CODES, type ErrorCode } from '../../domain/errors.ts'
import type { Operation } from '../../operations/operation.ts'

type Schema = Readonly<Record<string, unknown>>

const VERSION = '1'

/** The HTTP surface as an OpenAPI 3.1 document, made from the operations. */
export function openApi(operations: readonly Operation[]): Schema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const op of operations) {
    paths[op.http.path] = { ...paths[op.http.path], [op.http.method.toLowerCase()]: operation(op) }
  }
  paths['/v1/whoami'] = { get: whoami() }
  paths['/v1/events'] = { get: events() }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Baton',
      version: VERSION,
      description:
        'Hands work between agents and people. Every call names its caller by a token; every write may be repeated with the same `Idempotency-Key`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(operations.map(nounOf))].sort().map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Made with: baton token create --agent NAME' },
      },
      schemas: { Problem: problem() },
      responses: Object.fromEntries(
        Object.entries(byStatus()).map(([status, codes]) => [`Problem${status}`, refusal(codes)]),
      ),
    },
  }
}

function operation(op: Operation): Schema {
  const {
    properties = {},
    required = [],
    ...input
  } = jsonSchema(op.input, 'input') as {
    properties?: Record<string, Schema>
    required?: readonly string[]
  }
  const inPath = [...op.http.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const needed = required.filter((name) => !inPath.includes(name))
  const isRead = op.http.method === 'GET'
  return {
    operationId: op.name,
    summary: op.summary,
    tags: [nounOf(op)],
    description: [
      `Scope: \`${op.scope}\`.`,
      ...(op.peopleOnly ? ['Only for people.'] : []),
      ...op.examples.map((example) => `\n    ${example}`),
    ].join('\n'),
    parameters: [
      ...inPath.map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: properties[name] ?? { type: 'string' },
      })),
      ...(isRead
        ? rest.map(([name, schema]) => ({
            name,
            in: 'query',
            ...(needed.includes(name) && { required: true }),
            schema,
          }))
        : [IDEMPOTENCY_KEY]),
      INSTANCE,
    ],
    ...(!isRead && {
      requestBody: {
        required: needed.length > 0,
        content: {
          'application/json': {
            schema: { ...input, properties: Object.fromEntries(rest), required: needed },
          },
        },
      },
    }),
    responses: {
      200: {
        description: 'Done.',
        content: { 'application/json': { schema: jsonSchema(op.output, 'output') } },
      },
      ...refusals(op),
    },
  }
}

const EVERYWHERE: readonly ErrorCode[] = [
  'invalid_input',
  'unauthenticated',
  'not_allowed',
  'not_found',
  'limit_exceeded',
  'internal',
  'unavailable',
]

const nounOf = (op: Operation): string => op.name.slice(0, op.name.indexOf('_'))

/** Every answer that is no success, by status; some are possible everywhere. */
function refusals(op: Operation): Schema {
  const statuses = new Set([...EVERYWHERE, ...op.errors].map((code) => ERROR_CODES[code].http))
  return Object.fromEntries(
    [...statuses].sort().map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
  )
}

function byStatus(): Readonly<Record<number, readonly string[]>> {
  const found: Record<number, string[]> = {}
  for (const [code, { http }] of Object.entries(ERROR_CODES)) found[http] = [...(found[http] ?? []), code]
  return found
}

const refusal = (codes: readonly string[]): Schema => ({
  description: `Refused: ${codes.join(', ')}.`,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

const problem = (): Schema => ({
  type: 'object',
  description: 'RFC 9457, with the fields that every surface of Baton has.',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong, and what to do about it' },
    code: { type: 'string', enum: Object.keys(ERROR_CODES) },
    details: { type: 'object', additionalProperties: true },
    retry: { type: 'boolean', description: 'Whether the same call may work later' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'details', 'retry'],
})

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same key with the same input is carried out once; the answer comes again.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}
const INSTANCE = {
  name: 'Baton-Instance',
  in: 'header',
  description: 'Which process of the agent is calling: what one holds is not for its others.',
  schema: { type: 'string', minLength: 1, maxLength: 100 },
}

const whoami = (): Schema => ({
  operationId: 'whoami',
  summary: 'Who the token stands for.',
  responses: {
    200: {
      description: 'Done.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              actor: { type: 'object', additionalProperties: true },
              scopes: { type: 'array', items: { type: 'string' } },
            },
            required: ['actor', 'scopes'],
          },
        },
      },
    },
    401: { $ref: '#/components/responses/Problem401' },
  },
})

const events = (): Schema => ({
  operationId: 'events',
  summary: 'What happens in the workspace, as server-sent events.',
  description:
    'Scope: `report:read`. Each event has the cursor of the log as its id; come back with it in `Last-Event-ID` and nothing is missed or told twice.',
  parameters: [
    ...['since', 'agent', 'handoff', 'task', 'kind', 'act'].map((name) => ({
      name,
      in: 'query',
      schema: { type: 'string' },
    })),
    { name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } },
  ],
  responses: {
    200: {
      description: 'A stream without an end.',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    400: { $ref: '#/components/responses/Problem400' },
    401: { $ref: '#/components/responses/Problem401' },
  },
})

/** A schema as OpenAPI 3.1 takes it: JSON Schema without the line that names the dialect. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return rest
}
