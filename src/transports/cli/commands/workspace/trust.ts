import { readConfigText } from '../../../../config/file.ts'
import { BatonError } from '../../../../domain/errors.ts'
import { resolveActor } from '../../../../workspace/identity.ts'
import { trust as keepTrust, SENDS_OR_RUNS, trustState } from '../../../../workspace/trust.ts'
import { findWorkspace } from '../../../../workspace/workspace.ts'
import type { Command } from '../../command.ts'
import { isOn } from '../../input/args.ts'
import { askYesNo, personHere } from '../../prompt.ts'

/** Settings of a `baton.yaml` that could send data away, run something or decide wait for a person's yes. */
export const trust: Command = {
  name: 'trust',
  summary:
    'Lets the store, commands, addresses and accept of this baton.yaml take effect, until it changes (people only).',
  flags: [{ name: 'check', about: 'Only say whether it is trusted; exit 4 when it is not' }],
  examples: ['baton trust', 'baton trust --check --json'],
  async run(shell, args) {
    const { io, screen } = shell
    const workspace = await findWorkspace(io.cwd, io.env)
    if (workspace?.configFile === undefined)
      throw new BatonError(
        'not_found',
        'there is no baton.yaml here, so there is nothing to trust; make one with: baton init',
      )
    const file = workspace.configFile
    const text = await readConfigText(file)
    const { covered, ...state } = trustState(workspace, text, io.env)
    const answer = (trusted: boolean) => ({ file, ...state, trusted })
    if (isOn(args, 'check') || state.trusted || state.needs.length === 0) {
      const isFine = state.trusted || state.needs.length === 0
      shell.answer(answer(state.trusted), () =>
        state.trusted
          ? `${screen.tick} ${file} is trusted`
          : isFine
            ? `${screen.tick} ${file} sets nothing that needs trust`
            : `${screen.cross} ${file} is not trusted; it waits for: baton trust`,
      )
      return isFine ? 0 : 4
    }
    const { actor } = resolveActor({ as: shell.as, environment: io.env, isTerminal: io.isTerminal })
    personHere(io, actor, 'trust')
    shell.say(`${file} sets ${state.needs.join(' and ')}:\n`)
    shell.say(screen.paragraph(text.trimEnd(), '  │ '))
    if (!(await askYesNo(io, '\nLet this take effect?', false)))
      throw new BatonError('not_allowed', `${file} is not trusted: it was not confirmed`, { file })
    keepTrust(workspace, text, io.env)
    const isForCi = state.needs.some((name) => SENDS_OR_RUNS.includes(name))
    const inCi = isForCi ? `; in CI set BATON_TRUST=${state.hash}` : ''
    shell.answer(answer(true), () => `${screen.tick} trusted until it changes${inCi}`)
    return 0
  },
}
