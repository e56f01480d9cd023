import type { OperationName } from '../../../operations/index.ts'
import type { Session } from '../session/session.ts'
import type { Shell } from '../shell.ts'

type View = (shell: Shell, output: never) => string

const task = () => import('./task.ts')
const audit = () => import('./audit.ts')
const handoff = () => import('./handoff.ts')
const other = () => import('./other.ts')
const workflow = () => import('./workflow.ts')
const writeback = () => import('./writeback.ts')

/** The operations that are not a step of a handoff. */
const VIEWS: Readonly<Partial<Record<OperationName, (session?: Session) => Promise<View>>>> = {
  handoff_get: async (session) => {
    const { dossierView } = await import('./dossier.ts')
    const who = await nameIn(session)
    return (shell, output) => dossierView(shell, who, output)
  },
  handoff_inbox: async (session) => {
    const { inboxView } = await handoff()
    const who = await nameIn(session)
    return (shell, output) => inboxView(shell, who, output)
  },
  handoff_create: async () => (await handoff()).sentView,
  handoff_send: async () => (await handoff()).sentView,
  handoff_resend: async () => (await handoff()).sentView,
  handoff_list: async () => (await handoff()).listView,
  handoff_claim: async () => (await handoff()).claimView,
  handoff_running: async () => (await handoff()).runningView,
  task_list: async () => (await task()).taskListView,
  task_next_actions: async () => (await task()).nextView,
  task_plan: async () => (await task()).planView,
  task_get: async () => (await task()).taskDossierView,
  task_log: async () => (await task()).taskLogView,
  thought_attest: async () => (await task()).attestedView,
  thought_record: async () => (await task()).recordView,
  task_brief: async () => (await writeback()).briefView,
  task_escalate: async () => (await writeback()).escalatedView,
  thought_list: async () => (await writeback()).recordsView,
  agent_list: async () => (await other()).agentsView,
  agent_add: async () => (await other()).agentView,
  agent_remove: async () => (await other()).agentView,
  artifact_put: async () => (await other()).artifactView,
  artifact_get: async () => (await other()).artifactFieldsView,
  notice_ack: async () => (await other()).noticeView,
  report_status: async () => (await other()).statusView,
  report_flow: async () => (await import('./flow.ts')).flowView,
  report_progress: async () => (await import('./blocks.ts')).progressView,
  report_history: async () => (await import('./blocks.ts')).historyView,
  audit_session_start: async () => (await audit()).startView,
  audit_sessions: async () => (await audit()).sessionsView,
  audit_verify_chain: async () => (await audit()).chainView,
  audit_proof: async () => (await audit()).proofView,
  audit_checkpoint: async () => (await audit()).checkpointView,
  audit_log: async () => (await audit()).logView,
  audit_key: async () => (await audit()).keyView,
  merkle_finalize: async () => (await audit()).sealedView,
  merkle_root: async () => (await audit()).sealedView,
  workflow_start: async () => (await workflow()).runStatus,
  workflow_status: async () => (await workflow()).runStatus,
  workflow_resume: async () => (await workflow()).runStatus,
  workflow_cancel: async () => (await workflow()).runStatus,
  workflow_list: async () => (await workflow()).listView,
  workflow_check: async () => (await workflow()).checkView,
  workflow_picture: async () => (await workflow()).pictureView,
}

/** How an operation's output looks to people. Only the views of its noun are loaded. */
export async function viewOf(
  name: OperationName,
  /** Absent where the command did without a workspace. */
  session: Session | undefined,
): Promise<View> {
  const view = await VIEWS[name]?.(session)
  if (view) return view
  if (name.startsWith('task_')) {
    const { taskView } = await task()
    return (shell, output) => taskView(shell, name, output)
  }
  const { stepView } = await handoff()
  return (shell, output) => stepView(shell, name, output)
}

const nameIn = async (session: Session | undefined): Promise<string> => (await session?.actor())?.name ?? ''
