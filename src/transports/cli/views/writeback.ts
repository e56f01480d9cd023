import { type Brief, briefMarkdown } from '../../../domain/tasks/brief.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import { plainText } from '../screen/plain-text.ts'
import type { Shell } from '../shell.ts'
import { recordText } from './task.ts'

/** The brief as its reader gets it: markdown, in a pipe and on a terminal. */
export const briefView = (_: Shell, brief: Brief & { readonly markdown?: string }): string =>
  plainText(brief.markdown ?? briefMarkdown(brief)).trimEnd()

export function recordsView(shell: Shell, { items }: OperationOutput<'thought_list'>): string {
  const { screen } = shell
  if (items.length === 0) return shell.nothing('No record was written yet.')
  return items.map((record) => recordText(screen, record)).join('\n')
}

export const escalatedView = (
  { screen }: Shell,
  { handoff, task_id }: OperationOutput<'task_escalate'>,
): string => `${screen.tick} ${screen.bold(handoff.id)} asks ${handoff.to} to write the record of ${task_id}`
