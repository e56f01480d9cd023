import type { ErrorCode } from '../../domain/errors.ts'

/** Errors that every change of a handoff can be refused with. */
export const CHANGE_ERRORS = [
  'invalid_input',
  'not_found',
  'not_allowed',
  'wrong_state',
  'conflict',
  'unavailable',
] as const satisfies readonly ErrorCode[]

/** Lists that the service promises not to change, as the plain arrays of an answer. */
export const mutable = <T>(value: T): Mutable<T> => value as Mutable<T>
type Mutable<T> = T extends readonly (infer I)[]
  ? Mutable<I>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T
