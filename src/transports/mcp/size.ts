import type { Operation } from '../../operations/operation.ts'

/** The largest reply unless the caller says how much it wants: an agent reads every byte of it. */
export const REPLY_BYTES = 4_000
/** The same when it has said so. */
export const ASKED_BYTES = 64_000

/** Fields with which a caller says how much it wants, and what is asked for when it does not. */
export const SIZE_FIELDS: Readonly<Record<string, { readonly about: string; readonly fill: number }>> = {
  limit: { about: 'Without it, as many as fit into 4 KB', fill: 6 },
  budget: { about: 'Tokens; without it, what fits into 4 KB', fill: 600 },
}

export const hasField = (op: Operation, field: string): boolean => Object.hasOwn(op.input.shape, field)

/** A list that comes in pages of its own. */
export const isPaged = (op: Operation): boolean => hasField(op, 'limit') && hasField(op, 'cursor')

/** A read without pages: where its reply was cut, a cursor reads on. */
export const isReadOn = (op: Operation): boolean => op.effect === 'read' && !hasField(op, 'cursor')

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')
