import { BatonError } from '../../../domain/errors.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import type { FoldersOptions } from '../../../folders/sync.ts'
import type { Happened } from '../../../folders/work.ts'
import type { Shell } from '../shell.ts'
import type { Session } from './session.ts'

/** The live folders of a workspace around a command that writes. */
export interface Live {
  /** Takes in what others wrote, before the command is judged, and writes what it changed. */
  catchUp(): Promise<void>
  /** The path of a handoff's file, relative to the project. */
  fileOf(handoff: Handoff): string | undefined
  /** Fields that the sender gave and the file does not hold. */
  leftOut(handoff: Handoff): Promise<readonly string[]>
}

/** A watcher that is at work does the same: nobody waits for it long. */
const WAIT_MS = 2_000

export async function liveOf(shell: Shell, { context }: Session): Promise<Live | undefined> {
  if (!context || context.service.deps.store.info.readOnly) return undefined
  const options = await (await import('../../../compose/open.ts')).foldersOf(context)
  if (!options) return undefined
  const { fileOf, syncFolders } = await import('../../../folders/sync.ts')
  const told = new Set<string>()
  return {
    async catchUp() {
      try {
        tellRefused(shell, options, await syncFolders(options, { waitMs: WAIT_MS }), told)
      } catch (error) {
        // The engine is the truth: a folder that cannot be written is said, and the command stands.
        if (!(error instanceof BatonError)) throw error
        shell.warn(`the live folders are not up to date: ${error.message}`)
      }
    },
    fileOf: (handoff) => fileOf(options, handoff),
    leftOut: async (handoff) => (await import('../../../folders/left-out.ts')).leftOut(options, handoff),
  }
}

/** Only files that Baton itself writes are reported, each once; refused files of others are for their authors. */
function tellRefused(
  shell: Shell,
  { folders }: FoldersOptions,
  happened: readonly Happened[],
  told: Set<string>,
): void {
  const derived = new Set(folders.flatMap(({ kind, path }) => kind.extraPaths.map((own) => `${path}/${own}`)))
  for (const { what, path, reason = '' } of happened)
    if (what === 'refused' && (derived.has(path) || derived.has(`./${path}`)) && !told.has(path)) {
      told.add(path)
      shell.warn(`${path} is not up to date: ${reason}`)
    }
}
