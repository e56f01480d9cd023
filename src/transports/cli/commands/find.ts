import { BatonError } from '../../../domain/errors.ts'
import type { Command } from '../command.ts'
import { GLOBAL_FLAGS } from '../input/args.ts'
import { type Listed, listView } from '../views/handoff.ts'
import { type ShownTask, taskListView } from '../views/task.ts'

/** As many of each as fit on a screen. */
const LIMIT = 10

export const find: Command = {
  name: 'find',
  summary: 'Handoffs and tasks with this text in their id or title.',
  words: ['text'],
  flags: GLOBAL_FLAGS,
  examples: ['baton find "rate limit"', 'baton find BPRD-2026 --json'],
  async run(shell, { words }) {
    const text = words.join(' ').trim()
    if (text === '') throw new BatonError('invalid_input', 'say what to look for: baton find "rate limit"')
    const session = await shell.open({ write: false })
    const [handoffs, tasks] = (await Promise.all([
      session.call('handoff_list', { text, limit: LIMIT }),
      session.call('task_list', { text, limit: LIMIT }),
    ])) as [Listed, { items: ShownTask[] }]
    const found = { handoffs: handoffs.items, tasks: tasks.items }
    shell.answer(found, () =>
      found.handoffs.length + found.tasks.length === 0
        ? shell.nothing(`Nothing has "${text}" in its id or title.`)
        : [
            found.handoffs.length > 0 && listView(shell, handoffs),
            found.tasks.length > 0 && taskListView(shell, tasks, ''),
          ]
            .filter((part) => part !== false)
            .join(shell.screen.isTerminal ? '\n\n' : '\n'),
    )
    return 0
  },
}
