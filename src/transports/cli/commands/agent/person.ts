import type { Extra } from '../../operation-command.ts'
import { marked } from '../../prompt.ts'

/** A person may give rights; what is in doubt about that person is kept with them. */
export const person: Extra = {
  async before({ io }, session, input) {
    if (!session.context || io.env.codingAgent !== undefined) return { input }
    return { input, actor: await marked(io, await session.actor()) }
  },
}
