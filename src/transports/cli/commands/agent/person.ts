import { OPEN_STATES } from '../../../../domain/lifecycle.ts'
import { confirmed } from '../../../../workspace/identity.ts'
import type { Extra } from '../../operation-command.ts'
import { askFor, marked } from '../../prompt.ts'
import { count } from '../../views/words.ts'

/** A person may give rights; what is in doubt about that person is kept with them. */
export const person: Extra = {
  async before({ io }, session, input) {
    if (!session.context || io.env.codingAgent !== undefined) return { input }
    return { input, actor: await marked(io, await session.actor()) }
  },
}

/** Open work of an agent that was removed would lie there without a word. */
export const removal: Extra = {
  ...person,
  async after(shell, _, { name }) {
    const { io } = shell
    const session = await shell.open({ write: true })
    const { items } = await session.call('handoff_list', { to: name, state: [...OPEN_STATES], limit: 200 })
    const [first] = items
    if (!first) return false
    const ids = items.slice(0, 5).map(({ id }) => id)
    const rest = items.length > ids.length ? ', …' : ''
    shell.warn(`${name} still has ${count(items.length, 'open handoff')}: ${ids.join(', ')}${rest}`)
    const isAsked = io.isTerminal && !shell.isJson && io.env.codingAgent === undefined
    const to = isAsked ? await askFor(io, 'Give them to another agent (Enter leaves them): ') : ''
    if (to === '') shell.next(`baton reassign ${first.id} --to <agent>`)
    else {
      const actor = await marked(io, confirmed(await session.actor()))
      for (const { id } of items) await session.call('handoff_reassign', { id, to }, { actor })
      shell.note(`${count(items.length, 'handoff')} offered to ${to}`)
    }
    return false
  },
}
