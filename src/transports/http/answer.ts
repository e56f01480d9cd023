import { hash } from 'node:crypto'
import type { Operation } from '../../operations/operation.ts'

/**
 * What an operation answered. Reads carry a tag of their bytes, so that whoever has them already is told so in a few
 * bytes; what a handoff or task is now at stands in its `rev`, for `If-Match`.
 */
export function answer(op: Operation, request: Request, value: unknown): Response {
  const body = JSON.stringify(value)
  const headers = { 'content-type': 'application/json' }
  if (op.effect !== 'read') return new Response(body, { headers })
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  const known = request.headers
    .get('if-none-match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag)) return new Response(null, { status: 304, headers: { etag } })
  return new Response(body, { headers: { ...headers, etag } })
}
