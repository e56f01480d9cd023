import { present } from '../../../../domain/present.ts'
import type { Command } from '../../command.ts'
import { isOn, textOf } from '../../input/args.ts'
import { resolveReferences } from '../../session/references.ts'
import { refuseTyped, supplyOf, TO, tellWritten, WRITING_FLAGS } from './output.ts'

export const exporting: Command = {
  name: 'export',
  summary:
    'Writes a handoff or a task as a document. In the format that it was imported from, unchanged bytes stay.',
  words: ['id'],
  flags: [{ ...TO, about: 'The format to write, by default that of its import' }, ...WRITING_FLAGS],
  examples: [
    'baton export HO-2026-001 --to package -o handoff.yaml',
    'baton export @ --to markdown --set task=BPRD-2026-0042',
    'baton export P0.1.1 --to writeback',
  ],
  async run(shell, args) {
    const session = await shell.open({ write: false })
    const { id } = await resolveReferences(session, 'document_export', { id: args.words[0] })
    const to = textOf(args, 'to')
    const input = { id, ...present({ to }), slot: isOn(args, 'slot'), supply: supplyOf(args) }
    tellWritten(shell, await session.call('document_export', input).catch(refuseTyped))
  },
}
