import { type Brief, briefMarkdown } from '../../../domain/tasks/brief.ts'
import type { ThoughtRecord } from '../../../domain/tasks/task.ts'
import { plainText } from '../screen/plain-text.ts'
import type { Shell } from '../shell.ts'
import { recordText } from './task.ts'

/** The brief as its reader gets it: markdown, in a pipe and on a terminal. */
export const briefView = (_: Shell, brief: Brief & { readonly markdown?: string }): string =>
  plainText(brief.markdown ?? briefMarkdown(brief)).trimEnd()

export function recordsView(shell: Shell, { items }: { readonly items: readonly ThoughtRecord[] }): string {
  const { screen } = shell
  if (items.length === 0) return shell.nothing('No record was written yet.')
  return items.map((record) => recordText(screen, record)).join('\n')
}

export const escalatedView = (
  shell: Shell,
  output: { handoff: string; to: string; task_id: string },
): string =>
  `${shell.screen.tick} ${shell.screen.bold(output.handoff)} asks ${output.to} to write the record of ${output.task_id}`
