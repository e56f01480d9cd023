import { once } from '../domain/once.ts'
import type { Operation } from './operation.ts'

/**
 * Every operation by name and where it is written. The modules are loaded when one of theirs is asked for: a
 * command line that needs one operation must not pay for the schemas of all.
 */
const MODULES = {
  sending: once(async () => (await import('./handoff/sender.ts')).SENDER_OPERATIONS),
  receiving: once(async () => (await import('./handoff/receiver.ts')).RECEIVER_OPERATIONS),
  closing: once(async () => (await import('./handoff/outcome.ts')).OUTCOME_OPERATIONS),
  looking: once(async () => (await import('./handoff/queries.ts')).QUERY_OPERATIONS),
  task: once(async () => (await import('./task.ts')).TASK_OPERATIONS),
  writeback: once(async () => (await import('./writeback.ts')).WRITEBACK_OPERATIONS),
  history: once(async () => (await import('./task-history.ts')).HISTORY_OPERATIONS),
  document: once(async () => (await import('./document.ts')).DOCUMENT_OPERATIONS),
  block: once(async () => (await import('./block.ts')).BLOCK_OPERATIONS),
  report: once(async () => (await import('./report.ts')).REPORT_OPERATIONS),
  audit: once(async () => (await import('./audit.ts')).AUDIT_OPERATIONS),
  workflow: once(async () => (await import('./workflow.ts')).WORKFLOW_OPERATIONS),
  other: once(async () => (await import('./other.ts')).OTHER_OPERATIONS),
}

// biome-ignore format: read as a table
export const OPERATION_NAMES = {
  agent_list: 'other', agent_add: 'other', agent_remove: 'other',
  task_create: 'task', task_list: 'task', task_get: 'task', task_update: 'writeback', task_next_actions: 'task', task_plan: 'task',
  task_start: 'task', task_brief: 'task', task_complete: 'writeback', thought_record: 'writeback',
  task_escalate: 'writeback', thought_list: 'writeback', thought_attest: 'writeback',
  task_reopen: 'history', task_log: 'history',
  handoff_create: 'sending', handoff_send: 'sending', handoff_resend: 'sending', handoff_inbox: 'looking', handoff_get: 'looking',
  handoff_list: 'looking', handoff_accept: 'receiving', handoff_reject: 'receiving', handoff_claim: 'receiving',
  handoff_heartbeat: 'receiving', handoff_ask: 'receiving', handoff_answer: 'receiving', handoff_amend: 'sending',
  handoff_submit: 'receiving', handoff_verify: 'closing', handoff_complete: 'closing', handoff_fail: 'receiving',
  handoff_retry: 'sending', handoff_reassign: 'sending', handoff_cancel: 'sending', handoff_wait: 'looking', handoff_running: 'looking',
  handoff_release: 'receiving', handoff_waive: 'closing', handoff_comment: 'closing', gate_decide: 'closing',
  document_check: 'document', document_convert: 'document', document_import: 'document', document_export: 'document',
  document_collect: 'block', report_metrics: 'report', report_progress: 'report', report_history: 'report',
  report_flow: 'report',
  audit_session_start: 'audit', audit_sessions: 'audit', audit_verify_chain: 'audit', merkle_finalize: 'audit',
  merkle_root: 'audit', audit_proof: 'audit', audit_checkpoint: 'audit', audit_log: 'audit', audit_key: 'audit',
  audit_redact: 'audit',
  workflow_start: 'workflow', workflow_status: 'workflow', workflow_list: 'workflow', workflow_resume: 'workflow',
  workflow_cancel: 'workflow', workflow_check: 'workflow', workflow_picture: 'workflow',
  artifact_put: 'other', artifact_get: 'other', notice_ack: 'other', report_status: 'other',
} as const satisfies Record<string, keyof typeof MODULES>

export type OperationName = keyof typeof OPERATION_NAMES

/** Every operation with its own name, input and output, for callers that are typed by them. */
export type AnyOperation = Awaited<ReturnType<(typeof MODULES)[keyof typeof MODULES]>>[number]

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(OPERATION_NAMES, name)

export async function loadOperation(name: OperationName): Promise<Operation> {
  const found = (await load(OPERATION_NAMES[name])).find((op) => op.name === name)
  if (!found) throw new Error(`operation ${name} is listed and not written`)
  return found
}

export async function loadOperations(): Promise<readonly Operation[]> {
  const names = Object.keys(MODULES) as (keyof typeof MODULES)[]
  return (await Promise.all(names.map(load))).flat()
}

/** Looked up by name, so the types are lost here. */
async function load(module: keyof typeof MODULES): Promise<readonly Operation[]> {
  return (await MODULES[module]()) as unknown as readonly Operation[]
}
