import { join } from 'node:path'
import { gitEnvironment } from '../../../../config/config.ts'
import { BatonError } from '../../../../domain/errors.ts'
import { openRepository } from '../../../../git/git.ts'

const DIFF = [
  'diff',
  '--name-only',
  '-z',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--diff-filter=d',
]

/**
 * Files added or changed since a commit, committed or not, by path and by name in the project; a removed file is not
 * an artifact.
 */
export async function changedSince(cwd: string, since: string, option = 'git') {
  const refusal = (reason: string) => new BatonError('invalid_input', `--${option}: ${reason}`, { option })
  const repository = await openRepository(cwd, gitEnvironment())
  if (!repository) throw refusal(`${cwd} is not in a git repository`)
  const { root } = repository
  const named = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${since}^{commit}`]
  const base = await repository.line(named)
  if (base === undefined) throw refusal(`git knows no commit or branch ${since}`)
  const changed = await repository.fields([...DIFF, base])
  const added = await repository.fields(['ls-files', '--others', '--exclude-standard', '-z'])
  return [...new Set([...changed, ...added])].sort().map((name) => ({ name, path: join(root, name) }))
}
