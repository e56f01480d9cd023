import { isSafeName, isSafePath } from '../../dialects/queue/names.ts'
import type { Handoff } from '../../domain/handoff.ts'
import type { Store } from '../../service/service.ts'
import type { Tree } from '../tree.ts'
import { ARTIFACTS, phasesIn, REGISTRY, registeredFile } from './registry.ts'

/** What a specialist handed in through Baton lies on the disk before its handoff is in `completed/` (S1-65). */
export async function placeArtifacts(
  { uid, state }: Handoff,
  { tree, store }: { readonly tree: Tree; readonly store: Store },
): Promise<void> {
  if (state !== 'completed') return
  for (const { path, role, sha256, stored } of await store.artifacts(uid)) {
    if (!stored || sha256 === undefined || role !== 'output' || !isPlace(path)) continue
    const bytes = await store.blob(sha256)
    // What lies there already is somebody's, or the same.
    if (bytes) tree.put(path, bytes)
  }
}

const isPlace = (path: string): boolean =>
  path.startsWith(`${ARTIFACTS}/`) &&
  isSafePath(path) &&
  path.split('/').every((part) => part !== '' && part !== '.')

/** The artifact of this id, in whichever phase it was made, or where the registry says that it is. */
export function artifactFile(tree: Tree, id: string): string | undefined {
  if (!isSafeName(id)) return undefined
  const places = phasesIn(tree.names(ARTIFACTS)).map((phase) => `${ARTIFACTS}/${phase}/${id}.json`)
  const found = places.find((path) => isThere(tree, path))
  if (found !== undefined) return found
  const registered = registeredFile(bytesAt(tree, REGISTRY)?.toString('utf8'), id)
  return registered !== undefined && isThere(tree, registered) ? registered : undefined
}

/** Whether a file lies there below the folder, whatever its size. */
export const isThere = (tree: Tree, path: string): boolean => isSafePath(path) && tree.isFile(plain(path))

export function hashAt(tree: Tree, path: string): { readonly sha256?: string } {
  const found = isThere(tree, path) ? tree.hash(plain(path)) : undefined
  return found ? { sha256: found.sha256 } : {}
}

const plain = (path: string): string => path.replaceAll('\\', '/').replace(/^\.\//, '')

/** The bytes of a file below the folder; undefined where there is none that can be read. */
export function bytesAt(tree: Tree, path: string): Buffer | undefined {
  if (!isSafePath(path)) return undefined
  try {
    return tree.read(plain(path))?.bytes
  } catch {
    return undefined
  }
}
