import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { invalidInput } from '../../../../domain/errors.ts'
import { WorkflowName } from '../../../../domain/workflow/workflow.ts'
import { PHASES_NAME, phasesText } from '../../../../service/workflows/phases.ts'
import type { Command } from '../../command.ts'
import { writeNamed } from '../named-file.ts'

export const workflowInit: Command = {
  name: 'workflow init',
  summary: 'Writes workflows/<name>.yaml with eight phases, for you to change.',
  words: ['[name]'],
  examples: ['baton workflow init', 'baton workflow init feature'],
  async run(shell, args) {
    const [name = PHASES_NAME] = args.words
    if (!WorkflowName.safeParse(name).success)
      throw invalidInput(
        'workflow init takes one name of small letters, digits and dashes; for example: baton workflow init feature',
      )
    const file = join('workflows', `${name}.yaml`)
    const text = phasesText().replace(`name: ${PHASES_NAME}`, `name: ${name}`)
    mkdirSync(join(shell.io.cwd, 'workflows'), { recursive: true })
    writeNamed(shell, file, text, { advice: 'take another name, or change that file' })
    shell.next(`baton workflow check ${name}`)
    shell.answer({ file }, () => `${shell.screen.tick} written to ${file}; put your agents' names in`)
  },
}
