import { BatonError, conflict, invalidInput, notAllowed, unavailable } from '../../../../domain/errors.ts'
import { notedServer } from '../../../../workspace/server-note.ts'
import type { Command } from '../../command.ts'
import { flag, textOf } from '../../input/args.ts'
import { marked } from '../../prompt.ts'

/** A person waits for the link. */
const ANSWER_MS = 5_000

export const login: Command = {
  name: 'login',
  summary: 'A link that opens the dashboard as you, good once and for ten minutes.',
  flags: [flag('url <address>', 'Address of the server (the one that runs on this machine)')],
  examples: ['baton login', 'baton login --url https://baton.example.com'],
  async run(shell, args) {
    const given = textOf(args, 'url')
    if (given !== undefined && !/^https?:$/.test(URL.parse(given)?.protocol ?? ''))
      throw invalidInput('--url is the address of a server, for example http://127.0.0.1:4180')
    const { actor, service, workspace } = await shell.openLocal({ write: true, existing: true })
    if (actor.kind !== 'human' || shell.io.env.codingAgent !== undefined)
      throw notAllowed(
        `the dashboard is for people, and ${actor.name} is not one here; let a person type: baton login`,
        { actor: actor.name },
      )
    const { location } = service.deps.store.info
    const running = workspace && notedServer(workspace.dir, location, shell.io.env.uid)
    const server = given ?? running
    if (server === undefined)
      throw unavailable(
        'no server of this workspace runs on this machine; start one with: baton serve, or name one with --url',
      )
    const address = new URL(server)
    const tokens = await service.tokens()
    const call = { actor: await marked(shell.io, actor) }
    if (given !== undefined) {
      // A token without scopes: a stranger's server cannot do anything with it.
      const { token, secret } = await tokens.create(call, { agent: actor.name, scopes: [] })
      const doubt = await doubtAbout(server, secret).finally(() => tokens.revoke(call, token.uid))
      if (doubt !== undefined) shell.warn(doubt)
    }
    const code = await tokens.loginCode(call, actor.name)
    const link = `${address.href.replace(/[?#].*$/, '')}#login=${code}`
    shell.answer({ url: link, agent: actor.name }, () => {
      shell.note(`opens the dashboard as ${actor.name}, once, within ten minutes:`)
      return link
    })
  },
}

/** Why the link may not work at this server. Refuses a server that does not know the tokens of this store. */
async function doubtAbout(url: string, token: string): Promise<string | undefined> {
  const { createRemote } = await import('../../../http/client/remote.ts')
  const soon: typeof fetch = (to, init) => fetch(to, { ...init, signal: AbortSignal.timeout(ANSWER_MS) })
  try {
    await createRemote({ url, token, fetch: soon }).whoami()
    return undefined
  } catch (error) {
    if (!(error instanceof BatonError)) throw error
    if (error.code !== 'unauthenticated')
      return `the link was not tried: ${error.message.replaceAll('BATON_URL', '--url')}`
    throw conflict(
      `the server at ${new URL(url).host} serves another workspace; log in from that one, or start a server here with: baton serve`,
      { url },
    )
  }
}
