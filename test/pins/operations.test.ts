import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { loadOperations, OPERATION_NAMES } from '../../src/operations/index.ts'
import { checkedInput } from '../../src/operations/operation.ts'

const operations = await loadOperations()

describe('the operations that every surface shares', () => {
  it('have these names, these addresses and these effects', () => {
    const shown = operations.map(
      ({ name, effect, scope, http }) => `${name} ${effect} ${scope} ${http.method} ${http.path}`,
    )

    assert.deepEqual(shown.sort(), [
      'agent_add write agent:write POST /v1/agents',
      'agent_list read agent:read GET /v1/agents',
      'agent_remove write agent:write POST /v1/agents/{name}/remove',
      'artifact_get read artifact:read GET /v1/artifacts/{uid}',
      'artifact_put write artifact:write POST /v1/artifacts',
      'audit_checkpoint write audit:write POST /v1/audit/checkpoints',
      'audit_key read audit:read GET /v1/audit/key',
      'audit_log read audit:read GET /v1/audit/log',
      'audit_proof read audit:read GET /v1/audit/proofs/{id}',
      'audit_redact write audit:write POST /v1/audit/redactions',
      'audit_session_start write audit:write POST /v1/audit/sessions',
      'audit_sessions read audit:read GET /v1/audit/sessions',
      'audit_verify_chain read audit:read GET /v1/audit/verify-chain',
      'document_check read document:read POST /v1/documents/check',
      'document_collect write document:write POST /v1/documents/collect',
      'document_convert read document:read POST /v1/documents/convert',
      'document_export read document:read POST /v1/documents/export',
      'document_import write document:write POST /v1/documents/import',
      'gate_decide write gate:write POST /v1/gates/{id}/decide',
      'handoff_accept write handoff:write POST /v1/handoffs/{id}/accept',
      'handoff_amend write handoff:write POST /v1/handoffs/{id}/amend',
      'handoff_answer write handoff:write POST /v1/handoffs/{id}/answer',
      'handoff_ask write handoff:write POST /v1/handoffs/{id}/ask',
      'handoff_cancel write handoff:write POST /v1/handoffs/{id}/cancel',
      'handoff_claim write handoff:write POST /v1/claims',
      'handoff_comment write handoff:write POST /v1/handoffs/{id}/comment',
      'handoff_complete write handoff:write POST /v1/handoffs/{id}/complete',
      'handoff_create write handoff:write POST /v1/handoffs/drafts',
      'handoff_fail write handoff:write POST /v1/handoffs/{id}/fail',
      'handoff_get read handoff:read GET /v1/handoffs/{id}',
      'handoff_heartbeat write handoff:write POST /v1/handoffs/{id}/heartbeat',
      'handoff_inbox read handoff:read GET /v1/inbox',
      'handoff_list read handoff:read GET /v1/handoffs',
      'handoff_reassign write handoff:write POST /v1/handoffs/{id}/reassign',
      'handoff_reject write handoff:write POST /v1/handoffs/{id}/reject',
      'handoff_release write handoff:write POST /v1/handoffs/{id}/release',
      'handoff_resend write handoff:write POST /v1/handoffs/{id}/resend',
      'handoff_retry write handoff:write POST /v1/handoffs/{id}/retry',
      'handoff_running read handoff:read GET /v1/running',
      'handoff_send write handoff:write POST /v1/handoffs',
      'handoff_submit write handoff:write POST /v1/handoffs/{id}/submit',
      'handoff_verify write handoff:write POST /v1/handoffs/{id}/verify',
      'handoff_wait read handoff:read GET /v1/handoffs/{id}/wait',
      'handoff_waive write handoff:write POST /v1/handoffs/{id}/waive',
      'merkle_finalize write audit:write POST /v1/audit/finalize',
      'merkle_root read audit:read GET /v1/audit/root',
      'notice_ack write notice:write POST /v1/notices/{uid}/ack',
      'report_flow read report:read GET /v1/reports/flow',
      'report_history read report:read GET /v1/reports/history',
      'report_metrics read report:read GET /v1/reports/metrics',
      'report_progress read report:read GET /v1/reports/progress',
      'report_status read report:read GET /v1/status',
      'task_brief read task:read GET /v1/tasks/{id}/brief',
      'task_complete write task:write POST /v1/tasks/{task_id}/complete',
      'task_create write task:write POST /v1/tasks',
      'task_escalate write handoff:write POST /v1/tasks/{task_id}/escalate',
      'task_get read task:read GET /v1/tasks/{id}',
      'task_list read task:read GET /v1/tasks',
      'task_log read task:read GET /v1/tasks/{id}/log',
      'task_next_actions read task:read GET /v1/next-actions',
      'task_plan read task:read GET /v1/task-plan',
      'task_reopen write task:write POST /v1/tasks/{id}/reopen',
      'task_start write task:write POST /v1/tasks/{id}/start',
      'task_update write task:write POST /v1/tasks/{task_id}',
      'thought_attest write task:write POST /v1/records/{uid}/attest',
      'thought_list read task:read GET /v1/records',
      'thought_record write task:write POST /v1/tasks/{task_id}/records',
      'workflow_cancel write workflow:write POST /v1/workflows/{id}/cancel',
      'workflow_check read workflow:read POST /v1/workflows/check',
      'workflow_list read workflow:read GET /v1/workflows',
      'workflow_picture read workflow:read POST /v1/workflows/picture',
      'workflow_resume write workflow:write POST /v1/workflows/{id}/resume',
      'workflow_start write workflow:write POST /v1/workflows',
      'workflow_status read workflow:read GET /v1/workflows/{id}',
    ])
  })

  it('are all found by their name, and none is listed that is not written', () => {
    assert.deepEqual(Object.keys(OPERATION_NAMES).sort(), operations.map(({ name }) => name as string).sort())
  })

  it('have addresses that no two of them share', () => {
    const addresses = operations.map(({ http }) => `${http.method} ${http.path.replace(/\{\w+\}/g, '{}')}`)

    assert.equal(new Set(addresses).size, addresses.length)
  })

  it('give agents these sixteen as tools by default', () => {
    const tools = operations.filter(({ tools }) => tools === 'default').map(({ name }) => name)

    assert.deepEqual(tools.sort(), [
      'handoff_accept',
      'handoff_answer',
      'handoff_ask',
      'handoff_fail',
      'handoff_get',
      'handoff_inbox',
      'handoff_reject',
      'handoff_send',
      'handoff_submit',
      'handoff_verify',
      'handoff_wait',
      'task_brief',
      'task_next_actions',
      'task_start',
      'task_update',
      'thought_record',
    ])
  })

  it('[S3-08] give agents that ask for proof these four more, by the names of document 003', () => {
    const tools = operations.filter(({ tools }) => tools === 'proof').map(({ name }) => name)

    assert.deepEqual(tools.sort(), [
      'audit_session_start',
      'audit_verify_chain',
      'merkle_finalize',
      'merkle_root',
    ])
  })

  it('leave only the decision of a gate, a redaction and a waiver to people', () => {
    const forPeople = operations.filter(({ peopleOnly }) => peopleOnly).map(({ name }) => name)

    assert.deepEqual(forPeople.sort(), ['audit_redact', 'gate_decide', 'handoff_waive'])
  })
})

describe('the fields that callers write', () => {
  const fieldsOf = (name: string) => {
    const found = operations.find((operation) => operation.name === name)
    return Object.keys(found?.input.shape ?? {}).sort()
  }

  it('[S3-09] of task_update are those of document 003', () => {
    assert.deepEqual(fieldsOf('task_update'), ['notes', 'progress', 'status', 'task_id'])
  })

  it('[S3-16] of thought_record are those of document 003, what its two shapes need, and whose work it is', () => {
    assert.deepEqual(fieldsOf('thought_record'), [
      'blockers',
      'branch',
      'commit_sha',
      'files_changed',
      'notes',
      'on_behalf_of',
      'related_thought_records',
      'status',
      'summary',
      'task_id',
      'tests_run',
    ])
  })

  it('of handoff_send are these', () => {
    assert.deepEqual(fieldsOf('handoff_send'), [
      'alias',
      'artifacts',
      'checks',
      'constraints',
      'context',
      'created_files',
      'criteria',
      'data',
      'decisions',
      'deliverables',
      'gate',
      'home',
      'id',
      'in_reply_to',
      'input',
      'links',
      'open_questions',
      'parent',
      'priority',
      'purpose',
      'remind_s',
      'retry',
      'review',
      'silence',
      'summary',
      'supersedes',
      'task',
      'timeout_s',
      'title',
      'to',
      'type',
      'validation_request',
    ])
  })

  it('[S4-46] [S4-48] of handoff_accept are ours and those of document 004', () => {
    assert.deepEqual(fieldsOf('handoff_accept'), [
      'action',
      'blockers',
      'from',
      'id',
      'notes',
      'questions',
      'received',
      'start',
      'take_over',
      'understood',
    ])
  })

  it('are refused where an operation does not know them', () => {
    for (const { name, input } of operations)
      assert.equal(input.safeParse({ not_a_field_of_any: 1 }).success, false, name)
  })

  it('are refused with the field that was probably meant, where one alone is unknown', () => {
    const send = operations.find(({ name }) => name === 'handoff_send')!
    const refused = (input: object) => {
      try {
        return checkedInput(send, { to: 'codex', title: 'x', ...input })
      } catch (error) {
        return (error as Error).message
      }
    }

    assert.equal(refused({ timeout: 5 }), 'there is no field "timeout"; did you mean timeout_s?')
    assert.equal(refused({ colour: 'red' }), 'there is no field "colour"')
    assert.equal(refused({ timeout: 5, titel: 'y' }), 'there is no field "timeout", "titel"')
    assert.match(String(refused({ gate: { typ: 'advisory' } })), /^gate has no "typ"/)
  })
})

describe('the answer about one handoff', () => {
  const shapeOf = ({ output }: (typeof operations)[number]): Record<string, unknown> =>
    output instanceof z.ZodObject ? output.shape : {}

  it('is an object with the whole handoff in it', () => {
    const onOne = operations.filter(({ name }) =>
      /^(?:handoff|gate)_(?!list$|inbox$|running$)|_escalate$/.test(name),
    )

    assert.equal(onOne.length, 24)
    for (const op of onOne)
      assert.deepEqual(z.toJSONSchema(shapeOf(op).handoff as z.ZodType), z.toJSONSchema(Handoff()), op.name)
  })

  it('is never the fields of a handoff beside others', () => {
    const flat = operations.filter((op) => 'attempts' in shapeOf(op) && 'deliverables' in shapeOf(op))

    assert.deepEqual(flat, [])
  })
})
