import { isUtf8 } from 'node:buffer'
import { lstatSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { conflict } from '../domain/errors.ts'
import { applyEdits, type FileEdit } from '../setup/file-edit.ts'
import { type GitEnvironment, noRepository, openRepository, type Repository } from './git.ts'
import { findHooksFolder, type HookFile, keptAside, putBack, readHook } from './hook.ts'

const COMMAND = 'baton merge-check --pre-push'
const WHY = 'git asks Baton before a push to the main branch whether its tasks were written back'
const MARK = '# Written by: baton merge-check --install-hook'
const KEPT_NAME = 'pre-push.before-baton'

/** The hook that was there before runs first and gets the same input; what it refuses stays refused. */
const HOOK = `#!/bin/sh
${MARK}
# A push to the main branch is refused while a task in it has no thought_record.
pushed=$(cat)
before="$(dirname "$0")/${KEPT_NAME}"
if [ -x "$before" ]; then
  printf '%s\\n' "$pushed" | "$before" "$@" || exit $?
fi
if command -v baton >/dev/null 2>&1; then baton=baton
elif [ -x node_modules/.bin/baton ]; then baton=node_modules/.bin/baton
else
  echo 'pre-push: baton is not installed here; install it, or push with --no-verify' >&2
  exit 1
fi
printf '%s\\n' "$pushed" | "$baton" merge-check --pre-push
`

/** The edits that make git run the check before every push, or that undo this. */
export async function prePushEdits(
  root: string,
  options: { readonly env: GitEnvironment; readonly remove?: boolean },
): Promise<readonly FileEdit[]> {
  const repository = await openRepository(root, options.env)
  if (!repository) throw noRepository(root, 'baton setup git')
  const [hook, kept] = await placesIn(repository)
  demandPlain(hook)
  demandPlain(kept)
  return options.remove ? removal(readHook(hook), readHook(kept)) : installation(readHook(hook), kept)
}

export interface Installed {
  readonly hook: string
  readonly changed: boolean
  /** The hook that was there and goes on working. */
  readonly kept?: string
}

/** Writes the hook at once, also from a linked worktree. Twice is the same as once. */
export async function installHook(repository: Repository): Promise<Installed> {
  const [hook, kept] = await placesIn(repository)
  moveAside(hook, kept)
  const edits = installation(readHook(hook), kept)
  await applyEdits(edits)
  const isExecutable = ((statSync(kept, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0
  return { hook, changed: edits.length > 0, ...(isExecutable && { kept }) }
}

/** The hook, and where the one before it is kept. */
async function placesIn(repository: Repository): Promise<readonly [string, string]> {
  const folder = await findHooksFolder(repository, 'pre-push', COMMAND)
  return [join(folder, 'pre-push'), join(folder, KEPT_NAME)]
}

/** Keeps a hook that no edit can hold: a link, which must go on following its file, or a program that is not text. */
function moveAside(hook: string, kept: string): void {
  const isLink = lstatSync(hook, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  const bytes = statSync(hook, { throwIfNoEntry: false })?.isFile() ? readFileSync(hook) : Buffer.of()
  const isMoved = (isLink || !isUtf8(bytes)) && !bytes.includes(MARK)
  if (isMoved && !lstatSync(kept, { throwIfNoEntry: false })) renameSync(hook, kept)
}

/** Only a file can be given back byte for byte: a link leads to one of the project, or of someone else. */
function demandPlain(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats || stats.isFile()) return
  throw conflict(`${path} is not a plain file; add this line to the hook yourself: ${COMMAND}`, { path })
}

function installation(hook: HookFile, kept: string): readonly FileEdit[] {
  const { path, text } = hook
  const edit = { path, before: text, after: HOOK, mode: 0o755, why: WHY }
  if (text === HOOK) return []
  return text === undefined || text.includes(MARK) ? [edit] : [keptAside(hook, kept, 'before'), edit]
}

function removal(hook: HookFile, kept: HookFile): readonly FileEdit[] {
  const { path, text } = hook
  const why = 'git no longer asks Baton before a push'
  if (text === undefined || !text.includes(MARK)) return []
  if (kept.text === undefined) return [{ path, before: text, after: undefined, why }]
  return putBack(hook, kept, why)
}
