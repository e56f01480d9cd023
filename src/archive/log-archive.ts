import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TILE_WIDTH } from '../audit/tiles.ts'
import { BatonError } from '../domain/errors.ts'
import type { Verified } from '../service/audit/checkpoints.ts'
import { nameInLog } from '../service/audit/log-key.ts'
import { type LeafEntry, readLog } from '../service/audit/log-reader.ts'
import type { Call, ServiceDeps } from '../service/deps.ts'
import { ARCHIVE_STREAM } from '../storage/rows.ts'
import type { LongWork } from './store-verify.ts'
import { verifyTree } from './tree-verify.ts'

export interface ArchiveRequest {
  /** Entries before this instant go. */
  readonly before: string
  /** The folder that a new archive is put into. */
  readonly to: string
  readonly isDry?: boolean
}

/**
 * Moves old entries into the archive, tile by tile: written, read back and compared before they leave the store. Nothing
 * goes that is not signed. The next call finishes one that was killed. For people: callers make sure of it.
 */
export async function archiveLog(
  deps: ServiceDeps,
  call: Call,
  { before, to, isDry = false }: ArchiveRequest,
  { size, root, origin }: Verified,
  { tell, signal }: LongWork = {},
): Promise<{ readonly folder: string; readonly moved: number; readonly bytes: number }> {
  const { store } = deps
  const [problem] = await verifyTree(store, (done, of) => tell?.('verifying the log', done, of))
  const text = `the log is wrong at entry ${problem?.at}: ${problem?.reason}. Nothing was moved; see: baton audit verify`
  if (problem) throw new BatonError('store_refused', text, { ...problem })
  let archive = await store.archive()
  const isThere = archive !== undefined && existsSync(archive.folder)
  const folder = isThere ? archive!.folder : join(to, `log-${origin.split('/').at(-1)}`)
  let [moved, bytes] = [0, 0]
  for (let n = 0; (n + 1) * TILE_WIDTH <= size; n += 1) {
    signal?.throwIfAborted()
    const all: LeafEntry[] = []
    for await (const entry of readLog(store, n * TILE_WIDTH, (n + 1) * TILE_WIDTH)) all.push(entry)
    if (all.some(({ at }) => at >= before)) break
    // Keys are read with every checkpoint, and where the archive is must be known without it.
    const going = all.filter(({ isArchived, stream }) => !isArchived && !stream.startsWith('log.'))
    for (const { body, disclosures = [] } of going) bytes += body.length + disclosures.join().length
    moved += going.length
    tell?.('moving entries', moved)
    if (isDry || going.length === 0) continue
    if (moved === going.length)
      await nameInLog(deps, call, ARCHIVE_STREAM, { folder, before }, { size, root })
    archive = (await store.archive())!
    archive.write(n, all)
    // A text that was redacted in between must not stay in the file.
    if ((await store.putAway(going)) < going.length) await archive.clear(store, [going[0]!.id])
  }
  tell?.('giving space back', moved)
  if (!isDry && moved > 0) await store.scrub()
  return { folder, moved, bytes }
}
