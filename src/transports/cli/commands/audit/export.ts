import { resolve } from 'node:path'
import { BatonError } from '../../../../domain/errors.ts'
import type { Command } from '../../command.ts'
import { flag, textOf } from '../../input/args.ts'
import { count } from '../../views/words.ts'
import { demandAnchors } from './anchor.ts'

export const exporting: Command = {
  name: 'audit export',
  summary:
    'Writes the whole log into a folder that anybody can verify offline, with its texts and checkpoints.',
  flags: [flag('out <folder>', 'A new folder, or an older export', { required: true })],
  examples: ['baton audit export --out log/', 'baton audit export --out log/ && baton audit verify log/'],
  async run(shell, args) {
    const out = textOf(args, 'out')!
    const context = await shell.openLocal({ write: false })
    const { service } = context
    const { store } = service.deps
    const audit = await service.audit()
    const { storedLog, writeExport } = await import('../../../../archive/audit-export.ts')
    const current = async () => {
      await demandAnchors(shell, context)
      return audit.currentCheckpoint()
    }
    const newest = await current().catch(async (error: unknown) => {
      // A log that somebody changed is exported as it is: it is the evidence.
      const [stored] = await store.checkpoints({ limit: 1 })
      if (!(error instanceof BatonError) || error.code !== 'store_refused' || !stored) throw error
      shell.warn(`${error.message}. The log is exported as it stands`)
      return stored
    })
    const { vkey } = await audit.key()
    const log = await storedLog(store, vkey, newest)
    const { folder, files, bytes } = await writeExport(log, resolve(shell.io.cwd, out), shell.io.lasting())
    shell.answer({ folder, entries: newest.size, files, bytes, vkey }, () =>
      shell.screen.fit(
        `${shell.screen.tick} ${count(newest.size, 'entry', 'entries')} in ${count(files, 'file')}: ${folder}\n  signed by ${vkey}`,
      ),
    )
    shell.next(`baton audit verify ${out}`)
  },
}
