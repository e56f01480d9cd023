import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Operation } from '../../../operations/operation.ts'
import { PROTECTING } from './guards.ts'

/** All of an answer, as it is written to a connection. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const HEADERS = { ...PROTECTING, 'content-type': 'application/json' }

/**
 * What an operation answered. Reads carry a tag of their bytes, so that whoever has them already is told so in a few
 * bytes; what a handoff or task is now at stands in its `rev`, for `If-Match`.
 */
export function answer(op: Operation, request: Request, value: unknown): Answer {
  const body = JSON.stringify(value)
  if (op.effect !== 'read') return { status: 200, headers: HEADERS, body }
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  const known = request.headers
    .get('if-none-match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag)) return { status: 304, headers: { ...PROTECTING, etag }, body: null }
  return { status: 200, headers: { ...HEADERS, etag }, body }
}

/**
 * Writes an answer to its connection, if there is one. A `Response`, its headers and the stream in it would cost more
 * than all else that a call needs.
 */
export function send({ status, headers, body }: Answer, connection: ServerResponse | undefined): Response {
  if (!connection) return new Response(body, { status, headers })
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
  connection.writeHead(status, { ...headers, ...length }).end(body)
  return RESPONSE_ALREADY_SENT
}
