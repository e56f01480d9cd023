import * as z from 'zod'
import { AgentName } from '../../domain/agent.ts'
import { BatonError } from '../../domain/errors.ts'
import { Id, Note, newHandoffFields, Title } from '../../domain/handoffs/inputs.ts'
import { Package } from '../../domain/handoffs/package.ts'
import { present } from '../../domain/present.ts'
import { defineOperation } from '../operation.ts'
import { CHANGE_ERRORS, defineStep, HandoffAnswer, mutable } from './fields.ts'

const Sent = () =>
  HandoffAnswer().extend({ warnings: z.array(z.object({ code: z.string(), message: z.string() })) })

const create = defineOperation({
  name: 'handoff_create',
  summary: 'Write a handoff as a draft, without sending it.',
  scope: 'handoff:write',
  input: newHandoffFields,
  output: Sent,
  errors: [...CHANGE_ERRORS, 'limit_exceeded'],
  examples: ['baton create --to codex --title "Add rate limiting" --deliverable "Middleware in src/"'],
  run: async (service, call, input) => mutable(await service.sending.create(call, input)),
})

const send = defineOperation({
  name: 'handoff_send',
  summary:
    'Hand work to another agent or a person: the task, the results to hand in and the conditions for done.',
  scope: 'handoff:write',
  tools: 'default',
  positional: ['id'],
  input: () => ({
    ...newHandoffFields(),
    to: AgentName.optional().describe('The receiver'),
    title: Title.optional(),
    id: Id.optional().describe('A draft to send; leave it out to create and send in one'),
  }),
  output: Sent,
  errors: [...CHANGE_ERRORS, 'limit_exceeded'],
  examples: [
    'baton send --to codex --title "Add rate limiting" --summary "API needs limits before launch" --deliverable "Middleware in src/" --criterion "npm test passes"',
    'baton send HO-2026-001',
  ],
  run: async (service, call, { id, to, title, ...rest }) => {
    if (id !== undefined) return mutable(await service.sending.sendDraft(call, id))
    const given = named(to, title)
    return mutable(await service.sending.send(call, { ...rest, ...given }))
  },
})

const resend = defineOperation({
  name: 'handoff_resend',
  summary: 'Send an ended handoff again; the old one stays as it ended.',
  scope: 'handoff:write',
  positional: ['id'],
  input: () => ({ id: Id, to: AgentName.optional() }),
  output: Sent,
  errors: [...CHANGE_ERRORS, 'limit_exceeded'],
  examples: ['baton resend HO-2026-007', 'baton resend HO-2026-007 --to claude'],
  run: async (service, call, { id, to }) => mutable(await service.sending.resend(call, id, to)),
})

const amend = defineStep('amend', {
  summary: 'Change a handoff you sent; a receiver at work is told.',
  input: () => ({ id: Id, title: Title.optional(), ...Package().shape }),
  examples: ['baton edit HO-2026-001 --criterion "p95 under 200 ms"'],
  run: (service, call, { id, ...change }) => service.sending.amend(call, id, present(change)),
})

const retry = defineStep('retry', {
  summary: 'Offer a failed handoff again.',
  input: () => ({ id: Id }),
  examples: ['baton retry HO-2026-001'],
  run: (service, call, { id }) => service.receiving.retry(call, id),
})

const reassign = defineOperation({
  name: 'handoff_reassign',
  summary: 'Give a handoff you sent to another receiver.',
  scope: 'handoff:write',
  positional: ['id', 'to'],
  input: () => ({ id: Id, to: AgentName, reason: Note.optional() }),
  output: Sent,
  errors: CHANGE_ERRORS,
  examples: ['baton reassign HO-2026-001 --to gemini -m "codex is away"'],
  run: async (service, call, { id, to, reason }) => {
    // Before this makes the name known.
    const warnings = await service.sending.warningsOf(to)
    return mutable({ handoff: await service.sending.reassign(call, id, to, reason), warnings })
  },
})

const cancel = defineStep('cancel', {
  summary: 'Cancel a handoff you sent; its receiver is told.',
  input: () => ({ id: Id, reason: Note.optional() }),
  examples: ['baton cancel HO-2026-001 -m "no longer needed"'],
  run: (service, call, { id, reason }) => service.sending.cancel(call, id, reason),
})

export const SENDER_OPERATIONS = [create, send, resend, amend, retry, reassign, cancel] as const

/** Creating and sending in one needs both. */
function named(to: string | undefined, title: string | undefined): { to: string; title: string } {
  if (to !== undefined && title !== undefined) return { to, title }
  const missing = [to === undefined && 'to', title === undefined && 'title'].filter(
    (field) => field !== false,
  )
  throw new BatonError('invalid_input', `${missing.join(' and ')} missing: name the receiver and the title`, {
    missing,
  })
}
