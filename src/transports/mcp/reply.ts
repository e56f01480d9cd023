import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { visible, visibleDeep } from '../../domain/texts/visible.ts'
import type { Operation } from '../../operations/operation.ts'
import { toProblem } from '../shared/problem.ts'
import { type Cut, cutTo, readOn } from './cut.ts'
import { ASKED_BYTES, isReadOn, REPLY_BYTES } from './size.ts'

/** The text of a `failed` handoff's receiver stands in a field of its own, never in our sentence. */
const FAILED = 'its reason is in details.reason, in the words of its receiver'

/** A result: the value as data, and the same as text for clients that only read text. */
export function reply(
  op: Operation,
  value: object,
  { asked = false, cursor }: { readonly asked?: boolean; readonly cursor?: string | undefined } = {},
): CallToolResult {
  const most = asked ? ASKED_BYTES : REPLY_BYTES
  const text = cursor === undefined ? JSON.stringify(value) : undefined
  // Most replies fit: they are written once.
  if (text !== undefined && Buffer.byteLength(text) <= most) return result(value, text)
  const shown = cursor === undefined ? cutTo(value, most) : readOn(value, cursor, most)
  return result(isReadOn(op) ? shown : withoutCursors(shown))
}

/** A refusal as a result: the sentence as it stands, and code, details and whether to try again as data. */
export function refusal(error: unknown): CallToolResult {
  const { code, detail, details, retry } = toProblem(error)
  const isForeign = code === 'failed'
  const message = isForeign ? `${details.id} is ${details.state}; ${FAILED}` : detail
  const told = isForeign ? { ...details, reason: detail } : details
  const refused = {
    error: { code, message, details: told, retry },
    ...(isForeign && { untrusted: ['error.details'] }),
  }
  const shown = cutTo(visibleDeep(refused), REPLY_BYTES)
  return {
    isError: true,
    content: [
      { type: 'text', text: visible(message) },
      ...(isForeign ? [{ type: 'text' as const, text: JSON.stringify(shown) }] : []),
    ],
    structuredContent: withoutCursors(shown) as Record<string, unknown>,
  }
}

/** For requests that have no results which are flagged as errors. */
export const invalidParams = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)

/** The value as data, and as the text that it was written to. */
export function result(value: object, text = JSON.stringify(value)): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: value as Record<string, unknown> }
}

/** An operation without cursors can only name the fields that were cut. */
function withoutCursors(value: object): object {
  if (!('cut' in value) || !Array.isArray(value.cut)) return value
  const cut = (value.cut as readonly Cut[]).map(({ cursor, of }) => ({
    field: cursor.slice(0, cursor.lastIndexOf('@')).replaceAll('/', '.'),
    of,
  }))
  return { ...value, cut }
}
