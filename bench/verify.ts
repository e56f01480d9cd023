// What does it cost to verify an export, against hashing the same bytes entry by entry? A million entries, read from
// the same files in the same run, all levels but witnesses. And does the memory grow with the log?
import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeExport } from '../src/archive/audit-export.ts'
import { NODE_PLATFORM, platformSha256 } from '../src/archive/audit-platform.ts'
import { folderFiles } from '../src/archive/audit-verify.ts'
import { appendToChain, EMPTY_CHAIN } from '../src/audit/chain.ts'
import { printCheckpoint } from '../src/audit/checkpoint.ts'
import { encodeDisclosure } from '../src/audit/disclosure.ts'
import { readBundle } from '../src/audit/levels/bundle.ts'
import { bundlePath, byteLines } from '../src/audit/levels/files.ts'
import { type LogReader, verifyExport } from '../src/audit/levels/index.ts'
import { TreeBuilder } from '../src/audit/levels/tree.ts'
import { leafOf } from '../src/audit/merkle.ts'
import { newVerifier, printNote, toVkey } from '../src/audit/note.ts'
import { TILE_WIDTH } from '../src/audit/tiles.ts'
import { type Finding, inFolder } from './support/measure.ts'

const ENTRIES = Number(process.env.BATON_BENCH_ENTRIES ?? 1_000_000)
const ROUNDS = 3
const ORIGIN = 'bench.example/018f3c00-0000-7000-8000-000000000001'
const CHECKPOINT_EVERY = 256

/** The life of a handoff, as most of them have it. */
const LIFE = [
  ['handoff.send', 'draft', 'offered', ['title', 'summary']],
  ['handoff.accept', 'offered', 'in_progress', []],
  ['handoff.heartbeat', undefined, undefined, []],
  ['handoff.submit', 'in_progress', 'in_review', ['note']],
  ['handoff.verify_pass', 'in_review', 'completed', []],
] as const

export async function verify(): Promise<readonly Finding[]> {
  return inFolder(async (folder) => {
    const [large, small] = [join(folder, 'large'), join(folder, 'small')]
    await writeExport(await syntheticLog(ENTRIES), large)
    await writeExport(await syntheticLog(Math.ceil(ENTRIES / 10)), small)
    const times = { hashing: [] as number[], verifying: [] as number[] }
    let peak = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      times.hashing.push(await cpuOf(() => hashAll(large, ENTRIES)))
      times.verifying.push(await cpuOf(async () => verified(large)))
    }
    const smallPeak = await peakOf(() => verified(small))
    peak = await peakOf(() => verified(large))
    const [base, cost] = [median(times.hashing), median(times.verifying)]
    return [
      {
        question: `verifying ${ENTRIES} entries against hashing the same bytes`,
        ratio: cost / base,
        detail: `${(cost / 1_000).toFixed(1)} s against ${(base / 1_000).toFixed(1)} s of processor time`,
        bound: { sign: '<=', value: 5 },
      },
      {
        question: `memory for ${ENTRIES} entries, a fifth of them streams, against a tenth of that`,
        ratio: peak / smallPeak,
        detail: `${megabytes(peak)} MB against ${megabytes(smallPeak)} MB of heap`,
        bound: { sign: '<=', value: 10 },
      },
    ]
  })
}

async function verified(folder: string): Promise<void> {
  const { verdict } = await verifyExport(folderFiles(folder), NODE_PLATFORM)
  if (verdict !== 'ok') throw new Error(`the export is ${verdict}`)
}

/** The least that anybody must do: read every entry and text, and hash each. */
async function hashAll(folder: string, size: number): Promise<void> {
  for (let n = 0; n * TILE_WIDTH < size; n += 1) {
    const name = bundlePath(n, Math.min(TILE_WIDTH, size - n * TILE_WIDTH))
    for (const entry of readBundle(readFileSync(join(folder, name))).entries) hash('sha256', entry, 'base64')
  }
  for await (const lines of byteLines(createReadStream(join(folder, 'disclosures.jsonl'))))
    for (const line of lines) hash('sha256', line!, 'base64')
}

async function syntheticLog(size: number): Promise<LogReader> {
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
    format: 'der',
    type: 'pkcs8',
  })
  const verifier = newVerifier(
    platformSha256,
    ORIGIN,
    createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(12),
  )
  const tree = new TreeBuilder(platformSha256)
  const notes: { size: number; note: string }[] = []
  for (const { body } of syntheticEntries(size)) {
    tree.add(leafOf(platformSha256, Buffer.from(body)))
    tree.takeFull()
    if (tree.size % CHECKPOINT_EVERY !== 0 && tree.size !== size) continue
    const text = printCheckpoint({ origin: ORIGIN, size: tree.size, root: tree.root() })
    const signature = { ...verifier, bytes: sign(null, Buffer.from(text), key) }
    notes.push({ size: tree.size, note: printNote({ text, signatures: [signature] }) })
  }
  return {
    vkey: toVkey(verifier),
    newest: notes.at(-1)!,
    async *checkpoints() {
      yield* notes
    },
    async *entries() {
      yield* syntheticEntries(size)
    },
  }
}

function* syntheticEntries(size: number): Iterable<{ body: string; disclosures: readonly string[] }> {
  let head = EMPTY_CHAIN
  for (let index = 0; index < size; index += 1) {
    const step = index % LIFE.length
    if (step === 0) head = EMPTY_CHAIN
    const [act, from, to, fields] = LIFE[step]!
    const id = `018f3c00-0000-7000-8000-${String((index - step) / LIFE.length).padStart(12, '0')}`
    const salt = String(index).padStart(22, '0')
    const disclosures = fields.map((name) =>
      encodeDisclosure(salt, name, `The ${name} of handoff ${id}, in a sentence`),
    )
    const sd = Object.fromEntries(
      fields.map((name, i) => [name, hash('sha256', disclosures[i]!, 'base64url')]),
    )
    const record = {
      act,
      actor: { id: step % 2 === 0 ? 'ana' : 'codex' },
      auth: 'token' as const,
      ...(from !== undefined && { from }),
      ...(fields.length > 0 && { sd }),
      sub: { id, k: 'handoff' as const, rev: step + 1 },
      ...(to !== undefined && { to }),
      ts: '2026-11-15T06:10:00.123Z',
      v: 1 as const,
    }
    const next = appendToChain(head, { origin: ORIGIN, stream: id, record }, (entry) =>
      hash('sha256', `\0${entry}`, 'base64'),
    )
    head = next.head
    yield { body: next.entry, disclosures }
  }
}

/** Milliseconds of processor time: a busy machine makes both sides wait, and unequally. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

async function peakOf(work: () => Promise<void>): Promise<number> {
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().heapUsed)
  }, 20)
  await work()
  clearInterval(watch)
  return peak
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(0)
