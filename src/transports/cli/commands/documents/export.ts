import { BatonError } from '../../../../domain/errors.ts'
import { present } from '../../../../domain/present.ts'
import type { Command } from '../../command.ts'
import { isOn, textOf } from '../../input/args.ts'
import { resolveHandoff } from '../../session/reference.ts'
import type { Session } from '../../session/session.ts'
import { inOptions, supplyOf, TO, tellWritten, WRITING_FLAGS } from './output.ts'

export const exporting: Command = {
  name: 'export',
  summary:
    'Writes a handoff or a task as a document. One that was imported from this dialect keeps every byte that did not change.',
  words: ['id'],
  flags: [{ ...TO, about: 'The dialect to write, unless it came from one' }, ...WRITING_FLAGS],
  examples: [
    'baton export HO-2026-001 --to package -o handoff.yaml',
    'baton export @ --to markdown --set task=BPRD-2026-0042',
    'baton export P0.1.1 --to writeback',
  ],
  async run(shell, args) {
    const session = await shell.open({ write: false })
    const to = textOf(args, 'to')
    const input = {
      id: await meant(session, args.words[0]!),
      ...present({ to }),
      slot: isOn(args, 'slot'),
      supply: supplyOf(args),
    }
    try {
      tellWritten(shell, await session.call('document_export', input))
    } catch (error) {
      throw inOptions(error)
    }
  },
}

/** A handoff's id may be shortened; an id that matches no handoff may be that of a task. */
async function meant(session: Session, ref: string): Promise<string> {
  try {
    return await resolveHandoff(session, 'handoff_get', ref)
  } catch (error) {
    if (error instanceof BatonError && error.code === 'not_found' && ref !== '@') return ref
    throw error
  }
}
