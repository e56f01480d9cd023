import * as z from 'zod'
import { BatonError } from '../domain/errors.ts'
import { HOMES } from '../domain/home.ts'
import { RemindSeconds, Silence } from '../domain/people/people-schema.ts'
import { ConfigSchema } from './schema.ts'

const { agents, default_limits, verification, routes, depth_limit } = ConfigSchema.shape
const { verifiers, chief } = verification.unwrap().shape

const Wait = z.union([z.number().positive(), z.literal('none')]).optional()

/** The rules of `baton.yaml` under the names that programs give them, and its durations in numbers. */
const PolicySchema = z.strictObject({
  agents,
  defaultLimits: default_limits,
  verifiers,
  chief,
  deadlines: z
    .partialRecord(z.enum(HOMES), z.strictObject({ draftMs: Wait, offeredMs: Wait }).optional())
    .optional(),
  depthLimit: depth_limit,
  routes,
  people: z.strictObject({ remind_s: RemindSeconds().optional(), silence: Silence().optional() }).optional(),
})

/** Throws what is wrong with the rules of a program. Loads `zod`: come here late. */
export function checkPolicy(policy: unknown): void {
  const checked = PolicySchema.safeParse(policy)
  if (checked.success) return
  const said = checked.error.issues.map((issue) => {
    const known =
      issue.code === 'unrecognized_keys' && issue.path.length === 0
        ? `; the rules are ${Object.keys(PolicySchema.shape).join(', ')}`
        : ''
    return `${['policy', ...issue.path].join('.')}: ${issue.message}${known}`
  })
  throw new BatonError('invalid_input', said.join('; '), { field: 'policy' })
}
