import * as z from 'zod'
import {
  acceptFields,
  claimFields,
  failFields,
  heartbeatFields,
  Id,
  releaseFields,
  submitFields,
} from '../../domain/handoffs/inputs.ts'
import { CheckResult } from '../../domain/handoffs/package.ts'
import { optional } from '../../domain/once.ts'
import { present } from '../../domain/present.ts'
import { text } from '../../domain/schema-parts.ts'
import { defineOperation } from '../operation.ts'
import { CHANGE_ERRORS, defineStep, HandoffAnswer, mutable } from './fields.ts'

const accept = defineOperation({
  name: 'handoff_accept',
  summary:
    'Accept a handoff that was offered to you: say the task in your own words. With blockers, say what is unclear instead of starting.',
  scope: 'handoff:write',
  tools: 'default',
  positional: ['id'],
  input: () => ({
    id: Id,
    ...acceptFields(),
    received: optional(z.literal(true), 'Part of the acknowledgment of a package; always true'),
    action: optional(z.literal('request_clarification'), 'The same as understood: partial'),
  }),
  output: () =>
    HandoffAnswer().extend({
      checks: optional(z.array(CheckResult()), 'The checks that were made before the work began'),
      acknowledgment: optional(z.record(z.string(), z.unknown()), 'The acknowledgment of a package'),
    }),
  errors: [...CHANGE_ERRORS, 'unmet'],
  aliases: { starting: 'start' },
  examples: [
    'baton accept @ --as codex',
    'baton accept @ --as codex --understood "Limit the public API to 100 requests a minute"',
    'baton accept HO-2026-001 --as codex --blocker "Constraint \'quickly\' not measurable"',
  ],
  run: async (service, call, { id, received: _, action, ...input }) => {
    const asked = action === undefined ? input : { ...input, understood: 'partial' }
    const { checks, acknowledgment, ...handoff } = await service.receiving.accept(call, id, asked)
    return mutable({ handoff, ...present({ checks, acknowledgment }) })
  },
})

const reject = defineStep('reject', {
  summary: 'Decline a handoff, or give accepted work back. The sender is told why.',
  tools: 'default',
  input: () => ({
    id: Id,
    reason: text(8_000).describe('Why, for the sender'),
    reason_type: optional(z.string().max(40), 'For example skill_gap, which also tells the chief'),
  }),
  examples: ['baton reject @ -m "I have no access to the billing service" --as codex'],
  run: (service, call, { id, reason, reason_type }) =>
    service.receiving.reject(call, id, {
      type: reason_type ?? (reason === 'skill_gap' ? 'skill_gap' : 'other'),
      message: reason,
    }),
})

const claim = defineOperation({
  name: 'handoff_claim',
  summary: 'Take the next handoff of your queue, by priority and then age.',
  scope: 'handoff:write',
  input: claimFields,
  output: () => HandoffAnswer().partial(),
  untrusted: ['handoff'],
  errors: ['unavailable'],
  examples: ['baton handoff claim --as react-specialist'],
  run: async (service, call, input) => {
    const handoff = await service.receiving.claim(call, input)
    return handoff ? { handoff } : {}
  },
})

const heartbeat = defineStep('heartbeat', {
  summary: 'Say that you are still at work; tell progress, or that you are blocked.',
  input: () => ({ id: Id, ...heartbeatFields() }),
  examples: ['baton handoff heartbeat @ --as codex --progress 40'],
  run: async (service, call, { id, log, ...input }) => {
    const { attempt, ...said } = present(input)
    const handoff =
      log === undefined ? undefined : await (await service.programs()).show(call, id, log, attempt)
    return handoff && Object.keys(said).length === 0 ? handoff : service.receiving.heartbeat(call, id, input)
  },
})

const ask = defineStep('ask', {
  summary: 'Ask the sender something you need to know. The handoff waits for the answer.',
  tools: 'default',
  positional: ['id', 'question'],
  input: () => ({ id: Id, question: text(8_000) }),
  examples: ['baton ask @ "Which endpoints are public?" --as codex'],
  run: (service, call, { id, question }) => service.receiving.ask(call, id, question),
})

const answer = defineStep('answer', {
  summary: 'Answer a question about a handoff you sent; the work goes on where it stopped.',
  tools: 'default',
  positional: ['id', 'text'],
  input: () => ({ id: Id, text: text(8_000) }),
  examples: ['baton answer @ "Only /v1 is public"'],
  run: (service, call, { id, text }) => service.receiving.answer(call, id, text),
})

const submit = defineOperation({
  name: 'handoff_submit',
  summary: 'Hand in what you did, with evidence for every deliverable or a note.',
  scope: 'handoff:write',
  tools: 'default',
  positional: ['id'],
  input: () => ({ id: Id, ...submitFields() }),
  output: () =>
    HandoffAnswer().extend({
      checks: optional(z.array(CheckResult()), 'Your own run of the checks; a verifier runs them again'),
    }),
  untrusted: ['checks'],
  errors: [...CHANGE_ERRORS, 'unmet'],
  examples: ['baton submit @ --as codex --evidence "Middleware in src/=src/limit.ts" -m "12 tests"'],
  run: async (service, call, { id, ...input }) => {
    const { checks, ...handoff } = await service.receiving.submit(call, id, input)
    return { handoff, ...present({ checks }) }
  },
})

const fail = defineStep('fail', {
  summary: 'Report that you cannot do the work, with the reason. Its retry rule decides what follows.',
  tools: 'default',
  input: () => ({ id: Id, ...failFields() }),
  examples: ['baton fail @ -m "The build machine is down" --as codex'],
  run: (service, call, { id, ...input }) => service.receiving.fail(call, id, input),
})

const release = defineStep('release', {
  summary: 'Give work back unfinished. It is offered again at once and no retry is spent.',
  input: () => ({ id: Id, ...releaseFields() }),
  examples: ['baton handoff release @ -m "the machine restarts" --as codex'],
  run: (service, call, { id, ...input }) => service.receiving.release(call, id, input),
})

export const RECEIVER_OPERATIONS = [
  accept,
  reject,
  claim,
  heartbeat,
  ask,
  answer,
  submit,
  fail,
  release,
] as const
