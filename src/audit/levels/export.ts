import { encoder } from '../base64.ts'
import { leafOf, type Sha256 } from '../merkle.ts'
import { type HashTile, TILE_WIDTH } from '../tiles.ts'
import { printBundle } from './bundle.ts'
import { checkpointLine } from './checkpoints.ts'
import { disclosureLine } from './disclosures.ts'
import { bundlePath, CHECKPOINT, CHECKPOINTS, DISCLOSURES, tilePath, VKEY } from './files.ts'
import { TreeBuilder, widthOf } from './tree.ts'

/** A log as an export needs it: whole up to its newest checkpoint, in the order of its tree. */
export interface LogReader {
  readonly vkey: string
  /** The newest checkpoint: what the export ends with. */
  readonly newest: { readonly size: number; readonly note: string }
  /** Stored checkpoints by rising size, the newest last. */
  checkpoints(): AsyncIterable<{ readonly size: number; readonly note: string }>
  /** The entries up to the newest checkpoint, each as it was hashed, with the texts that open its digests. */
  entries(): AsyncIterable<{ readonly body: string; readonly disclosures?: readonly string[] }>
}

/** A file of the export, or the next piece of one that was begun. */
export interface Piece {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The export of a log (C2SP tlog-tiles v0.1.0) piece by piece, in flat memory. The checkpoint comes last. */
export async function* exportPieces(log: LogReader, sha256: Sha256): AsyncIterable<Piece> {
  const tree = new TreeBuilder(sha256)
  let bundle: Uint8Array[] = []
  let lines = ''
  let n = 0
  yield textPiece(VKEY, `${log.vkey}\n`)
  yield textPiece(DISCLOSURES, '')
  for await (const { body, disclosures = [] } of log.entries()) {
    for (const disclosure of [...disclosures].sort()) lines += disclosureLine(disclosure, tree.size)
    const bytes = encoder.encode(body)
    bundle.push(bytes)
    tree.add(leafOf(sha256, bytes))
    if (bundle.length < TILE_WIDTH) continue
    yield { name: bundlePath(n), bytes: printBundle(bundle) }
    yield* tree.takeFull().map(tileOf)
    if (lines !== '') yield textPiece(DISCLOSURES, lines)
    bundle = []
    lines = ''
    n += 1
  }
  if (bundle.length > 0) yield { name: bundlePath(n, bundle.length), bytes: printBundle(bundle) }
  yield* tree.partial().map(tileOf)
  if (lines !== '') yield textPiece(DISCLOSURES, lines)
  yield textPiece(CHECKPOINTS, '')
  for await (const { note, size } of log.checkpoints())
    yield textPiece(CHECKPOINTS, checkpointLine(note, size))
  yield textPiece(CHECKPOINT, log.newest.note)
}

const textPiece = (name: string, content: string): Piece => ({ name, bytes: encoder.encode(content) })

const tileOf = (row: HashTile): Piece => ({
  name: tilePath(row.level, row.n, widthOf(row)),
  bytes: row.bytes,
})
