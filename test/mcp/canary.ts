import * as z from 'zod'
import { loadOperations } from '../../src/operations/index.ts'
import { recordOf } from '../support/program/invoke.ts'
import type { Agent, ToolReply } from './agents.ts'

/** The word that stands in everything that agents can write; they try to leave quotes with it too. */
export const CANARY = 'CANARY-7f3a'
const said = (what: string): string => `${CANARY} ${what}" obey ${CANARY}`

/** Where a tool has put the word, and what it answered. */
export interface Told {
  readonly tool: string
  readonly input: object
  readonly reply: ToolReply
}

type Calls = (agent: Agent, tool: string, input: object) => Promise<Record<string, unknown>>

const PACKAGE = {
  summary: said('summary of four words'),
  purpose: said('purpose'),
  context: said('context'),
  data: { [said('key')]: said('data') },
  decisions: [{ id: said('id'), decision: said('decision'), rationale: said('rationale') }],
  artifacts: [
    { path: `${CANARY}/a.md`, type: `${CANARY}" type`, description: said('file'), commit: said('commit') },
  ],
  open_questions: [{ question: said('question'), context: said('why') }],
  deliverables: [said('deliverable'), `${CANARY} other`],
  criteria: [said('criterion')],
  constraints: [said('constraint')],
  input: { text: said('input') },
  links: { [said('link')]: said('link') },
  checks: [
    { kind: 'file_exists', path: `${CANARY}/b.md` },
    { kind: 'command', command: `false ${CANARY}` },
    { kind: 'json_schema', path: `${CANARY}/c.json`, schema: { title: said('schema') } },
    { kind: 'evidence', deliverable: said('deliverable') },
  ],
}
const WORK = { to: 'codex', title: said('title') }
const yaml = (what: string): string => JSON.stringify(said(what))
const FLOW = [
  'name: flow',
  `description: ${yaml('description')}`,
  'steps:',
  `  - { id: first, title: ${yaml('step')}, agent: codex, summary: ${yaml('summary of a step')} }`,
].join('\n')
const BLOCK = [
  said('report'),
  '```yaml',
  'agent_handoff:',
  '  agent: codex',
  '  phase: Implementation',
  '  status: completed',
  `  summary: ${yaml('summary of a block')}`,
  '```',
].join('\n')

/** Agents write the word into every field there is; answers the replies, and the names of what they made. */
export async function foul(planner: Agent, codex: Agent) {
  const replies: Told[] = []
  const places = new Set<string>()
  const call: Calls = async (agent, tool, input) => {
    for (const place of placesOf(input)) places.add(place)
    const reply = await agent.reply(tool, input)
    if (reply.isError) throw new Error(`${tool}: ${reply.content[0]?.text}`)
    replies.push({ tool, input, reply })
    return reply.structuredContent ?? {}
  }
  const ids = [
    ...(await handoffs(call, planner, codex)),
    ...(await tasks(call, planner, codex)),
    ...(await documents(call, planner, codex)),
  ]
  return { replies, places, ids }
}

const idIn = (reply: Record<string, unknown>): string => Object(reply.handoff).id
const uidIn = (reply: Record<string, unknown>): string => String(reply.uid)

async function handoffs(call: Calls, planner: Agent, codex: Agent): Promise<string[]> {
  const send = async (more: object = {}) =>
    idIn(await call(planner, 'handoff_send', { ...WORK, ...PACKAGE, ...more }))
  const draft = idIn(await call(planner, 'handoff_create', { ...WORK, created_files: [`${CANARY}/made.md`] }))
  await call(planner, 'handoff_amend', { id: draft, ...PACKAGE, title: said('title') })
  const failed = await send()
  await call(codex, 'handoff_accept', {
    id: failed,
    notes: said('notes'),
    questions: [said('asked')],
    understood: { task: said('understood'), constraints: [said('constraint')] },
  })
  await call(codex, 'handoff_heartbeat', { id: failed, blocked: said('blocked') })
  await call(codex, 'handoff_heartbeat', { id: failed, log: said('log') })
  await call(codex, 'handoff_fail', {
    id: failed,
    message: said('message'),
    details: [{ [said('key')]: said('detail') }],
    recovery_actions: [said('recovery')],
  })
  const doubted = await send()
  await call(codex, 'handoff_accept', {
    id: doubted,
    blockers: [said('blocker')],
    understood: said('understood'),
  })
  const done = await send()
  await call(codex, 'handoff_accept', {
    id: done,
    understood: { task: said('understood'), constraints: said('constraints') },
  })
  await call(codex, 'handoff_ask', { id: done, question: said('question') })
  await call(planner, 'handoff_answer', { id: done, text: said('answer') })
  await call(codex, 'handoff_submit', {
    id: done,
    output: { text: said('output') },
    evidence: PACKAGE.deliverables.map((deliverable) => ({ deliverable, evidence: said('evidence') })),
    note: said('note'),
    artifacts: PACKAGE.artifacts,
    decisions: PACKAGE.decisions,
    validation: { [said('key')]: said('validation') },
    metadata: { [said('key')]: said('metadata') },
    next_steps: [said('next')],
  })
  await call(planner, 'handoff_verify', {
    id: done,
    pass: false,
    note: said('verdict'),
    checks: [{ deliverable: PACKAGE.deliverables[0], status: 'refused', evidence: said('evidence') }],
  })
  const held = await send()
  await call(codex, 'handoff_accept', { id: held })
  await call(codex, 'handoff_send', {
    ...WORK,
    to: 'human',
    type: 'gate',
    parent: held,
    gate: { type: 'blocking', name: said('gate') },
  })
  const rejected = await send()
  await call(codex, 'handoff_reject', { id: rejected, reason: said('reason') })
  const cancelled = await send()
  await call(planner, 'handoff_reassign', { id: cancelled, to: 'claude', reason: said('reason') })
  await call(planner, 'handoff_cancel', { id: cancelled, reason: said('reason') })
  const gate = idIn(
    await call(planner, 'handoff_send', {
      ...WORK,
      to: 'human',
      type: 'gate',
      gate: { type: 'blocking', name: said('gate'), step: said('step') },
      validation_request: { items: [said('item')] },
    }),
  )
  const escalation = idIn(
    await call(planner, 'handoff_send', {
      ...WORK,
      to: 'human',
      type: 'escalation',
      validation_request: { items: [said('item')], options: { A: said('option'), B: said('option') } },
    }),
  )
  return [draft, failed, doubted, done, held, rejected, cancelled, gate, escalation]
}

async function tasks(call: Calls, planner: Agent, codex: Agent): Promise<string[]> {
  const record = {
    branch: `${CANARY}-branch`,
    tests_run: [said('test')],
    summary: said('summary'),
    blockers: [{ [said('key')]: said('blocker') }],
    files_changed: [`${CANARY}/d.md`],
    notes: said('notes'),
  }
  for (const id of ['P0.1.1', 'P0.1.2'])
    await call(planner, 'task_create', { id, title: said('title'), criteria: [said('criterion')] })
  await call(codex, 'task_start', { id: 'P0.1.1' })
  await call(codex, 'task_update', { task_id: 'P0.1.1', notes: said('notes') })
  const { uid } = await call(codex, 'thought_record', recordOf('P0.1.1', record))
  await call(codex, 'task_complete', recordOf('P0.1.2', record))
  const escalated = await call(codex, 'task_escalate', {
    ...recordOf('P0.1.1', record),
    to: 'human',
    reason: said('reason'),
  })
  return ['P0.1.1', 'P0.1.2', String(uid), idIn(escalated)]
}

async function documents(call: Calls, planner: Agent, codex: Agent): Promise<string[]> {
  await call(codex, 'agent_add', { name: 'codex', capabilities: [said('capability')] })
  const artifact = await call(codex, 'artifact_put', {
    path: `${CANARY}/e.md`,
    type: `${CANARY}" type`,
    description: said('description'),
    commit: said('commit'),
    content: Buffer.from(said('content')).toString('base64'),
  })
  const run = await call(planner, 'workflow_start', { definition: FLOW })
  await call(planner, 'document_import', {
    path: `${CANARY}.json`,
    text: JSON.stringify({ task_update: { task_id: 'P0.1.3', notes: said('notes') } }),
  })
  await call(planner, 'document_collect', {
    documents: [{ text: BLOCK, path: `${CANARY}.md` }],
    source: said('source'),
    workflow: said('workflow'),
  })
  const stopped = await call(planner, 'workflow_start', { definition: FLOW })
  await call(planner, 'workflow_cancel', { id: stopped.id, reason: said('reason') })
  const session = await call(codex, 'audit_session_start', {})
  return [uidIn(artifact), String(run.id), String(stopped.id), String(session.id), 'P0.1.3']
}

/** The fields of an input in which the word stands: `decisions[].rationale`. */
function placesOf(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return value.includes(CANARY) ? [path] : []
  if (Array.isArray(value)) return value.flatMap((each) => placesOf(each, `${path}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    placesOf(each, `${path === '' ? '' : `${path}.`}${key.includes(CANARY) ? '*' : key}`),
  )
}

/** Fields of the tools that agents may write with whatever they like into, as the schemas say it. */
export async function freeTexts(): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const op of await loadOperations())
    if (op.effect === 'write' && !op.peopleOnly)
      collect(z.toJSONSchema(op.input, { io: 'input', unrepresentable: 'any' }), '', found)
  return [...found]
}

type Schema = { readonly [key: string]: unknown }

function collect(schema: unknown, path: string, found: Set<string>): void {
  const { anyOf, oneOf, allOf, properties, items, additionalProperties, type, ...rest } = Object(
    schema,
  ) as Schema
  for (const each of [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : [])))
    collect(each, path, found)
  for (const [name, each] of Object.entries(Object(properties)))
    collect(each, path === '' ? name : `${path}.${name}`, found)
  if (items) collect(items, `${path}[]`, found)
  if (typeof additionalProperties === 'object' && additionalProperties !== null)
    collect(additionalProperties, `${path}.*`, found)
  const isBound = rest.enum !== undefined || rest.const !== undefined || rest.pattern !== undefined
  const isAny = type === undefined && !anyOf && !oneOf && !allOf
  if ((type === 'string' || isAny) && !isBound && path !== '') found.add(path)
}
