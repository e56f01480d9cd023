import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import type { Service } from '../../src/service/service.ts'
import { EXAMPLE, recordOf } from '../support/program/invoke.ts'
import { by, person } from '../support/program/workspace.ts'

/** Everything that has an id. */
export const KINDS = ['handoff', 'task', 'record', 'artifact', 'notice', 'session', 'run', 'agent'] as const
export type Kind = (typeof KINDS)[number]
export type Ids = Readonly<Record<Kind, readonly string[]>>

const EVIDENCE = [{ deliverable: 'a result', evidence: 'here' }]
const WORK = { to: 'codex', title: 'Work', deliverables: ['a result'] }
const FLOW = 'name: flow\nsteps:\n  - { id: first, title: First, agent: codex, summary: Do the first part }\n'

/** One of everything, with this word in its texts; answers every name that each goes by. */
export async function oneOfEach(service: Service, task: string, word: string): Promise<Ids> {
  const agent = `agent-of-${task.toLowerCase()}`
  const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: word, summary: word })
  const made = await service.tasks.create(by('planner'), { id: task, title: word })
  await service.tasks.start(by('codex'), task)
  const record = await service.tasks.record(by('codex'), task, recordOf(task, { summary: `${word}. A. B.` }))
  const artifact = await service.artifacts.put(by('codex'), { path: `${word}.md`, handoff: handoff.uid })
  await service.receiving.reject(by('codex'), handoff.id, { type: 'other', message: word })
  const { notices } = await service.looking.inbox('planner', { limit: 5 })
  const session = await (await service.audit()).start(by('codex'))
  const run = await (await service.workflows()).start(by('planner'), { definition: FLOW })
  await service.agents.add(person('maria'), { name: agent })
  return {
    handoff: [handoff.uid, handoff.id],
    task: [made.task.id],
    record: [record.uid],
    artifact: [artifact.uid],
    notice: [notices[0]!.uid],
    session: [session.uid, session.id],
    run: [run.uid, run.id],
    agent: [agent],
  }
}

/** A field that names something, and an input with which nothing but that name can be wrong. */
export interface Naming {
  readonly kinds: readonly Kind[]
  readonly input: (id: unknown) => object
  /** What it is refused with where that is not `not_found`. */
  readonly code?: string
  /** A word that narrows a list: a strange one is no error, and finds nothing. */
  readonly narrows?: boolean
}

const names = (kinds: Kind | readonly Kind[], field: string, more: object = {}): Naming => ({
  kinds: typeof kinds === 'string' ? [kinds] : kinds,
  input: (id) => ({ ...more, [field]: id }),
})
const narrows = (kind: Kind, field: string): Naming => ({ ...names(kind, field), narrows: true })

const { task_id: _, ...RECORD } = EXAMPLE
/** A return can only answer what waits for it; whatever else is named is no answer, wherever it is. */
const ANSWER = {
  home: 'package',
  to: 'planner',
  title: 'Back',
  summary: 'All of it was done',
  type: 'return',
}
const reports = [narrows('task', 'task'), names('run', 'run'), narrows('agent', 'agent')]
const making = [names('handoff', 'parent', WORK), names('handoff', 'supersedes', WORK)]

/** Every field of every tool by which something can be named that belongs to somebody. */
// biome-ignore format: read as a table
export const NAMING: Readonly<Record<string, readonly Naming[]>> = {
  handoff_create:     making,
  handoff_send:       [...making, names('handoff', 'id'), { ...names('handoff', 'in_reply_to', ANSWER), code: 'invalid_input' }],
  handoff_amend:      [names('handoff', 'id', { title: 'Other' })],
  handoff_resend:     [names('handoff', 'id')],
  handoff_retry:      [names('handoff', 'id')],
  handoff_reassign:   [names('handoff', 'id', { to: 'codex' })],
  handoff_cancel:     [names('handoff', 'id')],
  handoff_accept:     [names('handoff', 'id')],
  handoff_reject:     [names('handoff', 'id', { reason: 'No' })],
  handoff_heartbeat:  [names('handoff', 'id')],
  handoff_ask:        [names('handoff', 'id', { question: 'Which?' })],
  handoff_answer:     [names('handoff', 'id', { text: 'This' })],
  handoff_submit:     [names('handoff', 'id', { evidence: EVIDENCE })],
  handoff_fail:       [names('handoff', 'id', { message: 'No' })],
  handoff_release:    [names('handoff', 'id')],
  handoff_verify:     [names('handoff', 'id', { pass: true })],
  handoff_complete:   [names('handoff', 'id')],
  handoff_waive:      [names('handoff', 'id', { check: 'npm test' })],
  handoff_comment:    [names('handoff', 'id', { text: 'Look' })],
  handoff_get:        [names('handoff', 'id')],
  handoff_wait:       [names('handoff', 'id')],
  handoff_running:    [names('handoff', 'id')],
  handoff_list:       [narrows('handoff', 'parent'), narrows('task', 'task'), narrows('run', 'run'), narrows('agent', 'from')],
  gate_decide:        [names('handoff', 'id', { choice: 'approve' })],
  task_create:        [{ kinds: ['task'], input: (id) => ({ id: 'P7.7.7', title: 'New', depends_on: [id] }) }],
  task_get:           [names('task', 'id')],
  task_start:         [names('task', 'id')],
  task_brief:         [names('task', 'id')],
  task_log:           [names('task', 'id')],
  task_reopen:        [names('task', 'id', { reason: 'Not done' })],
  task_update:        [names('task', 'task_id', { progress: 10 })],
  task_complete:      [names('task', 'task_id', RECORD)],
  task_escalate:      [names('task', 'task_id', { ...RECORD, to: 'human' })],
  task_list:          [narrows('agent', 'owner')],
  thought_record:     [names('task', 'task_id', RECORD),
                       { kinds: ['record'], input: (id) => ({ ...EXAMPLE, related_thought_records: [id] }) }],
  thought_list:       [narrows('task', 'task_id')],
  thought_attest:     [names('record', 'uid', { reason: 'Seen' })],
  document_export:    [names(['handoff', 'task'], 'id', { to: 'package' })],
  document_collect:   [names('run', 'run', { documents: [{ text: 'No block in here.' }] })],
  report_metrics:     reports,
  report_progress:    reports,
  report_history:     reports,
  audit_sessions:     [narrows('agent', 'by')],
  audit_verify_chain: [names('session', 'session')],
  merkle_finalize:    [names('session', 'session')],
  merkle_root:        [names('session', 'session')],
  audit_proof:        [names(['handoff', 'task', 'record', 'session'], 'id')],
  audit_redact:       [names(['handoff', 'task', 'record'], 'id', { field: 'summary', reason: 'leaked-key' })],
  workflow_status:    [names('run', 'id')],
  workflow_resume:    [names('run', 'id')],
  workflow_cancel:    [names('run', 'id')],
  workflow_picture:   [names('run', 'run')],
  agent_remove:       [names('agent', 'name')],
  artifact_put:       [names('handoff', 'handoff', { path: 'a.md' })],
  artifact_get:       [names('artifact', 'uid')],
  notice_ack:         [names('notice', 'uid')],
}

/** Tools that take no name of anything, and why. */
// biome-ignore format: read as a table
export const NAMELESS: readonly (readonly [why: string, ...tools: string[]])[] = [
  ['answer of the caller or of the whole workspace', 'handoff_inbox', 'handoff_claim', 'task_next_actions', 'agent_list',
    'audit_session_start', 'audit_checkpoint', 'audit_log', 'audit_key', 'report_flow', 'report_status', 'task_plan', 'workflow_list'],
  ['work on the text that they are given', 'document_check', 'document_convert', 'document_import', 'workflow_check', 'workflow_start'],
  ['makes a name or changes what is said of one, which anybody may choose', 'agent_add'],
]

/** Somebody who may not, in which state of what, and an input that the right one could call with. */
export interface Wrong {
  readonly stage: Stage
  readonly who: readonly Stranger[]
  readonly input: (id: string) => object
  /** What it is refused with where that is not `not_allowed`. */
  readonly code?: string
}

/** What is done with a handoff of planner to codex, with a task of codex, or with a run of planner. */
export type Stranger = 'mallory' | 'planner' | 'codex' | 'maria-the-agent'
export type Stage = (service: Service) => Promise<string>

const sent: Stage = async (service) => (await service.sending.send(by('planner'), WORK)).handoff.id
const draft: Stage = async (service) => (await service.sending.create(by('planner'), WORK)).handoff.id
const taken: Stage = async (service) => (await service.receiving.accept(by('codex'), await sent(service))).id
const asked: Stage = async (service) =>
  (await service.receiving.ask(by('codex'), await taken(service), 'Which?')).id
const handedIn: Stage = async (service) =>
  (await service.receiving.submit(by('codex'), await taken(service), { evidence: EVIDENCE })).id
const failed: Stage = async (service) =>
  (await service.receiving.fail(by('codex'), await taken(service), { message: 'No', code: 'FATAL' })).id
const gate: Stage = async (service) =>
  (await service.sending.send(by('planner'), { to: 'maria', title: 'May we?', type: 'gate' })).handoff.id
const delegated: Stage = async (service) =>
  (await service.sending.send(by('planner'), { ...WORK, type: 'delegation' })).handoff.id

let made = 0
const task: Stage = async (service) => {
  made += 1
  return (await service.tasks.create(by('planner'), { id: `P5.5.${made}`, title: 'Task' })).task.id
}
const begun: Stage = async (service) => (await service.tasks.start(by('codex'), await task(service))).task.id
/** Whoever only offers a task to its owner has no more to say about it. */
const offeredToo: Stage = async (service) => {
  const id = await begun(service)
  await service.sending.send(by('mallory'), { ...WORK, task: id })
  return id
}
const recorded: Stage = async (service) => {
  const id = await begun(service)
  return (await service.tasks.record(by('codex'), id, recordOf(id))).task_id
}
const done: Stage = async (service) => {
  const id = await recorded(service)
  return (await service.tasks.update(by('codex'), id, { status: 'done' })).task.id
}
const record: Stage = async (service) => {
  const id = await recorded(service)
  return (await service.tasks.latest(1, id))[0]!.uid
}
const notice: Stage = async (service) => {
  const handoff: Handoff = (await service.sending.send(by('planner'), WORK)).handoff
  await service.receiving.reject(by('codex'), handoff.id, { type: 'other', message: 'No' })
  const { notices } = await service.looking.inbox('planner', { limit: 100 })
  return notices.find(({ about }) => about === handoff.uid)!.uid
}
const flow: Stage = async (service) =>
  (await (await service.workflows()).start(by('planner'), { definition: FLOW })).id
const nothing: Stage = async () => 'anything'

const wrong = (stage: Stage, who: readonly Stranger[], input: Wrong['input']): Wrong => ({
  stage,
  who,
  input,
})
/** Two who want one task race; who has lost is told whose it is. */
const as = (code: string, one: Wrong): Wrong => ({ ...one, code })
const at =
  (field: string, more: object = {}): Wrong['input'] =>
  (id) => ({ ...more, [field]: id })

/** A document that says it; of several that a text holds each has an outcome of its own. */
const imported =
  (document: (id: string) => object): Wrong['input'] =>
  (id) => ({ text: JSON.stringify(document(id)) })

const STRANGER = ['mallory'] as const
/** Whoever did not send it. */
const NOT_SENDER = ['mallory', 'codex'] as const
/** Whoever it was not sent to. */
const NOT_RECEIVER = ['mallory', 'planner'] as const
/** Whoever did not claim it. */
const NOT_OWNER = ['mallory', 'planner'] as const
const NOT_PM = ['mallory', 'planner', 'codex'] as const
/** Also as the one who is asked: an agent is no person by its name. */
const NO_PERSON = ['mallory', 'planner', 'codex', 'maria-the-agent'] as const

/** Who may not do what. */
// biome-ignore format: read as a table
export const WRONG: Readonly<Record<string, readonly Wrong[]>> = {
  handoff_send:      [wrong(draft, NOT_SENDER, at('id')),
                      as('invalid_input', wrong(delegated, STRANGER, at('in_reply_to', ANSWER)))],
  handoff_amend:     [wrong(draft, NOT_SENDER, at('id', { title: 'Other' })), wrong(sent, NOT_SENDER, at('id', { title: 'Other' }))],
  handoff_resend:    [wrong(failed, NOT_SENDER, at('id'))],
  handoff_retry:     [wrong(failed, NOT_SENDER, at('id'))],
  handoff_reassign:  [wrong(sent, NOT_SENDER, at('id', { to: 'mallory' })), wrong(taken, NOT_SENDER, at('id', { to: 'mallory' }))],
  handoff_cancel:    [wrong(draft, NOT_SENDER, at('id')), wrong(sent, NOT_SENDER, at('id')), wrong(taken, NOT_SENDER, at('id')), wrong(gate, NOT_SENDER, at('id'))],
  handoff_accept:    [wrong(sent, NOT_RECEIVER, at('id'))],
  handoff_reject:    [wrong(sent, NOT_RECEIVER, at('id', { reason: 'No' })), wrong(taken, NOT_RECEIVER, at('id', { reason: 'No' })),
                      wrong(gate, NOT_RECEIVER, at('id', { reason: 'No' }))],
  handoff_heartbeat: [wrong(taken, NOT_RECEIVER, at('id', { progress: 50 })), wrong(taken, NOT_RECEIVER, at('id', { blocked: 'Waiting' })), wrong(taken, NOT_RECEIVER, at('id', { log: 'Working' }))],
  handoff_ask:       [wrong(sent, NOT_RECEIVER, at('id', { question: 'Which?' })), wrong(taken, NOT_RECEIVER, at('id', { question: 'Which?' }))],
  handoff_answer:    [wrong(asked, NOT_SENDER, at('id', { text: 'This' }))],
  handoff_submit:    [wrong(taken, NOT_RECEIVER, at('id', { evidence: EVIDENCE }))],
  handoff_fail:      [wrong(taken, NOT_RECEIVER, at('id', { message: 'No' }))],
  handoff_release:   [wrong(taken, NOT_RECEIVER, at('id'))],
  handoff_verify:    [wrong(handedIn, NOT_SENDER, at('id', { pass: true })), wrong(handedIn, NOT_SENDER, at('id', { pass: false, note: 'No' }))],
  handoff_complete:  [wrong(handedIn, NOT_SENDER, at('id')), wrong(taken, STRANGER, at('id'))],
  handoff_waive:     [wrong(taken, NO_PERSON, at('id', { check: 'npm test' }))],
  handoff_comment:   [wrong(taken, STRANGER, at('id', { text: 'Look' }))],
  gate_decide:       [wrong(gate, NO_PERSON, at('id', { choice: 'approve' })), wrong(nothing, NO_PERSON, at('id', { choice: 'approve' }))],
  task_start:        [as('conflict', wrong(begun, NOT_OWNER, at('id')))],
  task_update:       [wrong(begun, NOT_OWNER, at('task_id', { progress: 90 })), wrong(offeredToo, STRANGER, at('task_id', { progress: 90 })), wrong(begun, NOT_OWNER, at('task_id', { notes: 'Mine' })),
                      as('conflict', wrong(begun, NOT_OWNER, at('task_id', { status: 'todo' }))),
                      as('conflict', wrong(begun, NOT_OWNER, at('task_id', { status: 'in_progress' }))),
                      wrong(recorded, NOT_OWNER, at('task_id', { status: 'done' }))],
  task_complete:     [wrong(begun, NOT_OWNER, (id) => recordOf(id)), wrong(task, NOT_PM, (id) => recordOf(id, { on_behalf_of: 'claude' }))],
  thought_record:    [wrong(begun, NOT_OWNER, (id) => recordOf(id)), wrong(task, NOT_PM, (id) => recordOf(id, { on_behalf_of: 'claude' }))],
  thought_attest:    [wrong(record, NOT_PM, at('uid', { reason: 'Seen' }))],
  task_reopen:       [wrong(done, NOT_PM, at('id', { reason: 'Not done' }))],
  document_import:   [as('refused', wrong(begun, NOT_OWNER, imported((id) => ({ thought_record: recordOf(id) })))),
                      as('refused', wrong(begun, NOT_OWNER, imported((id) => ({ task_update: { task_id: id, progress: 90 } })))),
                      as('refused', wrong(recorded, NOT_OWNER, imported((id) => ({ task_update: { task_id: id, status: 'done', progress: 100 } }))))],
  audit_redact:      [wrong(sent, NO_PERSON, at('id', { field: 'title', reason: 'leaked-key' })), wrong(nothing, NO_PERSON, at('id', { field: 'title', reason: 'leaked-key' }))],
  workflow_resume:   [wrong(flow, NOT_SENDER, at('id'))],
  workflow_cancel:   [wrong(flow, NOT_SENDER, at('id'))],
  agent_add:         [wrong(nothing, NO_PERSON, () => ({ name: 'mallory', kind: 'human' })), wrong(nothing, NO_PERSON, () => ({ name: 'mallory', roles: ['pm'] })),
                      wrong(nothing, NO_PERSON, () => ({ name: 'mallory', max_incoming: 99 })), wrong(nothing, NO_PERSON, () => ({ name: 'maria', kind: 'agent' }))],
  agent_remove:      [wrong(nothing, NO_PERSON, () => ({ name: 'maria' }))],
  notice_ack:        [wrong(notice, NOT_SENDER, at('uid'))],
}

/** Tools that any member of a workspace may call, whoever it is, and why. */
// biome-ignore format: read as a table
export const ANYBODY: readonly (readonly [why: string, ...tools: string[]])[] = [
  ['read, and members of a workspace read all of it', 'handoff_inbox', 'handoff_get', 'handoff_list', 'handoff_wait', 'handoff_running', 'task_list', 'task_get',
    'task_next_actions', 'task_plan', 'task_brief', 'task_log', 'thought_list', 'document_check', 'document_convert', 'document_export', 'report_metrics',
    'report_progress', 'report_history', 'report_flow', 'report_status', 'audit_sessions', 'audit_verify_chain', 'merkle_root', 'audit_proof',
    'audit_log', 'audit_key', 'workflow_status', 'workflow_list', 'workflow_check', 'workflow_picture', 'agent_list', 'artifact_get'],
  ['make something new that is the caller’s own', 'handoff_create', 'task_create', 'workflow_start', 'audit_session_start'],
  ['takes the next handoff of the caller, never one that is named', 'handoff_claim'],
  ['tells a pm or a person of a record that could not be written, and takes nothing from anybody', 'task_escalate'],
  ['adds a file under the caller’s name, which meets no guard', 'artifact_put'],
  ['stores blocks of others as history: whoever runs the agents collects what they said', 'document_collect'],
  ['seals what was said, once, for whoever asks first, and answers all others the same', 'merkle_finalize'],
  ['signs the head of the log as it stands', 'audit_checkpoint'],
]
