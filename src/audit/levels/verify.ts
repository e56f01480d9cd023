import { toBase64 } from '../base64.ts'
import { type Checkpoint, readCheckpoint } from '../checkpoint.ts'
import { leafOf } from '../merkle.ts'
import { readNote, readVkey, type Verifier } from '../note.ts'
import { TILE_WIDTH } from '../tiles.ts'
import { AgentCheck } from './agents.ts'
import { MOST_BUNDLE_BYTES, readBundle } from './bundle.ts'
import { ChainCheck } from './chains.ts'
import { CheckpointCheck, type Remembered, RememberedCheck } from './checkpoints.ts'
import { DisclosureCheck } from './disclosures.ts'
import {
  bundlePath,
  CHECKPOINT,
  CHECKPOINTS,
  DISCLOSURES,
  type ExportFiles,
  isTileOf,
  utf8,
  VKEY,
} from './files.ts'
import type { Platform } from './platform.ts'
import { Replay } from './replay/replay.ts'
import { LEVELS, type LevelReport, type Verification, verdictOf, withoutVerdict } from './report.ts'
import { TreeBuilder } from './tree.ts'
import { checkWitnesses, type Policy } from './witnesses.ts'

export interface VerifyOptions {
  /** The log's key as its verifier knows it; without it the one in the export is believed. */
  readonly vkey?: string
  /** A checkpoint kept from an earlier look. */
  readonly seen?: Remembered
  /** Which witnesses must have seen the log. */
  readonly policy?: Policy
  readonly tell?: (done: number, of: number) => void
}

const SMALL = 1_000_000

/** The start of a verification: the newest checkpoint and the key that should have signed it. */
interface Head {
  readonly note: string
  readonly checkpoint: Checkpoint
  readonly verifier: Verifier
}

/**
 * Verifies an export, each level for itself. Leaves are made from the entries' bytes and nothing else, in one pass
 * over the bundles; memory grows with the number of streams and of things, not with that of entries.
 */
export async function verifyExport(
  files: ExportFiles,
  platform: Platform,
  options: VerifyOptions = {},
): Promise<Verification> {
  const head = await readHead(files, platform, options.vkey)
  if ('missing' in head) return unverifiable(head.missing)
  const walk = new Walk(files, platform, head)
  const levels = await walk.run(options)
  return {
    verdict: verdictOf(levels),
    origin: head.checkpoint.origin,
    size: walk.tree.size,
    root: toBase64(walk.tree.root()),
    levels,
    ignored: walk.ignored,
  }
}

async function readHead(files: ExportFiles, { sha256 }: Platform, vkey: string | undefined) {
  const note = utf8(await files.read(CHECKPOINT, SMALL))
  if (note === undefined) return { missing: 'there is no file checkpoint: this is not an export of a log' }
  const key = vkey ?? utf8(await files.read(VKEY, SMALL))?.replace(/\n$/, '')
  const verifier = key === undefined ? undefined : readVkey(sha256, key)
  if (!verifier) return { missing: 'there is no key to check signatures with; give one with --vkey' }
  const checkpoint = readCheckpoint(readNote(note)?.text ?? '')
  return checkpoint ? { note, checkpoint, verifier } : { missing: 'the file checkpoint is not a checkpoint' }
}

/** One pass over the log, with every level looking on. */
class Walk {
  readonly tree: TreeBuilder
  ignored: readonly string[] = []
  readonly #files: ExportFiles
  readonly #platform: Platform
  readonly #head: Head
  readonly #chains = new ChainCheck()
  readonly #checkpoints: CheckpointCheck
  readonly #agents: AgentCheck
  readonly #disclosures: DisclosureCheck
  readonly #replay: Replay
  #remembered: RememberedCheck | undefined

  constructor(files: ExportFiles, platform: Platform, head: Head) {
    this.#files = files
    this.#platform = platform
    this.#head = head
    this.tree = new TreeBuilder(platform.sha256)
    this.#checkpoints = new CheckpointCheck(platform, head.verifier)
    this.#agents = new AgentCheck(platform)
    this.#disclosures = new DisclosureCheck(files, platform.sha256)
    this.#replay = new Replay(platform.sha256)
  }

  async run({ seen, policy, vkey, tell }: VerifyOptions): Promise<readonly LevelReport[]> {
    const { note, checkpoint, verifier } = this.#head
    const { size, origin } = checkpoint
    await this.#checkpoints.load(this.#files, note)
    await this.#compareNames(vkey)
    if (seen) {
      this.#remembered = new RememberedCheck(seen.checkpoint)
      await this.#remembered.load(seen, verifier, origin, this.#platform.isSigned)
    }
    this.#look()
    for (let n = 0; n * TILE_WIDTH < size; n += 1) {
      const width = Math.min(TILE_WIDTH, size - n * TILE_WIDTH)
      if (!(await this.#bundle(n, width))) break
      tell?.(this.tree.size, size)
    }
    await this.#checkpoints.compare(this.#files, this.tree.partial())
    await this.#disclosures.end()
    const walked = this.tree.size
    const isWhole = walked === size
    return [
      this.#chains.report(isWhole),
      this.#checkpoints.report(size, walked),
      this.#remembered?.report(walked) ?? withoutVerdict('L2', 'not_asked', NOT_ASKED.L2),
      policy
        ? await checkWitnesses(note, policy, this.#platform.isSigned)
        : withoutVerdict('L3', 'not_asked', NOT_ASKED.L3),
      this.#agents.report(),
      this.#disclosures.report(isWhole),
      this.#replay.report(isWhole),
    ]
  }

  /** Reads the entries of one bundle; false when they are not all there, and the log cannot be followed further. */
  async #bundle(n: number, width: number): Promise<boolean> {
    const name = bundlePath(n, width)
    const bundle = await this.#files.read(name, MOST_BUNDLE_BYTES)
    const { entries, rest } = readBundle(bundle ?? new Uint8Array())
    if (!bundle) this.#checkpoints.findings.bad(name, 'it is missing or too large')
    else if (entries.length !== width || rest !== 0)
      this.#checkpoints.findings.bad(name, `it does not hold ${width} whole entries and nothing else`)
    await this.#disclosures.prepare(n * TILE_WIDTH + width)
    for (const bytes of entries.slice(0, width)) this.#entry(bytes)
    await this.#agents.judge()
    await this.#checkpoints.compare(this.#files, this.tree.takeFull())
    return entries.length >= width
  }

  #entry(bytes: Uint8Array): void {
    const index = this.tree.size
    const leaf = leafOf(this.#platform.sha256, bytes)
    this.tree.add(leaf)
    this.#look()
    const entry = this.#chains.check(index, bytes, leaf, this.#head.checkpoint.origin)
    if (!entry) return
    this.#replay.step(index, entry, leaf)
    const opened = this.#disclosures.check(index, entry)
    if (this.#agents.wants(entry)) this.#agents.note(index, entry, opened)
  }

  #look(): void {
    this.#checkpoints.at(this.tree)
    this.#remembered?.at(this.tree)
  }

  /** Nothing may hide among the tiles, and the key in the export is the one that was asked for. */
  async #compareNames(vkey: string | undefined): Promise<void> {
    const { findings } = this.#checkpoints
    const ignored: string[] = []
    for (const name of await this.#files.names()) {
      if (name.startsWith('tile/')) {
        if (!isTileOf(name, this.#head.checkpoint.size))
          findings.bad(name, 'a log of this size has no such file')
      } else if (!OWN_FILES.includes(name)) ignored.push(name)
    }
    this.ignored = ignored.sort()
    const own = utf8(await this.#files.read(VKEY, SMALL))
    if (own === undefined) findings.bad(VKEY, 'it is missing')
    else if (!own.endsWith('\n') || (vkey !== undefined && own !== `${vkey}\n`))
      findings.bad(VKEY, 'it is not the key that was given')
  }
}

const OWN_FILES: readonly string[] = [CHECKPOINT, VKEY, CHECKPOINTS, DISCLOSURES]

const NOT_ASKED = {
  L2: 'not asked for: give a checkpoint that you kept, with --seen',
  L3: 'not asked for: name the witnesses that you trust, with --policy',
}

function unverifiable(reason: string): Verification {
  const levels = LEVELS.map((level) => withoutVerdict(level, 'unverifiable', reason))
  return { verdict: 'unverifiable', levels, ignored: [] }
}
