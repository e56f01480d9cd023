import { type Context, openContext } from '../../../../compose/open.ts'
import { readSettings } from '../../../../config/file.ts'
import { notFound, onRefusal } from '../../../../domain/errors.ts'
import { doubtsIn } from '../../../../service/audit/doubts.ts'
import { resolveActor } from '../../../../workspace/identity.ts'
import { trust as keepTrust, SENDS_OR_RUNS, trustState } from '../../../../workspace/trust.ts'
import { adoptStore, findWorkspace, lookedAt, noteLook } from '../../../../workspace/workspace.ts'
import type { Command } from '../../command.ts'
import { flag, isOn } from '../../input/args.ts'
import { demandYes, personHere } from '../../prompt.ts'
import { oneLine } from '../../screen/plain-text.ts'
import type { Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'

/** Settings that restrict or grant, and a store that was made elsewhere, wait for a person's yes. */
export const trust: Command = {
  name: 'trust',
  summary: 'Trusts guarded settings, a store that was made elsewhere, and callers in doubt (people only).',
  flags: [flag('check', 'Only say whether anything waits for trust; exit 4 when it does')],
  examples: ['baton trust', 'baton trust --check --json'],
  async run(shell, args) {
    const { io, screen } = shell
    const workspace = await findWorkspace(io.cwd, io.env)
    const file = workspace?.configFile
    const read = file === undefined ? undefined : await readSettings(file)
    const context = await openedHere(shell)
    const info = context?.service.deps.store.info
    const isOurs = context?.isOurs ?? true
    const holds = context && !isOurs ? await contentOf(context) : ''
    const { doubts = [], end } =
      context && info && !isOn(args, 'check')
        ? await doubtsIn(context.service.deps.store, lookedAt(io.env, info.origin))
        : {}
    await context?.close()
    if (!read && !info)
      throw notFound('there is no baton.yaml here, so there is nothing to trust; make one with: baton init')
    const state = await trustState(workspace, read, io.env, info?.settings)
    const { trusted, hash, needs, waiting } = state
    const isSettled = trusted || !workspace || needs.length + waiting.length === 0
    if (isOn(args, 'check') || (isSettled && isOurs && doubts.length === 0)) {
      const isFine = waiting.length === 0 && isOurs
      const told = isOurs ? (file ?? info?.location) : info?.location
      shell.answer({ file, trusted, hash, needs, store: isOurs }, () =>
        isFine
          ? `${screen.tick} ${told} ${trusted ? 'is trusted' : 'sets nothing that waits for trust'}`
          : `${screen.cross} ${told} is not trusted; it waits for: baton trust`,
      )
      return isFine ? 0 : 4
    }
    const { actor } = resolveActor({ as: shell.as, environment: io.env, isTerminal: io.isTerminal })
    await personHere(io, actor, 'trust')
    if (info && !isOurs) {
      shell.say(`${info.location} was not made by you on this machine. It holds ${holds}.`)
      await confirm(shell, 'Make this store yours, with its tokens and keys?', info.location)
      adoptStore(io.env, info)
    }
    if (info && doubts.length > 0) {
      shell.say(`The caller of ${count(doubts.length, 'entry', 'entries')} is in doubt:\n`)
      for (const doubt of doubts) shell.say(screen.paragraph(oneLine(doubt), '  │ '))
      await confirm(shell, 'Have you looked at these, and are they right?', info.location)
      noteLook(io.env, info.origin, end ?? '')
    }
    if (!isSettled) {
      const what = [...new Set([...needs, ...waiting])].join(' and ')
      shell.say(file ? `${file} sets ${what}:\n` : `There is no baton.yaml any more. It set ${what}.`)
      shell.say(screen.paragraph(read?.text.trimEnd() ?? '', '  │ '))
      await confirm(shell, 'Let this take effect?', file ?? 'baton.yaml')
      const kept = keepTrust(workspace, read?.config ?? {}, io.env)
      // It may name another store.
      const after = await openedHere(shell)
      await after?.service.deps.store.keepSettings(kept).finally(() => after.close())
    }
    const inCi = needs.some((name) => SENDS_OR_RUNS.includes(name)) ? `; in CI set BATON_TRUST=${hash}` : ''
    shell.answer({ file, trusted: true, hash, needs, store: true }, () =>
      isSettled
        ? `${screen.tick} ${info?.location} is yours${doubts.length > 0 ? ', and its callers were looked at' : ''}`
        : `${screen.tick} trusted until it changes${inCi}`,
    )
    return 0
  },
}

async function contentOf({ service: { deps } }: Context): Promise<string> {
  const { handoffs } = await deps.store.counts()
  const tokens = (await deps.store.tokens()).map(({ agent }) => agent)
  const all = Object.values(handoffs).reduce((sum, each) => sum + each, 0)
  const holders = [...new Set(tokens)].join(', ') || 'nobody'
  return `${count(all, 'handoff')}, and ${count(tokens.length, 'token')} for ${holders}`
}

const confirm = ({ io }: Shell, question: string, file: string): Promise<void> =>
  demandYes(io, `\n${question}`, `${file} is not trusted: it was not confirmed`, { file })

/** The store as it is opened now; undefined before there is one. */
async function openedHere({ io, as, store }: Shell): Promise<Context | undefined> {
  const name = as ?? io.env.agent ?? 'baton'
  const how = { as: name, isTerminal: false, store, write: true, existing: true }
  return openContext({ cwd: io.cwd, environment: io.env, ...how }).catch(onRefusal(undefined, 'not_found'))
}
