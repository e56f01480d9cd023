import { isHandoffName } from '../dialects/markdown/is-handoff.ts'
import { type GitEnvironment, openRepository } from '../git/git.ts'

/**
 * Handoffs that git knows and a sparse checkout does not show. A migration that cannot see them would report a
 * clean tree, so they are counted.
 */
export async function hiddenHandoffs(root: string, env: GitEnvironment): Promise<readonly string[]> {
  const repository = await openRepository(root, env)
  if (!repository) return []
  const { code, stdout } = await repository.ask(['ls-files', '--cached', '-t', '-z', '--full-name'])
  if (code !== 0) return []
  const hidden = stdout.split('\0').filter((line) => line.startsWith('S '))
  return hidden.map((line) => line.slice(2)).filter(isHandoffName)
}
