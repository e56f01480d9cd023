import { wrongState } from '../domain/errors.ts'
import type { Repository } from './git.ts'

/** The ref of the anchors; a push of the branch does not include it, so people name it. */
export const ANCHOR_REF = 'refs/notes/baton'
const LISTED = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64})$/

/** Notes a checkpoint at HEAD, byte for byte. Replaces an earlier note: the caller has compared the two. */
export async function writeAnchor(repository: Repository, note: string): Promise<string> {
  const commit = await repository.commit('HEAD')
  if (commit === undefined) throw wrongState('the repository has no commit yet that could remember the log')
  const blob = (await repository.run(['hash-object', '-w', '--stdin'], { input: note })).trim()
  const adding = ['notes', `--ref=${ANCHOR_REF}`, 'add', '--force', '--reuse-message', blob, commit]
  await repository.run([...(await identity(repository)), ...adding])
  return commit
}

/** Takes the notes at these commits away; the history of the ref keeps them. */
export async function removeAnchors(repository: Repository, commits: readonly string[]): Promise<void> {
  const removing = ['notes', `--ref=${ANCHOR_REF}`, 'remove', ...commits]
  await repository.run([...(await identity(repository)), ...removing])
}

/** A note is a commit of its own; a machine where nobody told git a name must be able to write it too. */
async function identity(repository: Repository): Promise<readonly string[]> {
  const { code } = await repository.ask(['var', 'GIT_COMMITTER_IDENT'])
  return code === 0 ? [] : ['-c', 'user.name=baton', '-c', 'user.email=baton@localhost']
}

/** Every checkpoint that some commit remembers. */
export async function readAnchors(repository: Repository) {
  const { code, stdout } = await repository.ask(['notes', `--ref=${ANCHOR_REF}`, 'list'])
  if (code !== 0) return []
  const listed = stdout.split('\n').flatMap((line) => {
    const [, blob, commit] = LISTED.exec(line) ?? []
    return blob !== undefined && commit !== undefined ? [{ blob, commit }] : []
  })
  const notes = await repository.blobs(listed.map(({ blob }) => blob))
  return listed.map(({ blob, commit }) => ({ commit, note: notes.get(blob) ?? '' }))
}
