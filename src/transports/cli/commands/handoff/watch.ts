import { present } from '../../../../domain/present.ts'
import type { Event } from '../../../../service/events.ts'
import type { Command } from '../../command.ts'
import { flag, numberOf, textOf } from '../../input/args.ts'
import { oneLine, safeJson } from '../../screen/plain-text.ts'
import type { Screen } from '../../screen/screen.ts'
import { cut, pad, widthOf } from '../../screen/width.ts'
import { actOf, STATE_STYLES } from '../../views/words.ts'

export const watch: Command = {
  name: 'watch',
  summary: 'Follows what happens in the workspace, live, until Ctrl-C.',
  flags: [
    flag('since <cursor>', 'Begin after this one (0: from the first)'),
    flag('count <number>', 'End after so many'),
  ],
  examples: ['baton watch', 'baton watch --since 0 --json'],
  async run(shell, args) {
    const signal = shell.io.lasting()
    const session = await shell.open({ write: false })
    const since = textOf(args, 'since')
    let left = numberOf(args, 'count', 1) ?? Infinity
    // Said when nothing can be missed any more: people react to it.
    const onReady = () => shell.say(shell.screen.dim('watching; Ctrl-C ends it'))
    const events = session.events({ ...present({ since }), signal, onReady })
    for await (const event of events) {
      shell.print(shell.isJson ? safeJson(event) : lineOf(event, shell.screen))
      await shell.io.drained?.()
      left -= 1
      if (left <= 0) break
    }
  },
}

function lineOf(event: Event, screen: Screen): string {
  const { at, by, act, id, subject, kind, title = '', state, to } = event
  if (!screen.isTerminal)
    return [at, by, act, id ?? subject, state ?? '', oneLine(title), to ?? ''].join('\t')
  const time = new Date(at).toTimeString().slice(0, 8)
  const what = pad(actOf(act, by), 18)
  const style = isState(state) ? STATE_STYLES[state] : undefined
  const name = oneLine(id ?? (kind === 'workspace' ? '' : subject))
  const whom = to === undefined || to === by ? '' : `  to ${cut(oneLine(to), 14)}`
  const lead = `${screen.dim(time)}  ${pad(cut(oneLine(by), 14), 14)}  ${style ? screen.paint(style, what) : what}  ${screen.bold(name)}${whom}`
  return `${lead}  ${cut(oneLine(title), Math.max(10, screen.columns - widthOf(lead) - 2))}`.trimEnd()
}

const isState = (state: string | undefined): state is keyof typeof STATE_STYLES =>
  state !== undefined && Object.hasOwn(STATE_STYLES, state)
