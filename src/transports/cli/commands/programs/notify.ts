import { BatonError } from '../../../../domain/errors.ts'
import type { Command } from '../../command.ts'
import { count } from '../../views/words.ts'

export const notify: Command = {
  name: 'notify send',
  summary: 'Sends the messages that are due to webhooks and by mail, once. A server does so by itself.',
  examples: ['baton notify send', '* * * * *  cd /srv/project && baton notify send --quiet'],
  async run(shell) {
    const { service, workspace } = await shell.openLocal({ write: true })
    if (!service.deps.notify)
      throw new BatonError(
        'unmet',
        workspace?.configFile === undefined
          ? 'no channel is in effect here; make a baton.yaml with: baton init, and add notify to it'
          : 'no channel is in effect here; add notify to baton.yaml and run: baton trust',
      )
    // Events that a timeout causes are sent with the rest.
    await service.settle()
    const sendings = await service.deliver()
    const { sent, failed, given_up } = sendings
    shell.answer(sendings, () =>
      sent + failed + given_up === 0
        ? `${shell.screen.tick} nothing to send`
        : [
            `${sent > 0 ? shell.screen.tick : shell.screen.mark} ${count(sent, 'message')} sent`,
            ...(failed > 0 ? [`${failed} to be tried again`] : []),
            ...(given_up > 0 ? [`${given_up} given up: see baton inbox`] : []),
          ].join(', '),
    )
    return given_up > 0 ? 1 : 0
  },
}
