import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '../domain/errors.ts'
import { type FileEdit, readText } from '../setup/file-edit.ts'
import { type GitEnvironment, noRepository, openRepository } from './git.ts'
import { findHooksFolder, HOOK, KEPT_NAME, MARK } from './hook.ts'

const COMMAND = 'baton merge-check --pre-push'
const WHY = 'git asks Baton before a push to the main branch whether its tasks were written back'

/** What has to be written so that git runs the check before every push, or so that it no longer does. */
export async function prePushEdits(
  root: string,
  options: { readonly env: GitEnvironment; readonly remove?: boolean },
): Promise<readonly FileEdit[]> {
  const repository = await openRepository(root, options.env)
  if (!repository) throw noRepository(root, 'baton setup git')
  const folder = await findHooksFolder(repository, 'pre-push', COMMAND)
  const hook = await readHook(join(folder, 'pre-push'))
  const kept = await readHook(join(folder, KEPT_NAME))
  return options.remove ? removal(hook, kept) : installation(hook, kept)
}

interface Read {
  readonly path: string
  readonly text: string | undefined
  readonly mode: { readonly mode?: number }
}

async function readHook(path: string): Promise<Read> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats && !stats.isFile())
    throw new BatonError(
      'conflict',
      `${path} is no plain file; add this line to the hook yourself: ${COMMAND}`,
      {
        path,
      },
    )
  return { path, text: readText(path), mode: stats ? { mode: stats.mode & 0o7777 } : {} }
}

function installation({ path, text, mode }: Read, kept: Read): readonly FileEdit[] {
  const edit = { path, before: text, after: HOOK, mode: 0o755, why: WHY }
  if (text === HOOK) return []
  if (text === undefined || text.includes(MARK)) return [edit]
  if (kept.text !== undefined)
    throw new BatonError(
      'conflict',
      `${kept.path} is there already and would be overwritten; remove it or ${path} first`,
      { path: kept.path },
    )
  const why = 'the hook that is there now, as it is; it runs before the check'
  return [{ path: kept.path, before: undefined, after: text, ...mode, why }, edit]
}

function removal({ path, text }: Read, kept: Read): readonly FileEdit[] {
  const why = 'git no longer asks Baton before a push'
  if (text === undefined || !text.includes(MARK)) return []
  if (kept.text === undefined) return [{ path, before: text, after: undefined, why }]
  return [
    { path, before: text, after: kept.text, ...kept.mode, why },
    { path: kept.path, before: kept.text, after: undefined, why: 'it is the hook again' },
  ]
}
