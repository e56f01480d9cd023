import { BatonError } from '../domain/errors.ts'
import type { Repository } from './git.ts'

/** A checkpoint that a commit remembers. */
export interface Anchor {
  readonly commit: string
  readonly note: string
}

/** The ref of the anchors; a push of the branch does not include it, so people name it. */
export const ANCHOR_REF = 'refs/notes/baton'
const LISTED = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64})$/
const HEADER = /^[0-9a-f]{40,64} blob (\d+)$/

/** Notes a checkpoint at HEAD, byte for byte. Replaces an earlier note: the caller has compared the two. */
export async function writeAnchor(repository: Repository, note: string): Promise<string> {
  const commit = await repository.commit('HEAD')
  if (commit === undefined)
    throw new BatonError('wrong_state', 'the repository has no commit yet that could remember the log')
  const blob = (await repository.run(['hash-object', '-w', '--stdin'], { input: note })).trim()
  await repository.run([
    ...(await identity(repository)),
    'notes',
    `--ref=${ANCHOR_REF}`,
    'add',
    '--force',
    '--reuse-message',
    blob,
    commit,
  ])
  return commit
}

/** A note is a commit of its own; a machine where nobody told git a name must be able to write it too. */
async function identity(repository: Repository): Promise<readonly string[]> {
  const { code } = await repository.ask(['var', 'GIT_COMMITTER_IDENT'])
  return code === 0 ? [] : ['-c', 'user.name=baton', '-c', 'user.email=baton@localhost']
}

/** Every checkpoint that some commit remembers. */
export async function readAnchors(repository: Repository): Promise<readonly Anchor[]> {
  const { code, stdout } = await repository.ask(['notes', `--ref=${ANCHOR_REF}`, 'list'])
  if (code !== 0) return []
  const listed = stdout.split('\n').flatMap((line) => {
    const [, blob, commit] = LISTED.exec(line) ?? []
    return blob !== undefined && commit !== undefined ? [{ blob, commit }] : []
  })
  const input = listed.map(({ blob }) => `${blob}\n`).join('')
  const notes = anchorTexts(await repository.run(['cat-file', '--batch'], { input }))
  return listed.map(({ commit }, i) => ({ commit, note: notes[i] ?? '' }))
}

/** Parses the output of `cat-file --batch`: a line with the size, then so many bytes, then a line feed. */
function anchorTexts(answer: string): readonly string[] {
  const bytes = Buffer.from(answer)
  const texts: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at)
    const [, size] = HEADER.exec(bytes.toString('utf8', at, end)) ?? []
    const start = end + 1
    texts.push(size === undefined ? '' : bytes.toString('utf8', start, start + Number(size)))
    at = size === undefined ? start : start + Number(size) + 1
  }
  return texts
}
