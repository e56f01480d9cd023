import * as z from 'zod'
import { Id, Note, verifyFields } from '../../domain/handoffs/inputs.ts'
import { text } from '../../domain/schema-parts.ts'
import { defineOperation } from '../operation.ts'
import { CHANGE_ERRORS, defineStep, HandoffAnswer } from './fields.ts'

const verify = defineStep('verify', {
  summary: 'Judge submitted work: a pass completes the handoff, a refusal gives it back with the reason.',
  tools: 'default',
  input: () => ({ id: Id, ...verifyFields() }),
  errors: ['unmet'],
  examples: ['baton verify @ --pass', 'baton verify @ --fail -m "the tests do not cover bursts"'],
  run: (service, call, { id, ...input }) => service.closing.verify(call, id, input),
})

const complete = defineStep('complete', {
  summary: 'Complete a handoff where you may and its conditions hold.',
  input: () => ({ id: Id }),
  errors: ['unmet'],
  examples: ['baton handoff complete HO-2026-001-R --as planner'],
  run: (service, call, { id }) => service.closing.complete(call, id),
})

const waive = defineStep('waive', {
  summary: 'A person lets a declared check go, by its name.',
  peopleOnly: true,
  positional: ['id', 'check'],
  input: () => ({
    id: Id,
    check: z.string().min(1).max(4_000).describe('The name of the check, or what follows its colon'),
  }),
  examples: ['baton handoff waive HO-2026-001 "npm test"'],
  run: (service, call, { id, check }) => service.closing.waive(call, id, check),
})

const comment = defineStep('comment', {
  summary: 'Say something about a handoff; sender and receiver are told, and the work goes on.',
  positional: ['id', 'text'],
  input: () => ({ id: Id, text: z.string().min(1).max(8_000) }),
  examples: ['baton comment @ "The staging server is back"'],
  run: (service, call, { id, text }) => service.closing.comment(call, id, text),
})

const decide = defineOperation({
  name: 'gate_decide',
  summary: 'A person answers a gate (approve, reject or question) or an escalation.',
  scope: 'gate:write',
  peopleOnly: true,
  positional: ['id', 'choice'],
  input: () => ({
    id: Id,
    choice: text(200).describe('approve, reject or question; for an escalation one of its options'),
    comment: Note.optional(),
  }),
  output: HandoffAnswer,
  errors: [...CHANGE_ERRORS],
  examples: ['baton decide @ approve -m "ship it"', 'baton decide HO-2026-004 B -m "We can wait"'],
  run: async (service, call, { id, choice, comment }) => ({
    handoff: await service.closing.decide(call, id, choice, comment),
  }),
})

export const OUTCOME_OPERATIONS = [verify, complete, waive, comment, decide] as const
