import { BatonError } from '../../../../domain/errors.ts'
import { notedServer } from '../../../../workspace/server-note.ts'
import type { Command } from '../../command.ts'
import { textOf } from '../../input/args.ts'
import { marked } from '../../prompt.ts'

export const login: Command = {
  name: 'login',
  summary: 'A link that opens the dashboard as you, good once and for ten minutes.',
  flags: [
    {
      name: 'url',
      placeholder: 'address',
      about: 'Address of the server (the one that runs on this machine)',
    },
  ],
  examples: ['baton login', 'baton login --url https://baton.example.com'],
  async run(shell, args) {
    const given = textOf(args, 'url')
    if (given !== undefined && !/^https?:$/.test(URL.parse(given)?.protocol ?? ''))
      throw new BatonError(
        'invalid_input',
        '--url is the address of a server, for example http://127.0.0.1:4180',
      )
    const { actor, service, workspace } = await shell.openLocal({ write: true })
    if (actor.kind !== 'human' || shell.io.env.codingAgent !== undefined)
      throw new BatonError(
        'not_allowed',
        `the dashboard is for people, and ${actor.name} is not one here; let a person type: baton login`,
        { actor: actor.name },
      )
    const { location } = service.deps.store.info
    const running = workspace && notedServer(workspace.dir, location, shell.io.env.uid)
    const server = given ?? running
    if (server === undefined)
      throw new BatonError(
        'unavailable',
        'no server of this workspace runs on this machine; start one with: baton serve, or name one with --url',
      )
    const address = new URL(server)
    const code = await (await service.tokens()).loginCode(
      { actor: await marked(shell.io, actor) },
      actor.name,
    )
    const link = `${address.href.replace(/[?#].*$/, '')}#login=${code}`
    shell.answer({ url: link, agent: actor.name }, () => {
      shell.note(`opens the dashboard as ${actor.name}, once, within ten minutes:`)
      return link
    })
  },
}
