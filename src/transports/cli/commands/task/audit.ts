import { demandBase } from '../../../../git/merge-check.ts'
import { type AuditReport, auditTasks } from '../../../../git/reverts.ts'
import type { Command } from '../../command.ts'
import { textOf } from '../../input/args.ts'
import { oneLine } from '../../screen/plain-text.ts'
import type { Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'
import { askOf, BASE, demandRepository } from './repository.ts'

/** Found something that a person should look at. */
const SUSPECTED = 1

/** Document 003's third failure: done in the store, and taken back in the repository. */
export const audit: Command = {
  name: 'task audit',
  summary:
    'Finds done tasks whose work was reverted or whose files are gone from the main branch. It changes nothing; exit 1 when something is suspected.',
  flags: [BASE],
  examples: ['baton task audit', 'baton task audit --base release --json'],
  async run(shell, args) {
    const repository = await demandRepository(shell, 'task audit')
    const base = await demandBase(repository, textOf(args, 'base'))
    const session = await shell.open({ write: false })
    const report = await auditTasks(repository, askOf(session), base)
    shell.answer(report, () => view(shell, report))
    return report.suspects.length > 0 ? SUSPECTED : 0
  },
}

function view(shell: Shell, report: AuditReport): string {
  const { screen } = shell
  const lines = report.suspects.flatMap(({ task, title, reason, reinstate }) => [
    `${screen.mark} ${screen.bold(task)} ${oneLine(title)}: suspected, ${oneLine(reason)}`,
    shell.hint(`  if it is so: ${reinstate}`),
  ])
  for (const { task, branch } of report.waiting)
    lines.push(`${screen.dim('·')} ${task} is done and not in ${report.base} yet (${oneLine(branch)})`)
  if (report.unknown.length > 0)
    lines.push(`${screen.dim('·')} ${report.unknown.join(', ')}: no record that names a commit or files`)
  if (report.suspects.length > 0 && report.recent_reverts.length > 0)
    lines.push(
      '',
      screen.bold('Recent reverts'),
      ...report.recent_reverts.map(({ commit, subject }) => `  ${commit.slice(0, 10)} ${oneLine(subject)}`),
    )
  if (report.suspects.length === 0)
    lines.unshift(
      `${screen.tick} ${count(report.checked, 'done task')}: nothing that was merged is gone from ${report.base}`,
    )
  return lines.join('\n')
}
