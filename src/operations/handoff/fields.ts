import * as z from 'zod'
import type { ErrorCode } from '../../domain/errors.ts'
import { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Call } from '../../service/deps.ts'
import type { Service } from '../../service/service.ts'
import {
  defineOperation,
  type InputFields,
  type InputOf,
  type Operation,
  type WrittenOperation,
} from '../operation.ts'

/** Errors that every change of a handoff can be refused with. */
export const CHANGE_ERRORS = [
  'invalid_input',
  'not_found',
  'not_allowed',
  'wrong_state',
  'conflict',
  'unavailable',
] as const satisfies readonly ErrorCode[]

/** The form of every answer about one handoff: the handoff, and beside it what else the operation tells. */
export const HandoffAnswer = () => z.object({ handoff: Handoff() })
type HandoffAnswer = ReturnType<typeof HandoffAnswer>

/** An operation on one handoff, which is named by its id and answered. */
export const defineStep = <F extends InputFields, const Verb extends string>(
  verb: Verb,
  {
    errors = [],
    run,
    ...step
  }: Omit<WrittenOperation<F, HandoffAnswer>, 'scope' | 'output' | 'errors' | 'run'> & {
    readonly errors?: readonly ErrorCode[]
    run(service: Service, call: Call, input: z.output<InputOf<F>>): Promise<Handoff>
  },
): Operation<InputOf<F>, HandoffAnswer, `handoff_${Verb}`> =>
  defineOperation({
    name: `handoff_${verb}`,
    scope: 'handoff:write',
    positional: ['id'],
    ...step,
    output: HandoffAnswer,
    errors: [...CHANGE_ERRORS, ...errors],
    run: async (service, call, input) => ({ handoff: await run(service, call, input) }),
  })

/** Lists that the service promises not to change, as the plain arrays of an answer. */
export const mutable = <T>(value: T): Mutable<T> => value as Mutable<T>
type Mutable<T> = T extends readonly (infer I)[]
  ? Mutable<I>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T
