import * as z from 'zod'
import { RemindSeconds, Silence } from '../domain/people/people-schema.ts'

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
