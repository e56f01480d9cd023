import type { Command } from '../../command.ts'
import { safeJson } from '../../screen/plain-text.ts'
import { lineOf, openFolders } from './sync.ts'

export const watch: Command = {
  name: 'folders watch',
  summary: 'Keeps the live folders in step until Ctrl-C. `baton serve` does the same.',
  examples: ['baton folders watch'],
  async run(shell) {
    const signal = shell.io.lasting()
    const options = await openFolders(shell)
    const { watchFolders } = await import('../../../../folders/watch.ts')
    shell.say(shell.screen.dim('watching; Ctrl-C ends it'))
    await watchFolders(options, {
      signal,
      onPass: (happened) => {
        for (const each of happened) shell.print(shell.isJson ? safeJson(each) : lineOf(each, shell.screen))
      },
      onFailure: (error) => shell.warn(error.message),
    })
  },
}
