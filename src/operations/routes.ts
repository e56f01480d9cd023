import type { OperationName } from './index.ts'

/** Method and path of every operation over HTTP, apart from the operations: a client carries no schemas. */
// biome-ignore format: read as a table
export const ROUTES: Readonly<Record<OperationName, string>> = {
  agent_add: 'POST /v1/agents', agent_list: 'GET /v1/agents', agent_remove: 'POST /v1/agents/{name}/remove', artifact_get: 'GET /v1/artifacts/{uid}',
  artifact_put: 'POST /v1/artifacts', audit_checkpoint: 'POST /v1/audit/checkpoints', audit_key: 'GET /v1/audit/key', audit_log: 'GET /v1/audit/log',
  audit_proof: 'GET /v1/audit/proofs/{id}', audit_redact: 'POST /v1/audit/redactions', audit_session_start: 'POST /v1/audit/sessions',
  audit_sessions: 'GET /v1/audit/sessions', audit_verify_chain: 'GET /v1/audit/verify-chain', document_check: 'POST /v1/documents/check',
  document_collect: 'POST /v1/documents/collect', document_convert: 'POST /v1/documents/convert', document_export: 'POST /v1/documents/export',
  document_import: 'POST /v1/documents/import', gate_decide: 'POST /v1/gates/{id}/decide', handoff_accept: 'POST /v1/handoffs/{id}/accept',
  handoff_amend: 'POST /v1/handoffs/{id}/amend', handoff_answer: 'POST /v1/handoffs/{id}/answer', handoff_ask: 'POST /v1/handoffs/{id}/ask',
  handoff_cancel: 'POST /v1/handoffs/{id}/cancel', handoff_claim: 'POST /v1/claims', handoff_comment: 'POST /v1/handoffs/{id}/comment',
  handoff_complete: 'POST /v1/handoffs/{id}/complete',
  handoff_create: 'POST /v1/handoffs/drafts', handoff_fail: 'POST /v1/handoffs/{id}/fail', handoff_get: 'GET /v1/handoffs/{id}',
  handoff_heartbeat: 'POST /v1/handoffs/{id}/heartbeat', handoff_inbox: 'GET /v1/inbox', handoff_list: 'GET /v1/handoffs',
  handoff_reassign: 'POST /v1/handoffs/{id}/reassign', handoff_reject: 'POST /v1/handoffs/{id}/reject', handoff_release: 'POST /v1/handoffs/{id}/release',
  handoff_resend: 'POST /v1/handoffs/{id}/resend', handoff_retry: 'POST /v1/handoffs/{id}/retry', handoff_running: 'GET /v1/running', handoff_send: 'POST /v1/handoffs', handoff_submit: 'POST /v1/handoffs/{id}/submit',
  handoff_verify: 'POST /v1/handoffs/{id}/verify', handoff_wait: 'GET /v1/handoffs/{id}/wait', handoff_waive: 'POST /v1/handoffs/{id}/waive',
  merkle_finalize: 'POST /v1/audit/finalize', merkle_root: 'GET /v1/audit/root', notice_ack: 'POST /v1/notices/{uid}/ack', report_flow: 'GET /v1/reports/flow',
  report_history: 'GET /v1/reports/history', report_metrics: 'GET /v1/reports/metrics', report_progress: 'GET /v1/reports/progress',
  report_status: 'GET /v1/status', task_brief: 'GET /v1/tasks/{id}/brief', task_complete: 'POST /v1/tasks/{task_id}/complete', task_create: 'POST /v1/tasks',
  task_escalate: 'POST /v1/tasks/{task_id}/escalate', task_get: 'GET /v1/tasks/{id}', task_list: 'GET /v1/tasks', task_log: 'GET /v1/tasks/{id}/log',
  task_next_actions: 'GET /v1/next-actions', task_plan: 'GET /v1/task-plan', task_reopen: 'POST /v1/tasks/{id}/reopen', task_start: 'POST /v1/tasks/{id}/start',
  task_update: 'POST /v1/tasks/{task_id}', thought_attest: 'POST /v1/records/{uid}/attest', thought_list: 'GET /v1/records',
  thought_record: 'POST /v1/tasks/{task_id}/records', workflow_cancel: 'POST /v1/workflows/{id}/cancel', workflow_check: 'POST /v1/workflows/check',
  workflow_list: 'GET /v1/workflows', workflow_picture: 'POST /v1/workflows/picture', workflow_resume: 'POST /v1/workflows/{id}/resume',
  workflow_start: 'POST /v1/workflows', workflow_status: 'GET /v1/workflows/{id}',
}
