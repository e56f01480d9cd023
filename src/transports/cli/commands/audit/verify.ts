import { resolve } from 'node:path'
import { BatonError } from '../../../../domain/errors.ts'
import type { Command } from '../../command.ts'
import { failureJson } from '../../failure.ts'
import { flag, isOn, textOf } from '../../input/args.ts'
import { oneLine } from '../../screen/plain-text.ts'
import { withProgress } from '../../screen/progress.ts'
import type { Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'

export const verifying: Command = {
  name: 'audit verify',
  summary:
    'Verifies an export offline, level by level, and says what each does not prove. Without a folder it compares every row of the store with the log. Exit 0 ok, 1 tampered, 2 cannot be verified, 3 wrong use.',
  words: ['[folder]'],
  takesMore: true,
  flags: [
    flag('seen <file>', 'A checkpoint that you kept: the log must begin with it'),
    flag('vkey <key>', 'Key of the log as you know it, from elsewhere'),
    flag('policy <file>', 'Witnesses that must have signed (C2SP tlog-policy)'),
    flag('anchored', 'Instead of an export: compares the log here with what git remembers of it'),
  ],
  examples: [
    'baton audit verify',
    'baton audit verify log/',
    'baton audit verify log/ --seen last-month.checkpoint',
  ],
  async run(shell, args) {
    if (isOn(args, 'anchored')) return (await import('./anchor.ts')).checkAnchors(shell)
    if (args.words.length === 0 && !['seen', 'vkey', 'policy'].some((name) => textOf(args, name)))
      return verifyStore(shell)
    const { verifyFolder } = await import('../../../../archive/audit-verify.ts')
    const path = (name: string): string | undefined => {
      const file = textOf(args, name)
      return file === undefined ? undefined : resolve(shell.io.cwd, file)
    }
    const outcome = await withProgress(shell, (tell) =>
      verifyFolder({
        folders: args.words.map((word) => resolve(shell.io.cwd, word)),
        seen: path('seen'),
        policy: path('policy'),
        vkey: textOf(args, 'vkey'),
        tell: (done, of) => tell(`verifying: ${done} of ${of} entries`),
      }),
    )
    if ('usage' in outcome) {
      const message = `${outcome.usage}; for example: ${verifying.examples[2]}`
      if (shell.isJson) shell.io.stderr.write(`${failureJson(new BatonError('invalid_input', message))}\n`)
      else shell.say(shell.screen.marked(shell.screen.cross, message))
      return outcome.exit
    }
    shell.answer(outcome.found, () => shell.screen.fit(outcome.text.trimEnd()))
    return outcome.exit
  },
}

/** The store here: its chains and tree, and every row against what the log commits to. */
async function verifyStore(shell: Shell): Promise<number> {
  const { service } = await shell.openLocal({ write: false })
  const { store } = service.deps
  const [{ verifyChains }, { verifyStates }] = await Promise.all([
    import('../../../../archive/store-verify.ts'),
    import('../../../../archive/state-verify.ts'),
  ])
  const { streams, entries, broken, elsewhere } = await verifyChains(store)
  if (elsewhere > 0) {
    const { message } = (await store.archive())!.missing()
    shell.answer({ ok: false, streams, entries, elsewhere }, () => `${shell.screen.cross} ${message}`)
    return 2
  }
  const { bound, unbound, wrong } = await verifyStates(store)
  const ok = broken.length + wrong.length === 0
  shell.answer({ ok, streams, entries, rows: bound, unbound, broken, wrong }, () =>
    [
      ...broken.map(({ stream, at, reason }) => `${shell.screen.cross} ${stream} at entry ${at}: ${reason}`),
      ...wrong.map((each) => `${shell.screen.cross} ${oneLine(each)}`),
      ...(ok
        ? [`${shell.screen.tick} ${count(streams, 'chain')}, ${count(bound, 'row')} as the log says`]
        : []),
      ...(unbound > 0
        ? [`${count(unbound, 'older row')} of an older program: the next step binds them`]
        : []),
    ].join('\n'),
  )
  return ok ? 0 : 1
}
