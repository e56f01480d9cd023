import { isUnchanged } from './files/scan.ts'
import type { About } from './folder.ts'
import { baseName, folderOf, quietly, readQuietly, utf8Text, type Work } from './work.ts'

/** Some of them list every handoff that there ever was. */
export const EXTRA_BYTES = 32 * 1024 * 1024

/** What extra files are made from. A file beside the handoffs is hashed again when its stamp has changed. */
export function aboutOf(work: Work, isWhole: boolean): About {
  const { tree, state, service } = work
  return {
    files: (ended) => state.files(work.path, ended),
    now: service.deps.now().toISOString(),
    policy: service.deps.policy,
    isWhole,
    read: (path) => {
      const found = readQuietly(work, path, EXTRA_BYTES)
      return typeof found === 'object' ? utf8Text(found) : undefined
    },
    hash: (path) => quietly(() => known(work, path) ?? hashed(work, path)),
    names: (folder, most) =>
      quietly(
        () => tree.fewNames(folder, most),
        () => [],
      ),
  }
}

/** The same for a doctor: looks at every file itself, and notes nothing. */
export function freshAboutOf(work: Work): About {
  return { ...aboutOf(work, true), hash: (path) => quietly(() => work.tree.hash(path)?.sha256) }
}

function known(work: Work, path: string): string | undefined {
  const look = work.state.look(work.path, path)
  if (!look) return undefined
  const folder = folderOf(path)
  const [entry] = work.tree.entries(folder, [baseName(path)])
  return entry && isUnchanged(look, entry) ? look.sha256 : undefined
}

function hashed(work: Work, path: string): string | undefined {
  const at = Date.now()
  const found = work.tree.hash(path)
  if (found) work.state.putLook(work.path, { path, sha256: found.sha256, ...found.stamp, at })
  else work.state.dropLook(work.path, path)
  return found?.sha256
}
