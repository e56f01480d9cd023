import { foldersOf } from '../../../../compose/open.ts'
import { loadConfig } from '../../../../config/file.ts'
import { notFound } from '../../../../domain/errors.ts'
import type { FoldersOptions } from '../../../../folders/sync.ts'
import type { Happened } from '../../../../folders/work.ts'
import { findWorkspace } from '../../../../workspace/workspace.ts'
import type { Command } from '../../command.ts'
import { oneLine } from '../../screen/plain-text.ts'
import type { Screen } from '../../screen/screen.ts'
import type { Shell } from '../../shell.ts'

export const sync: Command = {
  name: 'folders sync',
  summary: 'Takes in what others wrote into the live folders, and writes what changed. Once.',
  examples: ['baton folders sync', 'baton folders sync --json'],
  async run(shell) {
    const options = await openFolders(shell)
    const { syncFolders } = await import('../../../../folders/sync.ts')
    const happened = await syncFolders(options, { complete: true })
    shell.answer({ happened }, () =>
      happened.length === 0
        ? `${shell.screen.tick} everything is in step`
        : happened.map((each) => lineOf(each, shell.screen)).join('\n'),
    )
  },
}

export async function openFolders(shell: Shell): Promise<FoldersOptions> {
  const file = (await findWorkspace(shell.io.cwd, shell.io.env))?.configFile
  const folders = file === undefined ? undefined : (await loadConfig(file)).folders
  // Looked at before a workspace is made: without a listed folder it would have no use.
  const open = async () => foldersOf(await shell.openLocal({ write: true, explicit: true }))
  const options = folders?.length ? await open() : undefined
  if (options) return options
  throw notFound(
    'this workspace has no live folder; list one in baton.yaml: folders: [{dialect: markdown, path: _handoffs}]',
  )
}

// biome-ignore format: read as a table
const WORDS: Readonly<Record<Happened['what'], string>> = {
  written: 'written', moved: 'moved', taken_in: 'applied', created: 'new', refused: 'refused',
  conflict: 'kept beside', put_back: 'put back', left: 'left alone',
}

export function lineOf({ what, path, reason }: Happened, screen: Screen): string {
  const why = reason === undefined ? '' : `  ${oneLine(reason)}`
  if (!screen.isTerminal) return [WORDS[what], path, reason === undefined ? '' : oneLine(reason)].join('\t')
  const mark = what === 'refused' || what === 'conflict' ? screen.mark : screen.tick
  return `${mark} ${oneLine(path)}  ${screen.dim(WORDS[what])}${why}`
}
