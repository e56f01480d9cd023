import { toBase64 } from '../base64.ts'
import { canonicalJson } from '../canonical-json.ts'
import { type Checkpoint, readCheckpoint } from '../checkpoint.ts'
import { isSame } from '../merkle.ts'
import { readNote, type Verifier } from '../note.ts'
import type { HashTile } from '../tiles.ts'
import { byteLines, CHECKPOINT, CHECKPOINTS, type ExportFiles, tilePath, utf8 } from './files.ts'
import { openSigned, type Platform } from './platform.ts'
import { amount, type LevelReport, Tally } from './report.ts'
import { type TreeBuilder, widthOf } from './tree.ts'

/** L1: each stored checkpoint is signed by the log's key, and its root is the one that the entries give. */
export class CheckpointCheck {
  readonly findings = new Tally()
  readonly #platform: Platform
  readonly #verifier: Verifier
  /** By rising size: as many as were stored, one for some hundred entries. */
  #expected: Checkpoint[] = []
  #next = 0

  constructor(platform: Platform, verifier: Verifier) {
    this.#platform = platform
    this.#verifier = verifier
  }

  /** Reads what is signed. The newest is the file of its own; it ends the list too. */
  async load(files: ExportFiles, newest: string): Promise<void> {
    const chunks = files.chunks(CHECKPOINTS)
    if (!chunks) {
      this.findings.bad(CHECKPOINTS, 'it is missing')
      await this.#take(CHECKPOINT, newest)
      return
    }
    let last: string | undefined
    let number = 0
    for await (const lines of byteLines(chunks)) {
      for (const line of lines) {
        number += 1
        const note = noteOf(utf8(line))
        const where = `${CHECKPOINTS} line ${number}`
        if (note === undefined) this.findings.bad(where, 'it is not a stored checkpoint')
        else {
          await this.#take(where, note)
          last = note
        }
      }
    }
    if (last === newest) return
    this.findings.bad(CHECKPOINTS, 'its last checkpoint is not the one in the file checkpoint')
    await this.#take(CHECKPOINT, newest)
  }

  async #take(where: string, note: string): Promise<void> {
    const text = await openSigned(note, this.#verifier, this.#platform.isSigned)
    const checkpoint = text === undefined ? undefined : readCheckpoint(text)
    this.findings.count('checkpoints')
    if (!checkpoint) this.findings.bad(where, `it is not signed by ${this.#verifier.name} with the given key`)
    else if (checkpoint.origin !== this.#verifier.name)
      this.findings.bad(where, `it is of another log, ${checkpoint.origin}`)
    else if (checkpoint.size <= (this.#expected.at(-1)?.size ?? -1))
      this.findings.bad(where, 'it is not larger than the one before it')
    else this.#expected.push(checkpoint)
  }

  /** To be called at each size that the tree has, zero included. */
  at(tree: TreeBuilder): void {
    const expected = this.#expected[this.#next]
    if (expected?.size !== tree.size) return
    this.#next += 1
    if (!isSame(tree.root(), expected.root))
      this.findings.bad(
        `checkpoint of ${amount(expected.size, 'entry', 'entries')}`,
        `it signs the root ${toBase64(expected.root)}, and the entries give ${toBase64(tree.root())}`,
      )
  }

  /** The rows of hashes that others read instead of the entries are those that the entries give. */
  async compare(files: ExportFiles, rows: readonly HashTile[]): Promise<void> {
    for (const row of rows) {
      const name = tilePath(row.level, row.n, widthOf(row))
      const stored = await files.read(name, row.bytes.length)
      if (!stored) this.findings.bad(name, 'it is missing or too large')
      else if (!isSame(stored, row.bytes)) this.findings.bad(name, 'its hashes are not those of the entries')
      else this.findings.count('tiles')
    }
  }

  report(size: number, walked: number): LevelReport {
    const fewer = `${amount(size, 'entry is', 'entries are')} signed, and the export holds ${walked}`
    if (walked < size) this.findings.bad(`entry ${walked}`, fewer, walked)
    const signed = `${amount(this.findings.counts.checkpoints ?? 0, 'checkpoint')} signed by ${this.#verifier.name}`
    return this.findings.report('L1', 'ok', `${signed}, each with the root that the entries give`)
  }
}

/** The checkpoint that a verifier kept from an earlier run: signed, or its three lines alone. */
export interface Remembered {
  readonly checkpoint: Checkpoint
  /** Present when it is signed. */
  readonly note?: string
}

export function readRemembered(text: string): Remembered | undefined {
  const note = readNote(text)
  const checkpoint = readCheckpoint(note?.text ?? text)
  return checkpoint && { checkpoint, ...(note && { note: text }) }
}

/** L2: the log begins with the one that is remembered. The proof is the leaves themselves. */
export class RememberedCheck {
  readonly #findings = new Tally()
  readonly #seen: Checkpoint

  constructor(seen: Checkpoint) {
    this.#seen = seen
  }

  async load(
    { note }: Remembered,
    verifier: Verifier,
    origin: string,
    isSigned: Platform['isSigned'],
  ): Promise<void> {
    const where = 'the checkpoint that you remember'
    if (note !== undefined && (await openSigned(note, verifier, isSigned)) === undefined)
      this.#findings.bad(where, `it is not signed by ${verifier.name} with the given key`)
    if (this.#seen.origin !== origin)
      this.#findings.bad(where, `it is of ${this.#seen.origin}, and this log says that it is ${origin}`)
  }

  at(tree: TreeBuilder): void {
    if (tree.size !== this.#seen.size) return
    this.#findings.count('compared')
    if (!isSame(tree.root(), this.#seen.root))
      this.#findings.bad(
        `the first ${amount(this.#seen.size, 'entry', 'entries')}`,
        `you remember the root ${toBase64(this.#seen.root)}, and they give ${toBase64(tree.root())}: this is another history`,
      )
  }

  report(size: number): LevelReport {
    const seen = this.#seen.size
    const entries = amount(seen, 'entry', 'entries')
    const fewer = `you remember ${entries}, and the log ends with ${size}: it was rolled back`
    if (seen > size) this.#findings.bad(`entry ${size}`, fewer, size)
    else if (this.#findings.counts.compared === undefined)
      this.#findings.bad(`entry ${seen}`, 'the entries that you remember are not all in the export', seen)
    if (seen === 0)
      return this.#findings.report('L2', 'nothing', 'you remember an empty log, with which every log agrees')
    const said = `the first ${entries} match what you remember, ${size - seen} are newer`
    return this.#findings.report('L2', 'ok', said)
  }
}

/** A line of stored checkpoints, in its one form. */
export const checkpointLine = (note: string, size: number): string => `${canonicalJson({ note, size })}\n`

function noteOf(line: string | undefined): string | undefined {
  try {
    const { note, size } = JSON.parse(line ?? '') as { note: unknown; size: unknown }
    if (typeof note !== 'string' || typeof size !== 'number') return undefined
    const read = readCheckpoint(readNote(note)?.text ?? '')
    return read?.size === size && checkpointLine(note, size) === `${line}\n` ? note : undefined
  } catch {
    return undefined
  }
}
