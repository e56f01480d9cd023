import { join, resolve } from 'node:path'
import type { Command } from '../../command.ts'
import { badOption, flag, isOn, textOf } from '../../input/args.ts'
import { demandYes, personHere } from '../../prompt.ts'
import { withProgress } from '../../screen/progress.ts'
import { count } from '../../views/words.ts'

export const archiving: Command = {
  name: 'audit archive',
  summary:
    'Moves old entries of the log from the store into a folder, where everything reads them (people only).',
  flags: [
    flag('before <time>', 'A month, date or instant; older entries go', { required: true }),
    flag('to <folder>', 'Folder that a first archive is put into (archive, beside the store)'),
    flag('dry-run', 'Only show how much would go'),
    flag('yes', 'Move without asking', { also: ['y'] }),
  ],
  examples: ['baton audit archive --before 2026-06 --dry-run', 'baton audit archive --before 2026-06'],
  async run(shell, args) {
    const { io, screen } = shell
    const instant = new Date(textOf(args, 'before')!)
    if (Number.isNaN(instant.getTime())) throw badOption('before', 'is a month, date or instant, as 2026-06')
    const [before, isDry] = [instant.toISOString(), isOn(args, 'dry-run')]
    const { service, actor: caller, workspace } = await shell.openLocal({ write: !isDry })
    const to = resolve(io.cwd, textOf(args, 'to') ?? join(workspace?.dir ?? '.', 'archive'))
    const actor = isDry ? caller : await personHere(io, caller, 'audit archive')
    const question = `Move the entries before ${before} out of the store?`
    if (!isDry && !isOn(args, 'yes'))
      await demandYes(io, question, 'nothing was moved: it was not confirmed', { before })
    const { archiveLog } = await import('../../../../archive/log-archive.ts')
    const newest = await (await service.audit()).currentCheckpoint()
    const done = await withProgress(shell, (tell) =>
      archiveLog(service.deps, { actor }, { before, to, isDry }, newest, {
        tell: (what, at, of) => tell(`${what}: ${at}${of === undefined ? '' : ` of ${of}`}`),
        signal: io.lasting(),
      }),
    )
    const what = `${count(done.moved, 'entry', 'entries')} before ${before}, ${(done.bytes / 1e6).toFixed(1)} MB,`
    const text = `${screen.tick} ${what} ${isDry ? 'can go' : 'went'} to ${done.folder}`
    shell.answer({ before, dry: isDry, ...done }, () => text)
    if (!isDry) shell.note('keep that folder with the backups of the store')
  },
}
