import { lstatSync, realpathSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { conflict, notAllowed } from '../domain/errors.ts'
import { present } from '../domain/present.ts'
import type { Problem } from '../domain/problem.ts'
import { type FileEdit, readText } from '../setup/file-edit.ts'
import { isNoCommit, type Repository } from './git.ts'
import { checkCommitMessage } from './names.ts'
import { type Ask, maybeTask, writebackOf } from './task-facts.ts'

/** The folder of this repository's hooks, which may be missing. Refuses one that other repositories use. */
export async function findHooksFolder(repository: Repository, hook: string, line: string): Promise<string> {
  const asked = await repository.run(['rev-parse', '--git-path', 'hooks'], { hooks: true })
  const folder = resolve(repository.root, asked.trim())
  const common = resolve(repository.root, (await repository.run(['rev-parse', '--git-common-dir'])).trim())
  if (![repository.root, repository.main, common].some((root) => isBelow(root, folder)))
    throw notAllowed(
      `core.hooksPath is ${folder}, which other repositories use too; add this line to its ${hook} yourself: ${line}`,
      { path: folder },
    )
  if (
    lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() &&
    ![repository.main, common].some((root) => isBelow(root, realpathSync(folder)))
  )
    throw notAllowed(`${folder} is a link that leads out of the repository; add the hook by hand`, {
      path: folder,
    })
  return folder
}

function isBelow(root: string, folder: string): boolean {
  const way = relative(root, folder)
  return way !== '' && way.split(sep)[0] !== '..' && !way.startsWith(sep)
}

/** A hook, or the one that was there before it. */
export interface HookFile {
  readonly path: string
  readonly text: string | undefined
  readonly mode: number | undefined
}

export function readHook(path: string): HookFile {
  const stats = statSync(path, { throwIfNoEntry: false })
  return { path, text: readText(path), mode: stats && stats.mode & 0o7777 }
}

/** Keeps a hook beside the one that is written. */
export function keptAside({ path, text, mode }: HookFile, kept: string, runs: 'before' | 'after'): FileEdit {
  if (lstatSync(kept, { throwIfNoEntry: false }))
    throw conflict(`${kept} is there already and would be overwritten; remove it or ${path} first`, {
      path: kept,
    })
  const why = `the hook that is there now, as it is; it runs ${runs} the check`
  return { path: kept, before: undefined, after: text, ...present({ mode }), why }
}

export const putBack = ({ path, text }: HookFile, kept: HookFile, why: string): readonly FileEdit[] => [
  { path, before: text, after: kept.text, ...present({ mode: kept.mode }), why },
  { path: kept.path, before: kept.text, after: undefined, why: 'it is the hook again' },
]

/** One line of what git tells a pre-push hook. */
interface Pushed {
  readonly commit: string
  readonly ref: string
  readonly before: string
}

/** The pushes to the base branch; other branches are pushed before they are written back, as document 003 says. */
export function pushesTo(base: string, input: string): readonly Pushed[] {
  return input.split('\n').flatMap((line) => {
    const [, commit = '', ref = '', before = ''] = line.trim().split(/\s+/)
    const isCommit = [commit, before].every((hash) => /^[0-9a-f]{40,64}$/.test(hash))
    return isCommit && ref === `refs/heads/${base}` && !isNoCommit(commit) ? [{ commit, ref, before }] : []
  })
}

/** Tasks that commits about to be pushed are named after, and that nobody has written back. */
export async function checkPush(
  repository: Repository,
  ask: Ask,
  pushed: Pushed,
): Promise<readonly Problem[]> {
  const isKnown = !isNoCommit(pushed.before) && (await repository.commit(pushed.before)) !== undefined
  const range = isKnown ? `${pushed.before}..${pushed.commit}` : pushed.commit
  const checks = (await repository.log('%s', range)).map((subject) => checkCommitMessage(subject))
  const ids = new Set(checks.flatMap((check) => (check.ok ? [check.id] : [])))
  const reasons: Problem[] = []
  for (const id of ids) {
    const facts = await maybeTask(ask, id)
    const message = `${id} has no thought_record of its present work; write it with: baton task finish ${id}`
    if (facts && !writebackOf(facts)) reasons.push({ code: 'writeback_missing', message })
  }
  return reasons
}
