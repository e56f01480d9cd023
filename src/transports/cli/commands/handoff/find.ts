import { BatonError } from '../../../../domain/errors.ts'
import type { Command } from '../../command.ts'
import type { Shell } from '../../shell.ts'
import { listView } from '../../views/handoff.ts'
import { taskListView } from '../../views/task.ts'

/** As many of each as fit on a screen. */
const LIMIT = 10

export const find: Command = {
  name: 'find',
  summary: 'Handoffs and tasks with this text in their id or title.',
  words: ['text'],
  takesMore: true,
  examples: ['baton find "rate limit"', 'baton find BPRD-2026 --json'],
  async run(shell, { words }) {
    const text = words.join(' ').trim()
    const session = await shell.open({ write: false })
    const asked = await Promise.allSettled([
      session.call('handoff_list', { text, limit: LIMIT }),
      session.call('task_list', { text, limit: LIMIT }),
    ])
    const [handoffs, tasks] = readable(shell, asked)
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
  },
}

/** A token may read one and not the other: what it may read is shown, and the rest is told. */
function readable<A extends object, B extends object>(
  shell: Shell,
  [a, b]: readonly [PromiseSettledResult<A>, PromiseSettledResult<B>],
): readonly [A | Nothing, B | Nothing] {
  const refused = [a, b].flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  for (const reason of refused) {
    if (refused.length > 1 || !(reason instanceof BatonError) || reason.details.scope === undefined)
      throw reason
    shell.warn(reason.message)
  }
  return [itemsOf(a), itemsOf(b)]
}

type Nothing = { readonly items: [] }

const itemsOf = <T>(each: PromiseSettledResult<T>): T | Nothing =>
  each.status === 'fulfilled' ? each.value : { items: [] }
