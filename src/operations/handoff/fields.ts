import type * as z from 'zod'
import type { ErrorCode } from '../../domain/errors.ts'
import { Handoff } from '../../domain/handoffs/handoff.ts'
import { defineOperation, type Operation, type WrittenOperation } from '../operation.ts'

/** Errors that every change of a handoff can be refused with. */
export const CHANGE_ERRORS = [
  'invalid_input',
  'not_found',
  'not_allowed',
  'wrong_state',
  'conflict',
  'unavailable',
] as const satisfies readonly ErrorCode[]

type HandoffAnswer = ReturnType<typeof Handoff>

/** An operation on one handoff, which is named by its id and answered. */
export const defineStep = <In extends z.ZodObject, const Verb extends string>(
  verb: Verb,
  {
    errors = [],
    ...step
  }: Omit<WrittenOperation<In, HandoffAnswer>, 'scope' | 'http' | 'output' | 'errors'> & {
    readonly errors?: readonly ErrorCode[]
  },
): Operation<In, HandoffAnswer, `handoff_${Verb}`> =>
  defineOperation({
    name: `handoff_${verb}`,
    scope: 'handoff:write',
    http: { method: 'POST', path: `/v1/handoffs/{id}/${verb}` },
    positional: ['id'],
    ...step,
    output: Handoff,
    errors: [...CHANGE_ERRORS, ...errors],
  })

/** Lists that the service promises not to change, as the plain arrays of an answer. */
export const mutable = <T>(value: T): Mutable<T> => value as Mutable<T>
type Mutable<T> = T extends readonly (infer I)[]
  ? Mutable<I>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T
