import * as z from 'zod'
import type { ErrorCode } from '../../domain/errors.ts'
import { RemindSeconds, Silence } from '../../domain/people/people-schema.ts'

export const Id = z.string().min(1).max(200).describe('Handoff id, for example HO-2026-001')
export const Note = z.string().max(8_000)
export const Title = z
  .string()
  .min(1, { abort: true })
  .max(300)
  .regex(/\S/, 'is blank; say in a few words what it is about')

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

/** Fields that a sender may set when people are asked. */
export const askedOfPeople = () => ({
  gate: z
    .strictObject({
      type: z
        .string()
        .max(40)
        .optional()
        .describe('blocking, advisory or auto; anything else is taken as blocking'),
      name: z.string().min(1).max(200).optional(),
      step: z.union([z.string().max(100), z.number()]).optional(),
    })
    .optional()
    .describe(
      'Type of the gate. blocking (the default) holds up the work until a person approves. advisory does not. auto passes when its checks pass',
    ),
  silence: Silence()
    .optional()
    .describe(
      'The rule for a person who does not answer (wait): after after_s seconds it expires or goes to another',
    ),
  remind_s: RemindSeconds().optional(),
})
