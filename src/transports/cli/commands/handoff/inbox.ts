import { didYouMean } from '../../../../domain/texts/nearest.ts'
import type { OperationOutput } from '../../../../runner/operation-types.ts'
import type { Extra } from '../../operation-command.ts'
import type { Shell } from '../../shell.ts'

/** An empty inbox under a name that nobody has used is more often a slip than a new agent. */
export const inbox: Extra = {
  async after(shell, output) {
    const { items, notices } = output as OperationOutput<'handoff_inbox'>
    if (shell.isJson || shell.as === undefined || items.length + notices.length > 0) return false
    const known = await agentNames(shell)
    if (!known || known.includes(shell.as)) return false
    const advice = didYouMean(shell.as, known) || '.'
    const sentence = `Nothing waits for ${shell.as}, and nobody of that name is known here${advice}`
    shell.answer(output, () => shell.nothing(sentence))
    return true
  },
}

/** Everybody who is known here; whoever may not ask is told nothing more. */
async function agentNames(shell: Shell): Promise<readonly string[] | undefined> {
  try {
    const session = await shell.open({ write: false })
    const { items } = await session.call('agent_list', {})
    return [...items.map(({ name }) => name), ...Object.keys(session.policy.agents ?? {})]
  } catch {
    return undefined
  }
}
