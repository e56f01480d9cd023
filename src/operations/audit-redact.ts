import * as z from 'zod'
import { defineOperation } from './operation.ts'

const redact = defineOperation({
  name: 'audit_redact',
  summary:
    'Remove one field of a handoff, task or record for good, with every copy here. The log still proves it was there.',
  scope: 'audit:write',
  peopleOnly: true,
  http: { method: 'POST', path: '/v1/audit/redactions' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: z.string().min(1).max(200).describe('Handoff, task or record'),
      field: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, { error: 'the name of a field, for example summary' })
        .describe(
          'The field to remove, for example summary; the error for a wrong name lists the right ones',
        ),
      reason: z
        .string()
        .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, { error: 'a code without spaces, for example leaked-key' })
        .describe('Why, as a code that stays in the log, for example leaked-key'),
    }),
  output: () =>
    z.object({
      subject: z.object({ kind: z.enum(['handoff', 'task', 'record']), id: z.string() }),
      field: z.string(),
      reason: z.string(),
      already: z.boolean().describe('Nothing was left to take away'),
      disclosures: z.int().describe('Disclosures of the log that are gone'),
      documents: z.int().describe('Documents and notices that were changed'),
      files: z.array(z.string()).describe('Stored files whose bytes are gone'),
      scrubbed: z.boolean().describe('Whether the store has cleared old bytes as far as it can'),
      unreachable: z.array(z.string()).describe('Places where Baton cannot reach copies'),
    }),
  errors: ['invalid_input', 'not_found', 'not_allowed', 'conflict', 'unavailable'],
  examples: ['baton audit redact HO-2026-001 --field summary --reason leaked-key'],
  run: async (service, call, input) => {
    const { redact } = await import('../service/redaction/redact.ts')
    const { files, unreachable, ...rest } = await redact(service.deps, call, input)
    return { ...rest, files: [...files], unreachable: [...unreachable] }
  },
})

export const REDACTION_OPERATIONS = [redact] as const
