import { toBase64 } from '../../../../src/audit/base64.ts'
import { type Checkpoint, readCheckpoint } from '../../../../src/audit/checkpoint.ts'
import { decodeEntry } from '../../../../src/audit/entry.ts'
import type { IsSigned } from '../../../../src/audit/envelope.ts'
import { openSigned } from '../../../../src/audit/levels/platform.ts'
import { leafOf, verifyInclusion } from '../../../../src/audit/merkle.ts'
import { readVkey, type Verifier } from '../../../../src/audit/note.ts'
import { plainSha256 } from '../../../../src/audit/sha256.ts'
import { readTlogProof } from '../../../../src/audit/tlog-proof.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'

export type Given = OperationOutput<'audit_proof'>

/** One thing that was checked. `ok` is absent where this browser cannot tell. */
export interface Step {
  readonly title: string
  readonly ok?: boolean
  readonly says: string
  readonly doesNotProve: string
}

/** What a browser knows of a log from earlier. */
export interface Remembered {
  readonly vkey: string
  readonly size: number
  readonly root: string
}

/** The head of a log as a server tells it. */
export type ToldHead = Pick<Given, 'origin' | 'vkey' | 'size' | 'root' | 'checkpoint'>

export interface Claims {
  readonly given: Given
  /** Hashes of what the page shows as having happened. */
  readonly shown: readonly string[]
  readonly remembered?: Remembered | undefined
}

const encoder = new TextEncoder()

/**
 * Checks what the server says about a handoff without believing it: the key, the signature, the place of each entry in
 * the signed tree, the chain between entries, and that the page shows nothing else.
 */
export async function verify(claims: Claims, isSigned: IsSigned): Promise<readonly Step[]> {
  const { given, remembered } = claims
  const { head, steps } = await verifyHead(given, remembered, isSigned)
  if (!head) return steps
  return [...steps, treeStep(given, head), chainStep(given), shownStep(claims)]
}

/** Checks the signed head of a log: whose it is, and that what was in it once still is. */
export async function verifyHead(
  told: ToldHead,
  remembered: Remembered | undefined,
  isSigned: IsSigned,
): Promise<{ readonly head?: Checkpoint; readonly steps: readonly Step[] }> {
  const verifier = readVkey(plainSha256, told.vkey)
  const head = await signedHead(told.checkpoint, verifier, isSigned)
  const steps = [keyStep(told, remembered, verifier), headStep(told, remembered, head)]
  return head === undefined || head === 'unknown' ? { steps } : { head, steps }
}

async function signedHead(
  note: string,
  verifier: Verifier | undefined,
  isSigned: IsSigned,
): Promise<Checkpoint | undefined | 'unknown'> {
  if (!verifier) return undefined
  try {
    const text = await openSigned(note, verifier, isSigned)
    const head = text === undefined ? undefined : readCheckpoint(text)
    return head?.origin === verifier.name ? head : undefined
  } catch {
    return 'unknown'
  }
}

function keyStep(
  { vkey }: ToldHead,
  remembered: Remembered | undefined,
  verifier: Verifier | undefined,
): Step {
  const title = 'The key of the log'
  const doesNotProve = 'whose key it is: compare it with what baton audit key prints where the log is kept'
  if (!verifier) return { title, ok: false, says: 'It is not a key that can be read.', doesNotProve }
  if (remembered && remembered.vkey !== vkey)
    return { title, ok: false, says: 'It is not the key that this browser saw before.', doesNotProve }
  const says = remembered
    ? 'The same as this browser saw before.'
    : 'Seen by this browser for the first time.'
  return { title, ok: true, says, doesNotProve }
}

function headStep(
  told: ToldHead,
  remembered: Remembered | undefined,
  head: Checkpoint | undefined | 'unknown',
): Step {
  const title = 'The signature under the log'
  const doesNotProve = 'that everybody is shown the same log: witnesses and checkpoints that others keep do'
  if (head === 'unknown')
    return {
      title,
      says: 'This browser cannot check Ed25519 here; over https a newer one can.',
      doesNotProve,
    }
  const isAsSaid = head && head.size === told.size && toBase64(head.root) === told.root
  if (!head || !isAsSaid)
    return { title, ok: false, says: 'The checkpoint is not signed by this key as it stands.', doesNotProve }
  if (remembered && isGone(remembered, head))
    return {
      title,
      ok: false,
      says: `This browser has seen ${remembered.size} entries, and they are not in it any more.`,
      doesNotProve,
    }
  return { title, ok: true, says: `${head.size} entries are signed as a whole.`, doesNotProve }
}

/** A log only grows, and of one size there is one. */
const isGone = (remembered: Remembered, { size, root }: Checkpoint): boolean =>
  size < remembered.size || (size === remembered.size && toBase64(root) !== remembered.root)

function treeStep({ entries, checkpoint, pending, more }: Given, { size, root }: Checkpoint): Step {
  const wrong = entries.filter(({ index, entry, proof: text }) => {
    const proof = readTlogProof(text)
    const leaf = leafOf(plainSha256, encoder.encode(entry))
    return (
      proof?.index !== index ||
      proof.checkpoint !== checkpoint ||
      !verifyInclusion(plainSha256, { index, size, leaf, root, proof: proof.hashes })
    )
  })
  const waiting = pending > 0 ? ` ${pending} more are not signed yet.` : ''
  const rest = more ? ' There are more than are shown here.' : ''
  return {
    title: 'Each entry is in the signed log',
    ok: wrong.length === 0,
    says:
      wrong.length > 0
        ? `${wrong.length} of ${entries.length} are not.`
        : `${entries.length} of ${entries.length} lead to its root.${waiting}${rest}`,
    doesNotProve: 'that what the entries say is true, only that they were written and have not changed since',
  }
}

function chainStep({ entries }: Given): Step {
  const hashes = new Map<string, string>()
  let wrong = 0
  let links = 0
  for (const { stream, seq, act, entry } of entries) {
    const decoded = decodeEntry(entry)
    const isAsSaid =
      decoded.ok && decoded.stream === stream && decoded.seq === seq && decoded.record.act === act
    const before = hashes.get(`${stream} ${seq - 1}`)
    if (!isAsSaid || (before !== undefined && decoded.prev !== before)) wrong++
    else if (before !== undefined) links++
    hashes.set(`${stream} ${seq}`, hashOf(entry))
  }
  return {
    title: 'Their order',
    ok: wrong === 0,
    says:
      wrong > 0
        ? `${wrong} of ${entries.length} are not what they are said to be, or do not follow the one before.`
        : `Each entry is what it is said to be, and ${links} follow the one before by its hash.`,
    doesNotProve: 'the time of day: it is that of the clock of the store',
  }
}

function shownStep({ given, shown }: Claims): Step {
  const proven = new Set(given.entries.map(({ entry }) => hashOf(entry)))
  const missing = shown.filter((hash) => !proven.has(hash)).length
  const isExplained = missing === 0 || given.more || missing <= given.pending
  const found = shown.length - missing
  return {
    title: 'The timeline on this page',
    ok: isExplained,
    says: isExplained
      ? `${found} of ${shown.length} steps are those entries${missing > 0 ? '; the others are not signed yet or not shown here' : ''}.`
      : `${missing} of ${shown.length} steps are in no entry of the log.`,
    doesNotProve: 'texts of the package: the log holds their digests, and an export discloses them',
  }
}

const hashOf = (entry: string): string => toBase64(leafOf(plainSha256, encoder.encode(entry)))
