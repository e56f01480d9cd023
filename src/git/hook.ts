import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { BatonError } from '../domain/errors.ts'
import { isNoCommit, type Repository } from './git.ts'
import type { Finding } from './merge-check.ts'
import { checkCommitMessage } from './names.ts'
import { type Ask, maybeTask, writebackOf } from './task-facts.ts'

export const MARK = '# Written by: baton merge-check --install-hook'
export const KEPT_NAME = 'pre-push.before-baton'

/** The hook that was there before runs first and gets the same input; what it refuses stays refused. */
export const HOOK = `#!/bin/sh
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

export interface Installed {
  readonly hook: string
  readonly changed: boolean
  /** The hook that was there and goes on working. */
  readonly kept?: string
}

/** Writes the pre-push hook where git looks for it, also from a linked worktree. Twice is the same as once. */
export async function installHook(repository: Repository): Promise<Installed> {
  const folder = await hooksFolder(repository)
  const hook = join(folder, 'pre-push')
  const kept = join(folder, KEPT_NAME)
  const before = existsSync(hook) ? readFileSync(hook, 'utf8') : undefined
  const isOurs = before?.includes(MARK) ?? false
  if (before !== undefined && !isOurs) {
    if (existsSync(kept))
      throw new BatonError(
        'conflict',
        `${kept} is there already and would be overwritten; remove it or ${hook} first`,
        { path: kept },
      )
    renameSync(hook, kept)
    chmodSync(kept, 0o755)
  }
  if (before !== HOOK) {
    // Aside and then in place, so that git never meets half of it.
    const draft = `${hook}.${process.pid}`
    writeFileSync(draft, HOOK, { mode: 0o755 })
    chmodSync(draft, 0o755)
    renameSync(draft, hook)
  }
  return { hook, changed: before !== HOOK, ...(existsSync(kept) && { kept }) }
}

async function hooksFolder(repository: Repository): Promise<string> {
  const folder = await findHooksFolder(repository, 'pre-push', 'baton merge-check --pre-push')
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Where git looks for this repository's hooks; it need not be there. Refuses a folder that is not its own. */
export async function findHooksFolder(repository: Repository, hook: string, line: string): Promise<string> {
  const asked = await repository.run(['rev-parse', '--git-path', 'hooks'], { hooks: true })
  const folder = resolve(repository.root, asked.trim())
  const common = resolve(repository.root, (await repository.run(['rev-parse', '--git-common-dir'])).trim())
  if (![repository.root, repository.main, common].some((root) => isBelow(root, folder)))
    throw new BatonError(
      'not_allowed',
      `core.hooksPath is ${folder}, which other repositories use too; add this line to its ${hook} yourself: ${line}`,
      { path: folder },
    )
  if (
    lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() &&
    ![repository.main, common].some((root) => isBelow(root, realpathSync(folder)))
  )
    throw new BatonError(
      'not_allowed',
      `${folder} is a link that leads out of the repository; add the hook by hand`,
      { path: folder },
    )
  return folder
}

function isBelow(root: string, folder: string): boolean {
  const way = relative(root, folder)
  return way !== '' && way.split(sep)[0] !== '..' && !way.startsWith(sep)
}

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
): Promise<readonly Finding[]> {
  const isKnown = !isNoCommit(pushed.before) && (await repository.commit(pushed.before)) !== undefined
  const range = isKnown ? [`${pushed.before}..${pushed.commit}`] : [pushed.commit]
  const log = await repository.run(['log', '-z', '--format=%s', '--end-of-options', ...range])
  const ids = new Set(
    log.split('\0').flatMap((subject) => {
      const check = checkCommitMessage(subject)
      return check.ok ? [check.id] : []
    }),
  )
  const reasons: Finding[] = []
  for (const id of ids) {
    const facts = await maybeTask(ask, id)
    if (facts && !writebackOf(facts))
      reasons.push({
        code: 'writeback_missing',
        message: `${id} has no thought_record of its present work; write it with: baton task finish ${id}`,
      })
  }
  return reasons
}
