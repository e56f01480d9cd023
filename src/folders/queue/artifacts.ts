import { isSafeName, isSafePath } from '../../dialects/queue/names.ts'
import type { Handoff } from '../../domain/handoff.ts'
import type { Store } from '../../service/service.ts'
import type { Tree } from '../tree.ts'

const FOLDER = 'artifacts'
const PHASE = /^phase-\d/

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
  path.startsWith(`${FOLDER}/`) &&
  isSafePath(path) &&
  path.split('/').every((part) => part !== '' && part !== '.')

/** The artifact of this id, in whichever phase it was made. */
export function artifactFile(tree: Tree, id: string): string | undefined {
  if (!isSafeName(id)) return undefined
  const phases = tree.list(FOLDER).flatMap(({ name }) => (PHASE.test(name) ? [name] : []))
  const places = phases.map((phase) => `${FOLDER}/${phase}/${id}.json`)
  return places.find((path) => bytesAt(tree, path) !== undefined)
}

/** The bytes of a file below the folder; undefined where there is none that can be read. */
export function bytesAt(tree: Tree, path: string): Buffer | undefined {
  if (!isSafePath(path)) return undefined
  try {
    return tree.read(path.replaceAll('\\', '/').replace(/^\.\//, ''))?.bytes
  } catch {
    return undefined
  }
}
