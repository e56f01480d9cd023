import type { Agent } from '../../../domain/agent.ts'
import type { Notice } from '../../../domain/people/notice.ts'
import { inWords } from '../../../domain/texts/visible.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import type { Artifact } from '../../../service/service.ts'
import { plainText } from '../screen/plain-text.ts'
import type { Cell } from '../screen/screen.ts'
import type { Shell } from '../shell.ts'
import { count, countsOf } from './words.ts'

export function agentsView(shell: Shell, page: OperationOutput<'agent_list'>): string {
  const none = 'Nobody has sent or received anything yet.'
  return shell.list(page, none, ['NAME', 'KIND', 'ROLES', 'LIMITS', 'CAPABILITIES'], (agent) => [
    { text: agent.name, style: 'bold' },
    agent.kind,
    agent.roles.join(', ') || '-',
    `${agent.limits.outgoing ?? '∞'} out, ${agent.limits.incoming ?? '∞'} in`,
    { text: agent.capabilities.join(', '), fill: true },
  ])
}

export function agentView(shell: Shell, agent: Agent): string {
  const { screen } = shell
  return `${screen.tick} ${screen.bold(agent.name)} ${agent.removed ? 'is removed; its history stays' : `is here (${agent.kind})`}`
}

export function noticeView(shell: Shell, notice: Notice): string {
  return `${shell.screen.tick} seen: ${plainText(notice.text)}`
}

export function artifactView(shell: Shell, artifact: Artifact): string {
  const { screen } = shell
  const how = artifact.stored
    ? `stored, ${count(artifact.size ?? 0, 'byte')}`
    : artifact.sha256
      ? 'by its hash'
      : 'by its path'
  return `${screen.tick} ${screen.bold(plainText(artifact.path))} ${how}: ${artifact.uid}`
}

export function artifactFieldsView(shell: Shell, { artifact }: OperationOutput<'artifact_get'>): string {
  const rows = Object.entries(artifact).map(([name, value]): [string, string] => [
    inWords(name),
    plainText(String(value)),
  ])
  return shell.screen.fields(rows)
}

export function statusView(shell: Shell, status: OperationOutput<'report_status'>): string {
  const { screen } = shell
  const counts = (of: Readonly<Record<string, number>>): string =>
    countsOf(Object.fromEntries(Object.entries(of).filter(([, n]) => n > 0))).join(', ') || 'none'
  const agents = Object.entries(status.agents)
    .filter(([, { outgoing, incoming }]) => outgoing + incoming > 0)
    .sort(([, a], [, b]) => b.incoming - a.incoming || b.outgoing - a.outgoing)
  const facts = screen.fields([
    ['Handoffs', counts(status.handoffs)],
    ['Tasks', counts(status.tasks)],
    ['Log', count(status.entries, 'entry', 'entries')],
    [
      'Store',
      `${plainText(status.store.location)} (${status.store.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'})`,
    ],
  ])
  const stuck = screen.table(
    status.stuck.map(({ id, title, with: who, since, why, next }): Cell[] => [
      { text: id, style: 'bold' },
      who,
      { text: screen.when(since), style: 'dim' },
      { text: `${title}: ${why}`, fill: 'whole' },
      next,
    ]),
    ['STUCK', 'WITH', 'SINCE', 'WHY', 'NEXT'],
  )
  const head = status.stuck.length === 0 ? facts : `${stuck}\n\n${facts}`
  if (agents.length === 0) return head
  const table = screen.table(
    agents.map(([name, { outgoing, incoming }]): Cell[] => [
      { text: name, style: 'bold' },
      String(incoming),
      String(outgoing),
    ]),
    ['AGENT', 'HAS OPEN', 'WAITS FOR'],
  )
  return `${head}\n\n${table}`
}
