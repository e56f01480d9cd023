import * as z from 'zod'
import { Agent } from '../../../domain/agent.ts'
import { AuditSession } from '../../../domain/audit-session.ts'
import { ERROR_CODES } from '../../../domain/errors.ts'
import { Handoff } from '../../../domain/handoffs/handoff.ts'
import {
  Acknowledgment,
  Package,
  Result,
  ThreadItem,
  VerificationRecord,
} from '../../../domain/handoffs/package.ts'
import { Notice } from '../../../domain/people/notice.ts'
import { Task, ThoughtRecord } from '../../../domain/tasks/task.ts'
import { EVENT_KINDS } from '../../../service/events.ts'

export type OpenApiPart = Readonly<Record<string, unknown>>

/** Schemas that many operations answer stand in the document once, under their names. */
const NAMED = {
  Handoff,
  Package,
  Result,
  ThreadItem,
  VerificationRecord,
  Acknowledgment,
  Notice,
  Task,
  ThoughtRecord,
  Agent,
  AuditSession,
}

/** A schema as OpenAPI 3.1 takes it: JSON Schema without the line that names the dialect. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): OpenApiPart {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return rest
}

/** Puts a reference wherever one of the named schemas stands. */
export function sharing(): { readonly schemas: OpenApiPart; share(schema: OpenApiPart): OpenApiPart } {
  const schemas = Object.fromEntries(
    Object.entries(NAMED).map(([name, schema]) => [name, jsonSchema(schema(), 'output')]),
  )
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]))
  const share = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(share)
    const name = names.get(JSON.stringify(value))
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, share(inner)]))
  }
  return { schemas: { ...schemas, Problem: problem() }, share: (schema) => share(schema) as OpenApiPart }
}

const problem = (): OpenApiPart => ({
  type: 'object',
  description: 'RFC 9457, with the fields that every surface of Baton has.',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'The problem, and the way to solve it' },
    code: { type: 'string', enum: Object.keys(ERROR_CODES) },
    details: { type: 'object', additionalProperties: true },
    retry: { type: 'boolean', description: 'Whether the same call may work later' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'details', 'retry'],
})

/** One answer for each status that means a refusal. */
export function refusalResponses(): OpenApiPart {
  const found: Record<number, string[]> = {}
  for (const [code, { http }] of Object.entries(ERROR_CODES)) found[http] = [...(found[http] ?? []), code]
  return Object.fromEntries(
    Object.entries(found).map(([status, codes]) => [`Problem${status}`, refusal(Number(status), codes)]),
  )
}

const refusal = (status: number, codes: readonly string[]): OpenApiPart => ({
  description: `Refused: ${codes.join(', ')}.`,
  ...((status === 429 || status === 503) && { headers: RETRY_AFTER }),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before the next call', schema: { type: 'integer' } },
}

export const refersTo = (status: number): OpenApiPart => ({ $ref: `#/components/responses/Problem${status}` })

const header = (name: string, description: string, schema: OpenApiPart): OpenApiPart => ({
  name,
  in: 'header',
  description,
  schema,
})

export const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'The same key with the same input is carried out once; the answer comes again.',
  { type: 'string', minLength: 1, maxLength: 200 },
)
export const INSTANCE = header(
  'Baton-Instance',
  'The process of the agent that is calling. Work of one process is not for the others.',
  { type: 'string', minLength: 1, maxLength: 100 },
)
export const IF_MATCH = header(
  'If-Match',
  'The `rev` that you have seen, in quotes: refused as a conflict when it is another by now.',
  { type: 'string', pattern: String.raw`^(\*|"\d{1,9}")$` },
)
export const IF_NONE_MATCH = header('If-None-Match', 'The `ETag` of an answer that you have.', {
  type: 'string',
})
export const TRACE = [
  header('traceparent', 'W3C trace context; the handoff keeps it as `trace`.', { type: 'string' }),
  header('tracestate', 'W3C trace context; the handoff keeps it as `trace`.', { type: 'string' }),
]
export const ETAG = { ETag: { description: 'Changes with the answer', schema: { type: 'string' } } }

const okResponse = (description: string, schema: OpenApiPart, type = 'application/json'): OpenApiPart => ({
  200: { description, content: { [type]: { schema } } },
})

/** An object whose fields are all there. */
const objectOf = (properties: OpenApiPart): OpenApiPart => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** A path that is not an operation: its answer and the refusals that it knows. */
const beside = (
  operationId: string,
  summary: string,
  answer: OpenApiPart,
  refused: readonly number[],
  more: OpenApiPart = {},
): OpenApiPart => ({
  get: {
    operationId,
    summary,
    ...more,
    responses: { ...answer, ...Object.fromEntries(refused.map((status) => [status, refersTo(status)])) },
  },
})

const isUp = (word: string): OpenApiPart =>
  okResponse('Yes.', objectOf({ status: { type: 'string', const: word } }))

/** The paths beside the operations. */
export const besides = (): Readonly<Record<string, OpenApiPart>> => ({
  '/v1/whoami': beside(
    'whoami',
    'The agent that the token stands for.',
    okResponse('Done.', {
      ...objectOf({
        actor: { type: 'object', additionalProperties: true },
        scopes: { type: 'array', items: { type: 'string' } },
        repository: { type: 'string' },
      }),
      required: ['actor', 'scopes'],
    }),
    [401, 429],
  ),
  '/v1/events': beside(
    'events',
    'Events of the workspace, as server-sent events.',
    okResponse('A stream without an end.', { type: 'string' }, 'text/event-stream'),
    [400, 401, 404, 429],
    {
      description:
        'Scope: `report:read`; with `kind=handoff`, `handoff:read` is enough. Each event has the cursor of the log as its id. Send it as `Last-Event-ID` to go on without gaps or repeats. The first event has an id and no data: it marks the start of the stream. While nothing happens, an event named `beat` comes every 15 seconds.',
      parameters: [
        ...['since', 'agent', 'handoff', 'task', 'kind', 'act'].map((name) => ({
          name,
          in: 'query',
          schema: { type: 'string', ...(name === 'kind' && { enum: EVENT_KINDS }) },
        })),
        header('Last-Event-ID', 'The cursor of the last event that you have had.', { type: 'string' }),
      ],
    },
  ),
  '/metrics': beside(
    'metrics',
    'The workspace and this server in numbers, as Prometheus reads them.',
    okResponse('Done.', { type: 'string' }, 'text/plain'),
    [401, 404, 429],
    { description: 'Scope: `report:read`.' },
  ),
  '/healthz': beside('healthz', 'Whether the server runs.', isUp('ok'), [403], { security: [] }),
  '/readyz': beside('readyz', 'Whether the server and its store answer.', isUp('ready'), [403, 503], {
    security: [],
  }),
})
