import * as z from 'zod'
import { openDisclosure } from '../../audit/disclosure.ts'
import { recordIn } from '../../audit/entry.ts'
import { AgentName } from '../../domain/agent.ts'
import { Handoff, type HandoffType, TYPES } from '../../domain/handoffs/handoff.ts'
import { Artifact, Id } from '../../domain/handoffs/inputs.ts'
import {
  Acknowledgment,
  Package,
  Result,
  ThreadItem,
  VerificationRecord,
  Waiver,
} from '../../domain/handoffs/package.ts'
import { PERMITTED, permitted } from '../../domain/handoffs/permitted.ts'
import { SEARCH_KINDS, STATES } from '../../domain/lifecycle.ts'
import { optional } from '../../domain/once.ts'
import { Notice } from '../../domain/people/notice.ts'
import { Asked } from '../../domain/people/people-schema.ts'
import { present } from '../../domain/present.ts'
import { TaskId } from '../../domain/tasks/task.ts'
import type { LogEntry } from '../../service/service.ts'
import { defineOperation, PAGE, pageOf, WARNING } from '../operation.ts'
import { HandoffAnswer, mutable } from './fields.ts'

const Event = () =>
  z.object({
    at: z.string(),
    act: z.string(),
    by: z.string(),
    auth: z.string(),
    rev: z.int(),
    hash: z.string(),
    why: z.string().optional().describe('Reason that was given'),
  })

const Above = () => z.object({ id: z.string(), title: z.string(), state: z.enum(STATES) })

const GateResponse = () =>
  z.object({ decision: z.string(), by: z.string(), at: z.string(), comment: z.string().optional() })

const inbox = defineOperation({
  name: 'handoff_inbox',
  summary: 'Your open work: handoffs to accept, finish, verify or answer, and new notices.',
  scope: 'handoff:read',
  tools: 'default',
  input: PAGE,
  output: () =>
    z.object({
      items: z.array(Handoff()),
      gates: z.array(Asked()).optional().describe('Details of the items that ask for a decision'),
      notices: z.array(Notice()),
      also: z.array(Handoff()).optional().describe('Work that you may move although it waits for another'),
      also_more: z.boolean().optional().describe('There is more of such work; handoff_list tells all of it'),
      next: z.string().optional(),
    }),
  untrusted: ['items', 'notices', 'also'],
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton inbox', 'baton inbox --as codex --json'],
  run: async (service, { actor }, input) => {
    const isPerson = actor.kind === 'human'
    const page = await service.looking.inbox(actor.name, pageOf(input), isPerson)
    const isFirst = isPerson && input.cursor === undefined
    return mutable({ ...page, ...(isFirst && (await service.looking.movable(actor))) })
  },
})

const get = defineOperation({
  name: 'handoff_get',
  summary: 'One handoff with its package, what was handed in, questions and answers, attempts and timeline.',
  scope: 'handoff:read',
  tools: 'default',
  positional: ['id'],
  input: () => ({ id: Id }),
  output: () =>
    HandoffAnswer().extend({
      package: Package(),
      result: Result().optional(),
      gate_response: GateResponse().optional(),
      thread: z.array(ThreadItem()),
      verifications: z.array(VerificationRecord()),
      acknowledgment: Acknowledgment().optional(),
      waived: z.array(Waiver()).optional(),
      replaces: z.string().optional().describe('Id of the ended handoff that it replaces'),
      timeline: z.array(Event()),
      path: z.array(Above()).optional().describe('The handoffs above it, the first of the chain first'),
      about: z.string().optional().describe('Id of the work that this gate is about'),
      files: z.array(Artifact()).optional().describe('Files that were registered or stored with it'),
      may: z.array(z.enum(PERMITTED)).describe('Steps that the caller may take now'),
      ...WARNING(),
    }),
  untrusted: [
    'handoff',
    'package',
    'result',
    'thread',
    'verifications',
    'acknowledgment',
    'waived',
    'path',
    'files',
    'timeline',
  ],
  errors: ['invalid_input', 'not_found', 'unavailable'],
  examples: ['baton show HO-2026-001', 'baton show @'],
  run: async (service, { actor }, { id }) => {
    const { handoff, content, timeline, path, about, files } = await service.looking.get(id)
    const { supersedes, uid } = handoff
    const replaced = supersedes === undefined ? undefined : await service.deps.store.handoff(supersedes)
    return {
      handoff,
      ...mutable(content),
      ...responseOf(handoff.type, content.thread),
      timeline: timeline.map(toEvent),
      ...(path.length > 0 && { path: path.map(({ id, title, state }) => ({ id, title, state })) }),
      ...(files.length > 0 && { files: [...files] }),
      may: [...permitted(actor, handoff, service.deps.policy, await service.deps.store.agent(actor.name))],
      ...present({
        about: about?.id,
        replaces: replaced?.id,
        warning: await service.changedOutside('handoff', uid),
      }),
    }
  },
})

/** One document that a search found. */
const Found = () =>
  z.object({
    kind: z.enum(SEARCH_KINDS),
    uid: z.string(),
    id: z.string(),
    title: z.string(),
    state: z.string().optional(),
    from: z.string().optional(),
    to: z.string().optional(),
    at: z.string().describe('Last change'),
    place: z.string().optional().describe('Field that holds the words, for example package.summary'),
    text: z.string().optional().describe('That text around the first word'),
  })

const list = defineOperation({
  name: 'handoff_list',
  summary: 'Handoffs, newest first, or a search over all kinds.',
  scope: 'handoff:read',
  positional: ['text'],
  input: () => ({
    state: z.union([z.enum(STATES).transform((s) => [s]), z.array(z.enum(STATES))]).optional(),
    from: AgentName.optional(),
    to: AgentName.optional(),
    task: TaskId.optional(),
    type: z.enum(TYPES).optional(),
    parent: z.string().max(100).optional().describe('uid of the one before'),
    run: z.string().max(100).optional().describe('uid of the workflow run'),
    ref: z.string().max(100).optional().describe('A part of the id'),
    text: z.string().max(200).optional().describe('Words to find'),
    with: AgentName.optional(),
    since: z.string().max(40).optional().describe('monday or 3d'),
    kind: z.enum(SEARCH_KINDS).optional(),
    ...PAGE(),
  }),
  // `found` is the answer of a search, best first: words in id or title come before others, then the last changed.
  // `items` are the handoffs among them, and `place` is the field that holds most of the words: `package.summary`.
  output: () =>
    z.object({
      items: z.array(Handoff()),
      found: z.array(Found()).optional().describe('All that a search found, best first'),
      unread: z.array(z.string()).optional().describe('Scopes that the token lacks to find more'),
      next: z.string().optional(),
    }),
  untrusted: ['items', 'found'],
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton list --state in_review', 'baton list "token bucket" --with codex --since monday'],
  run: async (service, call, { limit, cursor, text, since, kind, ...filter }) => {
    const page = pageOf({ limit, cursor })
    const { with: agent, ref, state, ...rest } = present(filter)
    if ((text ?? agent ?? since ?? kind) === undefined)
      return mutable(await service.looking.list(present({ ref, state, ...rest }), page))
    const single = { ...rest, ...present({ with: agent, kind }) }
    const facets = Object.fromEntries(Object.entries(single).map(([name, value]) => [name, [value]]))
    const asked = { text: [text, ref].join(' '), since, facets: { ...facets, ...present({ state }) } }
    const { items, ...others } = await service.looking.search(call, asked, page)
    const found = items.map(({ handoff: _, ...hit }) => hit)
    return mutable({ items: items.flatMap(({ handoff }) => handoff ?? []), found, ...others })
  },
})

const wait = defineOperation({
  name: 'handoff_wait',
  summary:
    'Wait for the result of a handoff. Refused with the reason when it ends otherwise; not done when time is up.',
  scope: 'handoff:read',
  tools: 'default',
  positional: ['id'],
  input: () => ({
    id: Id,
    timeout_s: optional(
      z.coerce.number().min(0).max(86_400),
      "Seconds (the handoff's own timeout, else 300)",
    ),
  }),
  output: () =>
    HandoffAnswer().extend({
      done: z.boolean().describe('Whether it is completed; if not, it is still open and time is up'),
      left_s: optional(
        z.number(),
        'A call is held for about a minute; so many seconds are left to call again for',
      ),
      ...Result().shape,
    }),
  untrusted: () => ['handoff', ...Object.keys(Result().shape)],
  errors: ['invalid_input', 'not_found', 'failed', 'unavailable'],
  examples: ['baton wait HO-2026-001 --timeout 10m'],
  run: async (service, { hold }, { id, timeout_s }) => {
    const held = hold && (await service.waitHeld(id, { timeout_s }, hold))
    const { handoff, left_s } = held ?? { handoff: await service.wait(id, { timeout_s }) }
    const done = handoff.state === 'completed'
    const content = done ? await service.deps.store.content(handoff.uid) : undefined
    return mutable({ handoff, done, ...present({ left_s }), ...content?.result })
  },
})

const running = defineOperation({
  name: 'handoff_running',
  summary: 'Programs that run now, or one with its output.',
  scope: 'handoff:read',
  positional: ['id'],
  input: () => ({ id: Id.optional() }),
  output: () =>
    z.object({
      items: z.array(
        Handoff()
          .pick({ uid: true, id: true, title: true, from: true, to: true, state: true, attempt: true })
          .extend({
            since: z.string().describe('Start of the attempt'),
            log: optional(z.string(), 'End of its output'),
          }),
      ),
    }),
  untrusted: ['items'],
  errors: ['invalid_input', 'not_found', 'unavailable'],
  examples: ['baton handoff running', 'baton handoff running HO-2026-001'],
  run: async (service, call, { id }) => mutable({ items: await (await service.programs()).list(call, id) }),
})

export const QUERY_OPERATIONS = [inbox, get, list, wait, running] as const

/** The person's last answer, in document 004's words. */
function responseOf(
  type: HandoffType,
  thread: readonly ThreadItem[],
): { gate_response?: z.infer<ReturnType<typeof GateResponse>> } {
  if (type !== 'gate' && type !== 'escalation') return {}
  const said = thread.findLast(({ choice }) => choice !== undefined)
  if (said?.choice === undefined) return {}
  const { choice: decision, by, at, text } = said
  return { gate_response: { decision, by, at, ...(text !== '' && { comment: text }) } }
}

function toEvent(entry: LogEntry): z.infer<ReturnType<typeof Event>> {
  const { at, act, hash } = entry
  const { actor, auth, sub } = recordIn(entry)
  const reasons = act === 'handoff.verify_fail' ? ['note'] : ['reason', 'error', 'blocked_on']
  const said = (entry.disclosures ?? []).map(openDisclosure)
  const why = said.find(({ name, value }) => reasons.includes(name) && typeof value === 'string')?.value
  return { at, act, by: actor.id, auth, rev: sub.rev, hash, ...(why ? { why: String(why) } : {}) }
}
