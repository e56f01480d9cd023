import type { Command } from '../../command.ts'
import { flag, isOn } from '../../input/args.ts'
import { demandYes, personHere } from '../../prompt.ts'
import { demandAnchors, forgetAnchors } from './anchor.ts'

/** The log as this user remembers it. Also the way out when the log or its key was replaced on purpose. */
export const trust: Command = {
  name: 'audit trust',
  summary:
    'Compares the log with the state that you saw last. A person can forget that state or start a new key.',
  flags: [
    flag('reset', 'Forget the state that you saw last; look at the difference first'),
    flag('new-key', 'Start a new key, because the old one is lost or has signed entries that are gone'),
  ],
  examples: ['baton audit trust', 'baton audit trust --reset', 'baton audit trust --reset --new-key'],
  async run(shell, args) {
    const [reset, newKey] = [isOn(args, 'reset'), isOn(args, 'new-key')]
    const context = await shell.openLocal({ write: false })
    const { service, actor: caller } = context
    const audit = await service.audit()
    if (!reset && !newKey) {
      await demandAnchors(shell, context)
      const { origin, vkey, size } = await audit.newestCheckpoint()
      shell.answer(
        { origin, vkey, size, trusted: true },
        () => `${shell.screen.tick} ${origin} extends what you remember of it: ${size} entries, key ${vkey}`,
      )
      return 0
    }
    const { io } = shell
    const actor = await personHere(io, caller, `audit trust ${newKey ? '--new-key' : '--reset'}`)
    const { origin } = service.deps.store.info
    const what = [
      ...(reset
        ? [
            `Forget what you remember of ${origin} and of this place, and what git remembers of another history`,
          ]
        : []),
      ...(newKey ? ['Begin another key, which everybody who remembers the old one has to agree to'] : []),
    ]
    await demandYes(io, `${what.join('. ')}?`, 'nothing was changed: it was not confirmed', { origin })
    const forgotten = reset && (await audit.forget()).remembered
    if (reset) await forgetAnchors(shell, context)
    const vkey = newKey ? await audit.renewKey({ actor }) : undefined
    shell.answer({ origin, forgotten, vkey }, () =>
      [
        ...(reset ? [`${shell.screen.tick} forgotten; the next look believes what is there`] : []),
        ...(vkey !== undefined ? [`${shell.screen.tick} the log is signed with ${vkey} from now on`] : []),
      ].join('\n'),
    )
    return 0
  },
}
