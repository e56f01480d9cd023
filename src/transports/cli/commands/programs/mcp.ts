import { gitEnvironment, startedAgent } from '../../../../config/config.ts'
import { once } from '../../../../domain/once.ts'
import type { Command } from '../../command.ts'
import { flag, textOf, withCaller } from '../../input/args.ts'
import { liveOf } from '../../session/live.ts'
import { notesFolder, seatsOf } from '../../session/session.ts'
import { Shell } from '../../shell.ts'

export const mcp: Command = {
  name: 'mcp',
  summary: 'Answers one agent over standard input and output as an MCP server, until the agent ends it.',
  flags: [
    flag('agent <name>', 'Name of the agent', { required: true }),
    flag('tools <sets>', 'default, proof, all, or tool names separated by commas (default)'),
  ],
  // The protocol itself carries these: the caller, and the key of a call.
  lacks: ['as', 'key'],
  examples: ['baton mcp --agent codex', 'baton mcp --agent claude --tools default,proof'],
  async run(shell, args) {
    const { parseToolset } = await import('../../../mcp/tools.ts')
    const tools = textOf(args, 'tools')
    const toolset = parseToolset(tools)
    const { io } = shell
    const own = new Shell(io, withCaller(args, startedAgent(io.env) ?? textOf(args, 'agent')!))
    const over = new AbortController()
    try {
      // Loading the protocol takes as long as opening the store.
      const [session, { serveMcp }] = await Promise.all([
        own.open({ write: true }),
        import('../../../mcp/stdio.ts'),
      ])
      const { context } = session
      const actor = await session.actor()
      const seats = await seatsOf(io, session.place, actor.name)
      let instance = io.env.instance ?? seats.given
      const isAlone = context?.service.deps.store.info.engine === 'sqlite'
      const keep = once(() => {
        // Others may write to the same store from elsewhere.
        if (!isAlone)
          void Promise.all([import('../../../mcp/news.ts'), notesFolder(io)])
            .then(([{ keepNews }, dir]) => keepNews(session, dir, actor.name, instance, over.signal))
            .catch(() => undefined)
      })
      // Only a process that works takes a seat: some clients start a second one just to ask what it speaks.
      const seated = (meta: unknown): string => {
        instance ??= seats.take(isSubagent(meta)).instance
        keep()
        return instance
      }
      const signal = io.lasting()
      if (context === undefined) {
        const { bridgeMcp } = await import('../../../mcp/bridge.ts')
        await bridgeMcp({ url: io.env.url!, token: io.env.token!, tools, instance: seated, signal })
        return 0
      }
      const live = await liveOf(own, session)
      await serveMcp({
        service: context.service,
        agent: actor.name,
        actor: (meta) => ({ ...actor, instance: seated(meta) }),
        toolset,
        folder: io.cwd,
        gitEnvironment: gitEnvironment(),
        catchUp: live && (() => live.catchUp()),
        signal,
        tell: (text) => shell.say(text),
      })
      return 0
    } finally {
      over.abort()
      await own.close()
    }
  },
}

/** Codex starts a server for each subagent, and says with each call which conversation makes it. */
function isSubagent(meta: unknown): boolean {
  const { threadId, sessionId } = Object(meta)
  return typeof sessionId === 'string' && typeof threadId === 'string' && threadId !== sessionId
}
