import { gitEnvironment, startedAgent } from '../../../../config/config.ts'
import type { Actor } from '../../../../domain/agent.ts'
import { once } from '../../../../domain/once.ts'
import type { Command } from '../../command.ts'
import { textOf, withCaller } from '../../input/args.ts'
import { liveOf } from '../../session/live.ts'
import { seatsOf } from '../../session/session.ts'
import { Shell } from '../../shell.ts'

export const mcp: Command = {
  name: 'mcp',
  summary: 'Answers one agent over standard input and output as an MCP server, until the agent ends it.',
  flags: [
    { name: 'agent', placeholder: 'name', required: true, about: 'Name of the agent' },
    {
      name: 'tools',
      placeholder: 'sets',
      about: 'default, proof, all, or tool names separated by commas (default)',
    },
  ],
  // The protocol itself carries these: the caller, and the key of a call.
  lacks: ['as', 'key'],
  examples: ['baton mcp --agent codex', 'baton mcp --agent claude --tools default,proof'],
  async run(shell, args) {
    const { parseToolset } = await import('../../../mcp/tools.ts')
    const toolset = parseToolset(textOf(args, 'tools'))
    const own = new Shell(shell.io, withCaller(args, startedAgent(shell.io.env) ?? textOf(args, 'agent')!))
    const over = new AbortController()
    try {
      // Loading the protocol takes as long as opening the store.
      const [session, { serveMcp }] = await Promise.all([
        own.open({ write: true, local: true }),
        import('../../../mcp/stdio.ts'),
      ])
      const { service, actor, workspace } = session.context!
      const live = await liveOf(own, session)
      const seats = await seatsOf(shell.io, session.context!)
      // Only a process that works takes a seat: some clients start a second one just to ask what it speaks.
      const seat = once(() => seats.take())
      const caller = once((): Actor => {
        const known = { ...actor, instance: shell.io.env.instance ?? seats.given ?? seat().instance }
        // Others may write to the same database from elsewhere.
        if (workspace && service.deps.store.info.engine === 'postgres')
          void import('../../../mcp/news.ts')
            .then(({ keepNews }) => keepNews(service, workspace.dir, known, over.signal))
            .catch(() => undefined)
        return known
      })
      await serveMcp({
        service,
        agent: actor.name,
        actor: caller,
        toolset,
        folder: shell.io.cwd,
        gitEnvironment: gitEnvironment(),
        catchUp: live && (() => live.catchUp()),
        signal: shell.io.lasting(),
        tell: (text) => shell.say(text),
      })
      return 0
    } finally {
      over.abort()
      await own.close()
    }
  },
}
