import type { Command } from '../../command.ts'
import { listView } from '../../views/handoff.ts'

/** An old spelling of `baton list TEXT`. */
export const find: Command = {
  name: 'find',
  summary: 'An old spelling of: baton list TEXT.',
  words: ['text'],
  takesMore: true,
  examples: ['baton list "rate limit"', 'baton list BPRD-2026 --json'],
  async run(shell, { words }) {
    const session = await shell.open({ write: false })
    const page = await session.call('handoff_list', { text: words.join(' ').trim() })
    const tasks = page.found?.filter(({ kind }) => kind === 'task')
    shell.answer({ handoffs: page.items, tasks, ...page }, () => listView(shell, page))
  },
}
