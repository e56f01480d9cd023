import * as z from 'zod'
import { Redacted, redactFields } from '../domain/audit-answers.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation } from './operation.ts'

const redact = defineOperation({
  name: 'audit_redact',
  summary:
    'Remove one field of a handoff, task or record for good, with every copy here. The log still proves it was there.',
  scope: 'audit:write',
  peopleOnly: true,
  http: { method: 'POST', path: '/v1/audit/redactions' },
  positional: ['id'],
  input: () => z.strictObject(redactFields()),
  output: Redacted,
  errors: ['invalid_input', 'not_found', 'not_allowed', 'conflict', 'unavailable'],
  examples: ['baton audit redact HO-2026-001 --field summary --reason leaked-key'],
  run: async (service, call, input) => {
    const { redact } = await import('../service/redaction/redact.ts')
    return mutable(await redact(service.deps, call, input))
  },
})

export const REDACTION_OPERATIONS = [redact] as const
