import * as z from 'zod'
import { Handoff } from '../../domain/handoffs/handoff.ts'
import { Id, Note, verifyFields } from '../../domain/handoffs/inputs.ts'
import { defineOperation } from '../operation.ts'
import { CHANGE_ERRORS } from './fields.ts'

const verify = defineOperation({
  name: 'handoff_verify',
  summary: 'Judge submitted work: a pass completes the handoff, a refusal gives it back with the reason.',
  effect: 'write',
  scope: 'handoff:write',
  tools: 'default',
  http: { method: 'POST', path: '/v1/handoffs/{id}/verify' },
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: Id,
      ...verifyFields(),
    }),
  output: Handoff,
  errors: [...CHANGE_ERRORS, 'unmet'],
  examples: ['baton verify @ --pass', 'baton verify @ --fail "the tests do not cover bursts"'],
  run: (service, call, { id, ...input }) => service.closing.verify(call, id, input),
})

const complete = defineOperation({
  name: 'handoff_complete',
  summary: 'Complete a handoff where you may and its conditions hold.',
  effect: 'write',
  scope: 'handoff:write',
  http: { method: 'POST', path: '/v1/handoffs/{id}/complete' },
  positional: ['id'],
  input: () => z.strictObject({ id: Id }),
  output: Handoff,
  errors: [...CHANGE_ERRORS, 'unmet'],
  examples: ['baton handoff complete HO-2026-001-R --as planner'],
  run: (service, call, { id }) => service.closing.complete(call, id),
})

const decide = defineOperation({
  name: 'gate_decide',
  summary: 'A person answers a gate (approve, reject or question) or an escalation (one of its options).',
  effect: 'write',
  scope: 'gate:write',
  peopleOnly: true,
  http: { method: 'POST', path: '/v1/gates/{id}/decide' },
  positional: ['id', 'choice'],
  input: () =>
    z.strictObject({
      id: Id,
      choice: z
        .string()
        .min(1)
        .max(200)
        .describe('approve, reject or question; for an escalation one of its options'),
      comment: Note.optional(),
    }),
  output: Handoff,
  errors: [...CHANGE_ERRORS],
  examples: [
    'baton decide @ approve --comment "ship it"',
    'baton decide HO-2026-004 B --comment "We can wait"',
  ],
  run: (service, call, { id, choice, comment }) => service.closing.decide(call, id, choice, comment),
})

export const OUTCOME_OPERATIONS = [verify, complete, decide] as const
