import { type Context, foldersOf } from '../../../../compose/open.ts'
import { present } from '../../../../domain/present.ts'
import { webRemote } from '../../../../git/checkout.ts'
import type { ServeOptions } from '../../../http/server/serve.ts'
import type { Command } from '../../command.ts'
import { type Arguments, flag, numberOf, textOf, textsOf } from '../../input/args.ts'
import type { Shell } from '../../shell.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Answers every operation over HTTP until Ctrl-C. Callers need a token: baton token create.',
  flags: [
    flag('port <number>', 'Port to listen on (4180); 0 takes a free one'),
    flag('host <address>', 'For other machines too: 0.0.0.0 (127.0.0.1)'),
    flag('allow-host <name>', 'A name under which others reach it', { repeats: true }),
  ],
  examples: ['baton serve', 'baton serve --store postgres://baton@db.example.com/baton --port 4180'],
  async run(shell, args) {
    const port = portOf(args)
    const host = textOf(args, 'host')
    const signal = shell.io.lasting()
    const context = await shell.openLocal({ write: true, explicit: true })
    if (!context.isOurs)
      (await import('../../../../compose/own-store.ts')).refuseUnadopted(context.service.deps.store)
    await (await import('../audit/anchor.ts')).demandAnchors(shell, context)
    const [{ serve: start }, { noteServer }] = await Promise.all([
      import('../../../http/server/serve.ts'),
      import('../../../../workspace/server-note.ts'),
    ])
    let takeBack = (): void => undefined
    const running = await start({
      service: context.service,
      beside: await besideServer(context),
      ...(await settingsOf(context)),
      workspaces: namedWorkspaces(shell, context),
      ...present({ port, host }),
      allowedHosts: textsOf(args, 'allow-host'),
      loginCode: loginCode(shell, context),
      repository: webRemote(context.workspace?.checkout ?? shell.io.cwd),
      onReady: ({ url, host: bound, port: number, text }) => {
        const store = context.service.deps.store.info.location
        takeBack = noteServer(context.workspace?.dir ?? '', { host: bound, port: number, store })
        shell.answer({ url, host: bound, port: number }, () => text)
      },
    })
    if (signal.aborted) void running.close()
    await running.closed.finally(() => takeBack())
  },
}

/** A person who starts a server is let into its dashboard; a program gets no secret that it did not ask for. */
function loginCode({ io, isJson }: Shell, { actor, service }: Context): ServeOptions['loginCode'] {
  if (isJson || actor.kind !== 'human' || io.env.codingAgent !== undefined || io.env.ci) return undefined
  return async () => {
    const { marked } = await import('../../prompt.ts')
    return (await service.tokens()).loginCode({ actor: await marked(io, actor) }, actor.name)
  }
}

/** Times and log of the server as `baton.yaml` sets them. */
async function settingsOf({ config }: Context): Promise<Pick<ServeOptions, 'times' | 'log' | 'requestLog'>> {
  if (!config?.server) return {}
  const [{ serverTimes }, { createLog }] = await Promise.all([
    import('../../../../config/server.ts'),
    import('../../../http/server/log.ts'),
  ])
  const { log_level, request_log } = config.server
  return {
    times: serverTimes(config.server),
    log: createLog(process.stderr, undefined, log_level),
    requestLog: request_log,
  }
}

/** The workspaces that the trusted settings name, each opened when it is asked for. */
function namedWorkspaces({ io, as }: Shell, { config }: Context): ServeOptions['workspaces'] {
  const { workspaces } = config ?? {}
  if (!workspaces) return undefined
  return {
    has: (name) => Object.hasOwn(workspaces, name),
    open: async (named) => {
      const { openContext } = await import('../../../../compose/open.ts')
      const { codingAgent: _, ...environment } = io.env
      const options = { cwd: io.cwd, environment, as, isTerminal: io.isTerminal, write: true }
      return (await openContext({ ...options, named, store: workspaces[named] })).service
    },
  }
}

/** A server keeps the live folders of its workspace in step. */
export async function besideServer(context: Context): Promise<ServeOptions['beside']> {
  const folders = await foldersOf(context)
  if (!folders) return undefined
  const { watchFolders } = await import('../../../../folders/watch.ts')
  return (signal, log) =>
    watchFolders(folders, {
      signal,
      onFailure: ({ message }) => log('warn', 'the live folders are not up to date', { reason: message }),
    })
}

export const portOf = (args: Arguments): number | undefined => numberOf(args, 'port', 0, 65_535)
