import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { exportPieces, type LogReader, type Piece } from '../audit/levels/index.ts'
import { conflict } from '../domain/errors.ts'
import type { SignedCheckpoint, Store } from '../storage/store.ts'
import { platformSha256 } from './audit-platform.ts'
import { checkpointsBelow } from './tree-verify.ts'

export interface Exported {
  readonly folder: string
  readonly files: number
  readonly bytes: number
}

const LEAF_PAGE = 1_000

/**
 * The log of a store up to a checkpoint, as it stands there: nothing is verified on the way, so that what somebody
 * changed is exported too and shows when the export is verified.
 */
export async function storedLog(
  store: Store,
  vkey: string,
  newest: { size: number; note: string },
): Promise<LogReader> {
  // One stands for some hundred entries.
  const stored: SignedCheckpoint[] = []
  for await (const each of checkpointsBelow(store, newest.size + 1)) stored.push(each)
  return {
    vkey,
    newest,
    async *checkpoints() {
      yield* stored.toReversed()
    },
    async *entries() {
      let cursor = '0'
      let left = newest.size
      while (left > 0) {
        const page = await store.changes(cursor, Math.min(LEAF_PAGE, left))
        if (page.entries.length === 0) return
        yield* page.entries
        left -= page.entries.length
        cursor = page.cursor
      }
    },
  }
}

/**
 * Writes an export into a folder: aside first, then swapped in, so that the folder is the old one or the new one
 * and never half of each. What is not an export is never written over.
 */
export async function writeExport(log: LogReader, folder: string, signal?: AbortSignal): Promise<Exported> {
  const target = resolve(folder)
  refuseForeign(target)
  mkdirSync(dirname(target), { recursive: true })
  const draft = mkdtempSync(join(dirname(target), `.${basename(target)}.`))
  try {
    const { files, bytes } = await writePieces(exportPieces(log, platformSha256), draft, signal)
    refuseForeign(target)
    swap(draft, target)
    return { folder: target, files, bytes }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

const OWN: readonly string[] = ['checkpoint', 'checkpoints.jsonl', 'disclosures.jsonl', 'tile', 'vkey']

/** A folder with anything in it is ours only if it holds an export and nothing else: all of it would be replaced. */
function refuseForeign(target: string): void {
  if (!existsSync(target)) return
  let names: readonly string[]
  try {
    names = readdirSync(target)
  } catch {
    throw conflict(`${target} is a file; name a folder that is not there`, {
      folder: target,
    })
  }
  const foreign = names.find((name) => !OWN.includes(name))
  if (names.length === 0 || (foreign === undefined && names.includes('checkpoint'))) return
  throw conflict(
    `${target} is not an export of a log${foreign === undefined ? '' : ` (it holds ${foreign})`}; name a new folder or an older export`,
    { folder: target },
  )
}

async function writePieces(pieces: AsyncIterable<Piece>, draft: string, signal?: AbortSignal) {
  const written = new Set<string>()
  const folders = new Set<string>()
  let bytes = 0
  for await (const piece of pieces) {
    signal?.throwIfAborted()
    const path = join(draft, ...piece.name.split('/'))
    if (!folders.has(dirname(path))) mkdirSync(dirname(path), { recursive: true })
    folders.add(dirname(path))
    appendFileSync(path, piece.bytes, { mode: 0o644, flush: path.endsWith('checkpoint') })
    written.add(piece.name)
    bytes += piece.bytes.length
  }
  return { files: written.size, bytes }
}

function swap(draft: string, target: string): void {
  const old = `${draft}.old`
  const isThere = existsSync(target)
  if (isThere) renameSync(target, old)
  try {
    renameSync(draft, target)
  } catch (error) {
    if (isThere) renameSync(old, target)
    throw error
  }
  rmSync(old, { recursive: true, force: true })
}
