import type { Agent } from '../../domain/agent.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { hasRole, kindOf } from '../../domain/policy.ts'
import type { RecordInput } from '../../domain/tasks/inputs.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Sender } from '../handoffs/sender.ts'
import { refuse } from '../write.ts'
import type { Tasks } from './tasks.ts'
import { escalationOf } from './writeback.ts'

export interface FailedWriteback {
  readonly task_id: string
  readonly record: RecordInput
  readonly to?: string | undefined
  readonly reason?: string | undefined
}

/**
 * Document 003: an agent whose record cannot be written goes to the pm with branch, commit and the record. It does not
 * name the task as its own: taking the message does not take the work from whoever did it.
 */
export async function escalateWriteback(
  service: { readonly deps: ServiceDeps; readonly tasks: Tasks; readonly sending: Sender },
  call: Call,
  { task_id, record, to, reason }: FailedWriteback,
): Promise<Handoff> {
  const { deps } = service
  const { row } = await service.tasks.get(task_id)
  const agents = await deps.store.agents()
  const pm = to ?? pmOf(deps, call, agents)
  const known = agents.find(({ name }) => name === pm)
  const about = escalationOf(row.task.id, { ...record, on_behalf_of: record.on_behalf_of ?? call.actor.name })
  const { branch = 'not said', commit_sha = 'not said' } = about
  const { handoff } = await service.sending.send(call, {
    to: pm,
    title: `Writeback of ${row.task.id} failed: write its thought_record`,
    home: 'native',
    priority: 'high',
    // A person is asked at once; limits and deadlines are not for escalations.
    type: kindOf(deps.policy, pm, known) === 'human' ? 'escalation' : 'sequential',
    summary: [
      `The thought_record of ${row.task.id} by ${call.actor.name} could not be written${reason === undefined ? '' : `: ${reason}`}.`,
      `The work is on branch ${branch} at commit ${commit_sha}.`,
      'Write the record in data.thought_record with thought_record, then set the task done with task_update.',
    ].join(' '),
    data: { ...about },
  })
  return handoff
}

function pmOf(deps: ServiceDeps, call: Call, agents: readonly Agent[]): string {
  const present = agents.filter(({ removed }) => !removed).map(({ name }) => name)
  const names = new Set([...Object.keys(deps.policy.agents ?? {}), ...present])
  const rows = new Map(agents.map((agent) => [agent.name, agent]))
  const isPm = (name: string) => hasRole(deps.policy, 'pm', name, rows.get(name))
  const [pm] = [...names].filter((name) => name !== call.actor.name && isPm(name)).sort()
  if (pm === undefined)
    refuse(
      'not_found',
      'nobody has the role pm; a person gives it with: baton agent add <name> --role pm, or name somebody with: --to <name>',
      { role: 'pm' },
    )
  return pm
}
