import { inWords } from '../../../../domain/texts/visible.ts'
import type { FolderProblem } from '../../../../folders/doctor.ts'
import type { Command } from '../../command.ts'
import { flag, isOn } from '../../input/args.ts'
import { oneLine } from '../../screen/plain-text.ts'
import type { Screen } from '../../screen/screen.ts'
import { count } from '../../views/words.ts'
import { lineOf, openFolders } from './sync.ts'

export const doctor: Command = {
  name: 'folders doctor',
  summary: 'Shows handoff files in a wrong folder, with a wrong name or content, or outside live folders.',
  flags: [flag('fix', 'Repair it, after showing the changes')],
  examples: ['baton folders doctor', 'baton folders doctor --fix'],
  async run(shell, args) {
    const options = await openFolders(shell)
    const { examineFolders, mendFolders } = await import('../../../../folders/doctor.ts')
    const found = await examineFolders(options)
    const drift = found.filter(({ isNote }) => !isNote)
    const { screen } = shell
    if (!isOn(args, 'fix') || drift.length === 0) {
      shell.answer({ findings: found.map(toJson), clean: drift.length === 0 }, () =>
        problemsView(found, screen),
      )
      return drift.length === 0 ? 0 : 1
    }
    if (!shell.isJson) shell.print(problemsView(found, screen))
    const happened = await mendFolders(options)
    const left = await examineFolders(options)
    const isClean = left.every(({ isNote }) => isNote)
    shell.answer({ findings: found.map(toJson), happened, left: left.map(toJson), clean: isClean }, () =>
      [...happened.map((each) => lineOf(each, screen)), problemsView(left, screen)].join('\n'),
    )
    return isClean ? 0 : 1
  },
}

const toJson = ({ isNote, ...finding }: FolderProblem) => ({ ...finding, note: isNote ?? false })

function problemsView(findings: readonly FolderProblem[], screen: Screen): string {
  const lines = findings.map((each) => problemLine(each, screen))
  if (!findings.every(({ isNote }) => isNote)) return lines.join('\n')
  const end =
    lines.length === 0
      ? 'folder, names, front matter, index and engine agree'
      : `nothing to repair; ${count(lines.length, 'note')} above`
  return [...lines, `${screen.tick} ${end}`].join('\n')
}

function problemLine({ code, path, message, fix, isNote }: FolderProblem, screen: Screen): string {
  const what = inWords(code)
  if (!screen.isTerminal) return [what, path, oneLine(message), fix ?? ''].join('\t')
  const todo = fix === undefined ? '' : screen.dim(`\n    --fix: ${fix}`)
  return `${isNote ? screen.dim('·') : screen.mark} ${oneLine(path)}  ${what}: ${oneLine(message)}${todo}`
}
