import type { Extra } from '../../operation-command.ts'

/** Says on a terminal that it waits: an hour without a word looks like a fault. */
export const wait: Extra = {
  waits: true,
  async before(shell, _, input) {
    if (shell.io.isTerminal) shell.say(shell.screen.dim(`waiting for ${input.id}; Ctrl-C ends the waiting`))
    return { input }
  },
}
