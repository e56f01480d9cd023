import { BatonError } from '../../../../domain/errors.ts'
import { confirmed, personOnly } from '../../../../identity.ts'
import { type Command, isOn } from '../../command.ts'
import { GLOBAL_FLAGS } from '../../input/args.ts'
import { askYesNo } from '../../prompt.ts'

/** What this user remembers of the log, and the way out when the log is another on purpose. */
export const trust: Command = {
  name: 'audit trust',
  summary:
    'Compares the log with what you remember of it; with --reset you forget that and believe what is there (people only).',
  flags: [
    { name: 'reset', takes: 'nothing', about: 'Forget it, after a look at why it is another' },
    ...GLOBAL_FLAGS,
  ],
  examples: ['baton audit trust', 'baton audit trust --reset'],
  async run(shell, args) {
    const { context } = await shell.open({ write: false, local: true })
    const { service, actor } = context!
    const audit = await service.audit()
    if (!isOn(args, 'reset')) {
      const { origin, vkey, size } = await audit.newestCheckpoint()
      shell.answer(
        { origin, vkey, size, trusted: true },
        () => `${shell.screen.tick} ${origin} extends what you remember of it: ${size} entries, key ${vkey}`,
      )
      return 0
    }
    const { io } = shell
    const isPerson = io.isTerminal && io.env.codingAgent === undefined
    personOnly(isPerson ? confirmed(actor) : actor, 'audit trust --reset')
    const { origin } = service.deps.store.info
    if (!(await askYesNo(io, `Forget what you remember of ${origin} and of this place?`, false)))
      throw new BatonError('not_allowed', 'nothing was forgotten: it was not confirmed', { origin })
    const forgotten = await audit.forget()
    shell.answer(
      forgotten,
      () => `${shell.screen.tick} forgotten; the next look at ${origin} believes what is there`,
    )
    return 0
  },
}
