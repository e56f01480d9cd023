import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { BatonError } from '../../../../domain/errors.ts'

/** Nothing that the repository's own settings name is run. */
const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-pager']
const MAX_GIT_BYTES = 64 * 1024 * 1024

/**
 * Files added or changed since a commit, committed or not, by path and by name in the project; a removed file is not
 * an artifact.
 */
export function changedSince(cwd: string, since: string, option = 'git') {
  const git = (args: readonly string[], problem: string): string => {
    const { status, stdout, error } = spawnSync('git', [...SAFE, ...args], {
      cwd,
      encoding: 'utf8',
      maxBuffer: MAX_GIT_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    if (status === 0) return stdout
    const code = (error as NodeJS.ErrnoException | undefined)?.code
    const reason = error === undefined ? problem : `git cannot be run (${code})`
    throw new BatonError('invalid_input', `--${option}: ${reason}`, { option }, error)
  }
  const root = git(['rev-parse', '--show-toplevel'], `${cwd} is in no git repository`).trimEnd()
  const base = git(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${since}^{commit}`],
    `git knows no commit or branch ${since}`,
  ).trim()
  const diff = [
    'diff',
    '--name-only',
    '-z',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--diff-filter=d',
    base,
  ]
  const others = ['ls-files', '--others', '--exclude-standard', '-z', '--full-name', '--', ':/']
  const names = [diff, others].flatMap((args) => git(args, `git ${args[0]} failed`).split('\0'))
  return [...new Set(names)]
    .filter((name) => name !== '')
    .sort()
    .map((name) => ({ name, path: join(root, name) }))
}
