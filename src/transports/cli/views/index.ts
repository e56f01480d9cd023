import type { OperationName } from '../../../operations/index.ts'
import type { Session } from '../session/session.ts'
import type { Shell } from '../shell.ts'

/** How an operation's output looks to people. Only the views of its noun are loaded. */
export async function viewOf(
  name: OperationName,
  shell: Shell,
  /** Absent where the command did without a workspace. */
  session: Session | undefined,
): Promise<(output: never) => string> {
  switch (name) {
    case 'handoff_get': {
      const { dossierView } = await import('./dossier.ts')
      const who = (await session?.actor())?.name ?? ''
      return (output) => dossierView(shell, who, output)
    }
    case 'handoff_inbox': {
      const { inboxView } = await import('./handoff.ts')
      const who = (await session?.actor())?.name ?? ''
      return (output) => inboxView(shell, who, output)
    }
    case 'task_create':
    case 'task_update':
    case 'task_start':
    case 'task_complete':
    case 'task_reopen':
    case 'task_log':
    case 'task_list':
    case 'task_next_actions':
    case 'task_get':
    case 'thought_attest':
    case 'thought_record':
      return taskViewOf(name, shell)
    case 'task_brief':
    case 'task_escalate':
    case 'thought_list':
      return writebackViewOf(name, shell)
    case 'agent_list':
    case 'agent_add':
    case 'agent_remove':
    case 'artifact_put':
    case 'artifact_get':
    case 'notice_ack':
    case 'report_status':
      return otherViewOf(name, shell)
    case 'report_flow': {
      const { flowView } = await import('./flow.ts')
      return (output) => flowView(shell, output)
    }
    case 'report_progress':
    case 'report_history':
      return (await import('./blocks.ts')).blockViewOf(name, shell)
    case 'audit_session_start':
    case 'audit_sessions':
    case 'audit_verify_chain':
    case 'merkle_finalize':
    case 'merkle_root':
    case 'audit_proof':
    case 'audit_checkpoint':
    case 'audit_log':
    case 'audit_key':
      return (await import('./audit.ts')).auditViewOf(name, shell)
    case 'workflow_start':
    case 'workflow_status':
    case 'workflow_resume':
    case 'workflow_cancel':
    case 'workflow_list':
    case 'workflow_check':
    case 'workflow_picture':
      return (await import('./workflow.ts')).workflowViewOf(name, shell)
    default: {
      const { claimView, listView, sentView, stepView } = await import('./handoff.ts')
      if (name === 'handoff_send' || name === 'handoff_create') return (output) => sentView(shell, output)
      if (name === 'handoff_list') return (output) => listView(shell, output)
      if (name === 'handoff_claim') return (output) => claimView(shell, output)
      return (output) => stepView(shell, name, output)
    }
  }
}

async function taskViewOf(name: OperationName, shell: Shell): Promise<(output: never) => string> {
  const views = await import('./task.ts')
  if (name === 'task_list') return (output) => views.taskListView(shell, output, 'No task matches.')
  if (name === 'task_next_actions') return (output) => views.nextView(shell, output)
  if (name === 'task_get') return (output) => views.taskDossierView(shell, output)
  if (name === 'task_log') return (output) => views.taskLogView(shell, output)
  if (name === 'thought_attest') return (output) => views.attestedView(shell, output)
  if (name === 'thought_record') return (output) => views.recordView(shell, output)
  return (output) => views.taskView(shell, name, output)
}

async function writebackViewOf(name: OperationName, shell: Shell): Promise<(output: never) => string> {
  const views = await import('./writeback.ts')
  if (name === 'task_brief') return (output) => views.briefView(shell, output)
  if (name === 'thought_list') return (output) => views.recordsView(shell, output)
  return (output) => views.escalatedView(shell, output)
}

async function otherViewOf(name: OperationName, shell: Shell): Promise<(output: never) => string> {
  const views = await import('./other.ts')
  if (name === 'agent_list') return (output) => views.agentsView(shell, output)
  if (name === 'artifact_put') return (output) => views.artifactView(shell, output)
  if (name === 'artifact_get') return (output) => views.artifactFieldsView(shell, output)
  if (name === 'notice_ack') return (output) => views.noticeView(shell, output)
  if (name === 'report_status') return (output) => views.statusView(shell, output)
  return (output) => views.agentView(shell, output)
}
