import type { Operation } from './operation.ts'

/**
 * Every operation by name and where it is written. The modules are loaded when one of theirs is asked for: a
 * command line that needs one operation must not pay for the schemas of all.
 */
const MODULES = {
  handoff: async () => (await import('./handoff.ts')).HANDOFF_OPERATIONS as unknown as readonly Operation[],
  task: async () => (await import('./task.ts')).TASK_OPERATIONS as unknown as readonly Operation[],
  other: async () => (await import('./other.ts')).OTHER_OPERATIONS as unknown as readonly Operation[],
}

// biome-ignore format: read as a table
export const OPERATION_NAMES = {
  agent_list: 'other', agent_add: 'other', agent_remove: 'other',
  task_create: 'task', task_list: 'task', task_get: 'task', task_update: 'task', task_next_actions: 'task',
  task_start: 'task', task_brief: 'task', task_complete: 'task', thought_record: 'task',
  handoff_create: 'handoff', handoff_send: 'handoff', handoff_inbox: 'handoff', handoff_get: 'handoff',
  handoff_list: 'handoff', handoff_accept: 'handoff', handoff_reject: 'handoff', handoff_claim: 'handoff',
  handoff_heartbeat: 'handoff', handoff_ask: 'handoff', handoff_answer: 'handoff', handoff_amend: 'handoff',
  handoff_submit: 'handoff', handoff_verify: 'handoff', handoff_complete: 'handoff', handoff_fail: 'handoff',
  handoff_retry: 'handoff', handoff_reassign: 'handoff', handoff_cancel: 'handoff', handoff_wait: 'handoff',
  gate_decide: 'handoff',
  artifact_put: 'other', artifact_get: 'other', notice_ack: 'other', report_status: 'other',
} as const satisfies Record<string, keyof typeof MODULES>

export type OperationName = keyof typeof OPERATION_NAMES

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(OPERATION_NAMES, name)

export async function loadOperation(name: OperationName): Promise<Operation> {
  const found = (await MODULES[OPERATION_NAMES[name]]()).find((op) => op.name === name)
  if (!found) throw new Error(`operation ${name} is listed and not written`)
  return found
}

export async function loadOperations(): Promise<readonly Operation[]> {
  return (await Promise.all(Object.values(MODULES).map((load) => load()))).flat()
}
