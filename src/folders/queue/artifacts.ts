import { isSafeName, isSafePath } from '../../dialects/queue/names.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { orElse } from '../../domain/once.ts'
import type { Store } from '../../service/service.ts'
import type { Tree } from '../files/tree.ts'
import { quietly } from '../work.ts'
import { ARTIFACTS, phasesIn, REGISTRY, registeredFile } from './registry.ts'

/** Where the artifacts of a handoff lie, or wait to be put. */
export interface Around {
  readonly tree: Tree
  readonly store: Store
}

/** What a specialist handed in through Baton lies on the disk before its handoff is in `completed/` (S1-65). */
export async function placeArtifacts({ uid, state }: Handoff, { tree, store }: Around): Promise<void> {
  if (state !== 'completed') return
  for (const { path, sha256 } of await storedIn(store, uid)) {
    const bytes = await store.blob(sha256)
    // What lies there already is somebody's, or the same.
    if (bytes) tree.put(path, bytes)
  }
}

/** What was stored with its bytes to be put into the folder. */
async function storedIn(store: Store, uid: string) {
  return (await store.artifacts(uid)).flatMap(({ path, role, sha256, stored }) =>
    stored && sha256 !== undefined && role === 'output' && isPlace(path) ? [{ path, sha256 }] : [],
  )
}

/** Whether a file lies there when the handoff is in `completed/`: it does by now, or it is put there with it. */
export const liesAt = async (path: string, uid: string, around: Around): Promise<boolean> =>
  isThere(around.tree, path) || (await storedAt(path, uid, around)) !== undefined

/** Its bytes, wherever they are; undefined where they cannot be read. */
export async function artifactBytes(path: string, uid: string, around: Around): Promise<Buffer | undefined> {
  if (isThere(around.tree, path)) return bytesAt(around.tree, path)
  const stored = await storedAt(path, uid, around)
  const bytes = stored && (await around.store.blob(stored.sha256))
  return bytes && Buffer.from(bytes)
}

async function storedAt(path: string, uid: string, { tree, store }: Around) {
  const found = (await storedIn(store, uid)).find((each) => each.path === plainPath(path))
  return found && isFree(tree, found.path) ? found : undefined
}

/** Whether a file can be put there: a link on the way or in its place keeps it out. */
function isFree(tree: Tree, path: string): boolean {
  const slash = path.lastIndexOf('/')
  return quietly(() => tree.entries(path.slice(0, slash), [path.slice(slash + 1)]))?.length === 0
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
export const isThere = (tree: Tree, path: string): boolean => isSafePath(path) && tree.isFile(plainPath(path))

export function hashAt(tree: Tree, path: string): { readonly sha256?: string } {
  const found = isThere(tree, path) ? tree.hash(plainPath(path)) : undefined
  return found ? { sha256: found.sha256 } : {}
}

const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^\.\//, '')

/** The bytes of a file below the folder; undefined where there is none that can be read. */
export function bytesAt(tree: Tree, path: string): Buffer | undefined {
  if (!isSafePath(path)) return undefined
  return orElse(() => tree.read(plainPath(path))?.bytes, undefined)
}
