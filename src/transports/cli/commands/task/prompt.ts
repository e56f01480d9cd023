import { notFound } from '../../../../domain/errors.ts'
import { checkoutFiles } from '../../../../git/files.ts'
import { findPrompt, PROMPTS_FOLDER } from '../../../../git/prompts.ts'
import type { Command } from '../../command.ts'
import { plainText } from '../../screen/plain-text.ts'
import { demandRepository, taskNamed } from './repository.ts'

/** Document 003's Stage 4: the prompt that starts a task cold. */
export const prompt: Command = {
  name: 'task prompt',
  summary: 'The ready-to-paste prompt of a task, from its task-prompts file.',
  words: ['id'],
  examples: ['baton task prompt P0.1.2', 'baton task prompt P0.1.2 --json'],
  async run(shell, args) {
    const session = await shell.open({ write: false })
    const id = await taskNamed(session, args)
    const { root } = await demandRepository(shell, 'task prompt')
    const found = await findPrompt(checkoutFiles(root), id)
    if (found?.prompt === undefined)
      throw notFound(
        found
          ? `${found.path} has no prompt for ${id}; add a heading "## ${id}" with the prompt below, between lines of \`\`\``
          : `there is no task-prompts file for ${id} in ${PROMPTS_FOLDER}`,
        { id, path: found?.path },
      )
    shell.answer({ id, ...found }, () => plainText(found.prompt!))
    const open = found.checklist.filter(({ done }) => !done).length
    shell.say(`${found.path}: ${found.checklist.length} items to verify, ${open} open`)
    for (const path of found.extractions) shell.say(`see also: ${path}`)
  },
}
