import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { platformSha256 } from '../../../src/archive/audit-platform.ts'
import { appendToChain, type ChainHead, EMPTY_CHAIN } from '../../../src/audit/chain.ts'
import { printCheckpoint } from '../../../src/audit/checkpoint.ts'
import { encodeDisclosure } from '../../../src/audit/disclosure.ts'
import type { AuditRecord } from '../../../src/audit/entry.ts'
import { type ExportFiles, exportPieces, type LogReader } from '../../../src/audit/levels/index.ts'
import { TreeBuilder } from '../../../src/audit/levels/tree.ts'
import { leafOf, rootOfLeaves } from '../../../src/audit/merkle.ts'
import { newVerifier, printNote, toVkey } from '../../../src/audit/note.ts'

export const ORIGIN = 'handoff.example/018f3c00-0000-7000-8000-000000000001'
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_BYTES = 12

/** A key made from a number, so that a run can be repeated. */
export function keyOf(seed: number) {
  const der = Buffer.concat([PKCS8, Buffer.alloc(32, seed)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const bytes = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_BYTES)
  return { key, bytes, sign: (message: Uint8Array) => sign(null, message, key) }
}

export const LOG_KEY = keyOf(7)
const verifier = newVerifier(platformSha256, ORIGIN, LOG_KEY.bytes)
export const VKEY = toVkey(verifier)

export type Entry = { readonly body: string; readonly disclosures?: readonly string[] }
export type Files = Map<string, Uint8Array>

/** A signed checkpoint of these leaves. */
export const noteOf = (leaves: readonly Uint8Array[], key = LOG_KEY): string =>
  signed(leaves.length, rootOfLeaves(platformSha256, leaves), key)

function signed(size: number, root: Uint8Array, key: typeof LOG_KEY): string {
  const text = printCheckpoint({ origin: ORIGIN, size, root })
  const signer = newVerifier(platformSha256, ORIGIN, key.bytes)
  return printNote({ text, signatures: [{ ...signer, bytes: key.sign(Buffer.from(text)) }] })
}

export const leavesOf = (entries: readonly Entry[]): Uint8Array[] =>
  entries.map(({ body }) => leafOf(platformSha256, Buffer.from(body)))

/** The log as its store would give it: a checkpoint after every `every` entries and one at the end. */
export function logOf(entries: readonly Entry[], every = 100, vkey = VKEY, key = LOG_KEY): LogReader {
  const leaves = leavesOf(entries)
  const tree = new TreeBuilder(platformSha256)
  const notes: { size: number; note: string }[] = []
  for (const leaf of leaves) {
    tree.add(leaf)
    tree.takeFull()
    if (tree.size % every === 0 || tree.size === leaves.length)
      notes.push({ size: tree.size, note: signed(tree.size, tree.root(), key) })
  }
  return readerOf(entries, notes, vkey)
}

export function readerOf(
  entries: readonly Entry[],
  notes: readonly { readonly size: number; readonly note: string }[],
  vkey = VKEY,
): LogReader {
  return {
    vkey,
    newest: notes.at(-1)!,
    checkpoints: () => streamed(notes),
    entries: () => streamed(entries),
  }
}

async function* streamed<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items
}

/** The files of an export by name. */
export async function exported(log: LogReader): Promise<Files> {
  const files: Files = new Map()
  for await (const { name, bytes } of exportPieces(log, platformSha256))
    files.set(name, Buffer.concat([files.get(name) ?? Buffer.alloc(0), bytes]))
  return files
}

export const memoryFiles = (files: ReadonlyMap<string, Uint8Array>): ExportFiles => ({
  names: async () => [...files.keys()],
  read: async (name, most) => {
    const bytes = files.get(name)
    return bytes && bytes.length <= most ? bytes : undefined
  },
  chunks: (name) => {
    const bytes = files.get(name)
    return bytes && streamed([bytes])
  },
})

/** Numbers that look random and are the same in every run (mulberry32). */
export function randomOf(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { below, pick: <T>(items: readonly T[]): T => items[below(items.length)]! }
}

/** When an entry was written. */
export const timeOf = (index: number): string => new Date(1_790_000_000_000 + index * 1_000).toISOString()

type Said = Omit<AuditRecord, 'v' | 'ts' | 'actor' | 'auth' | 'sd'> & {
  readonly by?: string
  readonly kid?: string
}

/** Writes a log as the program does, entry by entry. */
export class LogWriter {
  readonly entries: Entry[] = []
  readonly leaves: Uint8Array[] = []
  readonly by: string[] = []
  readonly tree = new TreeBuilder(platformSha256)
  readonly #heads = new Map<string, ChainHead>()

  /** The digests of what was disclosed, by field. */
  add(stream: string, { by = 'claude', kid, ...said }: Said, fields: Readonly<Record<string, unknown>> = {}) {
    const index = this.entries.length
    const disclosures = Object.entries(fields).map(([name, value]) =>
      encodeDisclosure(Buffer.alloc(16, index + name.length).toString('base64url'), name, value),
    )
    const digests = disclosures.map((text) =>
      Buffer.from(platformSha256(Buffer.from(text))).toString('base64url'),
    )
    const names = Object.keys(fields)
    const record: AuditRecord = {
      ...said,
      actor: { id: by, ...(kid !== undefined && { kid }) },
      auth: 'token',
      ...(names.length > 0 && { sd: Object.fromEntries(names.map((name, i) => [name, digests[i]!])) }),
      ts: timeOf(index),
      v: 1,
    }
    const next = appendToChain(
      this.#heads.get(stream) ?? EMPTY_CHAIN,
      { origin: ORIGIN, stream, record },
      (entry) => Buffer.from(leafOf(platformSha256, Buffer.from(entry))).toString('base64'),
    )
    this.#heads.set(stream, next.head)
    this.entries.push({ body: next.entry, ...(disclosures.length > 0 && { disclosures }) })
    const leaf = leafOf(platformSha256, Buffer.from(next.entry))
    this.leaves.push(leaf)
    this.tree.add(leaf)
    this.tree.takeFull()
    this.by.push(by)
    return digests
  }
}
