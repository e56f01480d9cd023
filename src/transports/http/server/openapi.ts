import { ERROR_CODES, type ErrorCode } from '../../../domain/errors.ts'
import { HOLD_MS } from '../../../domain/wait-limits.ts'
import type { Operation } from '../../../operations/operation.ts'
import {
  besides,
  ETAG,
  IDEMPOTENCY_KEY,
  IF_MATCH,
  IF_NONE_MATCH,
  INSTANCE,
  jsonSchema,
  type OpenApiPart,
  refersTo,
  refusalResponses,
  sharing,
  TRACE,
} from './openapi-parts.ts'

const VERSION = '1'
const HELD = `A request is held for ${HOLD_MS / 1_000} s at most. \`done: false\` means that the handoff is still open. Ask again for the \`left_s\` seconds of your time that remain.`

// biome-ignore format: read as a table
const TAGS: Readonly<Record<string, string>> = {
  agent:    'The agents and people that send and receive.',
  artifact: 'Files that belong to handoffs.',
  audit:    'The log and its proofs.',
  document: 'Handoffs as files of the five formats.',
  gate:     'Decisions of people.',
  handoff:  'Work on its way from a sender to a receiver.',
  merkle:   'Sealed audit sessions.',
  notice:   'News for an agent or a person.',
  report:   'Numbers and history.',
  task:     'Tasks and their order.',
  thought:  'Records of what was done on a task.',
  workflow: 'Runs of steps and gates.',
}

/** The HTTP surface as an OpenAPI 3.1 document, made from the operations. */
export function openApi(operations: readonly Operation[]): OpenApiPart {
  const { schemas, share } = sharing()
  const paths: Record<string, OpenApiPart> = { ...besides() }
  for (const op of operations) {
    const path = likeOthers(op.http.path, Object.keys(paths))
    paths[path] = { ...paths[path], [op.http.method.toLowerCase()]: operation(op, path, share) }
  }
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
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Made with: baton token create --agent NAME' },
      },
      schemas: usedIn(paths, 'schemas', schemas),
      responses: usedIn(paths, 'responses', refusalResponses()),
    },
  }
}

/** The components that a path or a response refers to. */
function usedIn(paths: OpenApiPart, kind: string, parts: OpenApiPart): OpenApiPart {
  const text = JSON.stringify([paths, refusalResponses()])
  return Object.fromEntries(
    Object.entries(parts).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  )
}

const fieldsIn = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

/** One address stands in the document once: its fields have the names that its first operation gave them. */
function likeOthers(path: string, others: readonly string[]): string {
  const shape = (text: string) => text.replaceAll(/\{\w+\}/g, '{}')
  return others.find((other) => shape(other) === shape(path)) ?? path
}

type Share = ReturnType<typeof sharing>['share']

function operation(op: Operation, path: string, share: Share): OpenApiPart {
  const { properties, rest, needed, inPath, input } = operationFields(op)
  const isGet = op.http.method === 'GET'
  return {
    operationId: op.name,
    summary: op.summary,
    tags: [nounOf(op)],
    description: [
      `Scope: \`${op.scope}\`.`,
      ...(op.name === 'handoff_wait' ? [HELD] : []),
      ...(op.peopleOnly ? ['Only for people.'] : []),
      ...op.examples.map((example) => `\n    ${example}`),
    ].join('\n'),
    parameters: [
      ...inPath.map((name, n) => ({
        name: fieldsIn(path)[n],
        in: 'path',
        required: true,
        schema: properties[name] ?? { type: 'string' },
      })),
      ...(isGet ? rest : []).map(([name, schema]) => ({
        name,
        in: 'query',
        ...(needed.includes(name) && { required: true }),
        schema,
      })),
      ...headersOf(op),
    ],
    ...(!isGet && {
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
        ...(op.effect === 'read' && { headers: ETAG }),
        content: { 'application/json': { schema: share(jsonSchema(op.output, 'output')) } },
      },
      ...(op.effect === 'read' && { 304: { description: 'You have it already.', headers: ETAG } }),
      ...refusals(op),
    },
  }
}

type ObjectSchema = { properties?: Record<string, OpenApiPart>; required?: readonly string[] }

/** The fields of an operation's input: those of its path, and the others with the needed ones among them. */
function operationFields(op: Operation) {
  const { properties = {}, required = [], ...input } = jsonSchema(op.input, 'input') as ObjectSchema
  const inPath = fieldsIn(op.http.path)
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const needed = required.filter((name) => !inPath.includes(name))
  return { properties, rest, needed, inPath, input }
}

function headersOf(op: Operation): readonly OpenApiPart[] {
  if (op.effect === 'read') return [IF_NONE_MATCH, INSTANCE]
  const sends = op.name === 'handoff_send' || op.name === 'handoff_create'
  const changes = op.http.path.includes('{') && /^(handoff|gate|task|thought)_/.test(op.name)
  return [IDEMPOTENCY_KEY, ...(changes ? [IF_MATCH] : []), ...(sends ? TRACE : []), INSTANCE]
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

/** Every refusal of an operation, by status; some are possible everywhere. */
function refusals(op: Operation): OpenApiPart {
  const sized: readonly ErrorCode[] = op.http.method === 'POST' ? ['too_large'] : []
  const clashes: readonly ErrorCode[] = op.effect === 'write' ? ['conflict'] : []
  const codes = [...EVERYWHERE, ...sized, ...clashes, ...op.errors]
  const statuses = new Set(codes.map((code) => ERROR_CODES[code].http))
  return Object.fromEntries([...statuses].sort().map((status) => [status, refersTo(status)]))
}
