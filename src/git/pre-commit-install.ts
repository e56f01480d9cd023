import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { conflict } from '../domain/errors.ts'
import { present } from '../domain/present.ts'
import type { FileEdit } from '../setup/file-edit.ts'
import { type GitEnvironment, noRepository, openRepository } from './git.ts'
import { findHooksFolder, type HookFile, keptAside, putBack, readHook } from './hook.ts'

const COMMAND = 'baton hook pre-commit'
const START = '# >>> baton: handoffs stand where they belong (baton setup git) >>>'
const END = '# <<< baton <<<'
const KEPT_NAME = 'pre-commit.before-baton'
const EXECUTABLE = 0o755

/** In a linked worktree the program may be installed in the main one only. */
const BLOCK = [
  START,
  'baton_main="$(dirname "$(git rev-parse --path-format=absolute --git-common-dir)")"',
  'if command -v baton >/dev/null 2>&1; then baton_run=baton',
  'elif [ -x node_modules/.bin/baton ]; then baton_run=node_modules/.bin/baton',
  'elif [ -x "$baton_main/node_modules/.bin/baton" ]; then baton_run="$baton_main/node_modules/.bin/baton"',
  'else',
  "  echo 'pre-commit: baton is not installed here; install it, or commit with --no-verify' >&2",
  '  exit 1',
  'fi',
  '"$baton_run" hook pre-commit || exit $?',
  END,
].join('\n')

/** For a hook that these lines cannot be written into: it is kept beside and runs after the check. */
const AROUND = [
  '#!/bin/sh',
  BLOCK,
  `before="$(dirname "$0")/${KEPT_NAME}"`,
  'if [ -x "$before" ]; then exec "$before" "$@"; fi',
  '',
].join('\n')
/** The remark tells it from an empty hook that somebody else made. */
const ALONE = `#!/bin/sh\n# Made by: baton setup git\n${BLOCK}\n`

const SHELL = /^#![ \t]*(?:\/usr\/bin\/env[ \t]+(?:-S[ \t]+)?)?(?:\/\S*\/)?(?:ba|da|z|k|a)?sh(?:[ \t\r\n]|$)/

export interface InstallOptions {
  readonly env: GitEnvironment
  readonly remove?: boolean
}

/**
 * The edits that make git run the check before every commit, or take it out again. A hook that is there goes on
 * working, and removal restores it byte for byte. Writes nothing itself.
 */
export async function preCommitEdits(root: string, options: InstallOptions): Promise<readonly FileEdit[]> {
  const repository = await openRepository(root, options.env)
  if (!repository) throw noRepository(root, 'baton setup git')
  const folder = ofHusky(await findHooksFolder(repository, 'pre-commit', COMMAND))
  const hook = readFile(join(folder, 'pre-commit'))
  const kept = readFile(join(folder, KEPT_NAME))
  return options.remove ? removal(hook, kept) : installation(hook, kept.path)
}

/** Husky writes its own `_` folder anew with every install; what people write stands above it. */
const ofHusky = (folder: string): string =>
  basename(folder) === '_' && basename(dirname(folder)) === '.husky' ? dirname(folder) : folder

/** Behind a link lies a file of someone else, or of the project. */
function readFile(path: string): HookFile {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats && !stats.isFile())
    throw conflict(
      `${path} is ${stats.isSymbolicLink() ? 'a link' : 'no file'}; add this line to the hook yourself: ${COMMAND}`,
      { path },
    )
  return readHook(path)
}

function installation(hook: HookFile, kept: string): readonly FileEdit[] {
  const why = 'git asks Baton before every commit whether handoffs stand where they belong'
  const { path, mode, text } = hook
  if (text === undefined) return [{ path, before: text, after: ALONE, mode: EXECUTABLE, why }]
  const placed = blockIn(text)
  if (placed) {
    const after = text.slice(0, placed.start) + BLOCK + text.slice(placed.end)
    return after === text ? [] : [{ path, before: text, after, mode: EXECUTABLE, why }]
  }
  // A hook that cannot be run is switched off, and must not come to life by what is written into it.
  if (isHusky(path) || (isShell(text) && isExecutable(mode)))
    return [{ path, before: text, after: withBlock(text), ...present({ mode }), why }]
  return [keptAside(hook, kept, 'after'), { path, before: text, after: AROUND, mode: EXECUTABLE, why }]
}

function removal(hook: HookFile, kept: HookFile): readonly FileEdit[] {
  const { path, mode, text } = hook
  if (text === undefined || withoutBlock(text) === text) return []
  const why = 'git no longer asks Baton before a commit'
  if (text === AROUND && kept.text !== undefined) return putBack(hook, kept, why)
  if (text === ALONE) return [{ path, before: text, after: undefined, why }]
  return [{ path, before: text, after: withoutBlock(text), ...present({ mode }), why }]
}

const isHusky = (path: string): boolean => basename(dirname(path)) === '.husky'
const isShell = (text: string): boolean => !text.startsWith('#!') || SHELL.test(text)
const isExecutable = (mode: number | undefined): boolean => mode !== undefined && (mode & 0o111) !== 0

/** First in the file, because a hook may end anywhere. */
function withBlock(text: string): string {
  if (!text.startsWith('#!')) return `${BLOCK}\n${text}`
  const end = text.indexOf('\n')
  return end < 0 ? `${text}\n${BLOCK}` : `${text.slice(0, end + 1)}${BLOCK}\n${text.slice(end + 1)}`
}

function blockIn(text: string): { readonly start: number; readonly end: number } | undefined {
  const start = text.indexOf(START)
  const end = text.indexOf(END, start)
  return start < 0 || end < 0 ? undefined : { start, end: end + END.length }
}

/** Takes the lines away together with the one line break that came with them. */
function withoutBlock(text: string): string {
  const placed = blockIn(text)
  if (!placed) return text
  const { start, end } = placed
  return text[end] === '\n'
    ? text.slice(0, start) + text.slice(end + 1)
    : text.slice(0, Math.max(0, start - 1)) + text.slice(end)
}
