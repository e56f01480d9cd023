import { encoder } from '../base64.ts'
import type { Sha256 } from '../merkle.ts'
import { readNote, readVkey, type Signature, type Verifier } from '../note.ts'
import type { Platform } from './platform.ts'
import { amount, type LevelReport, Tally } from './report.ts'

/** The witnesses that a checkpoint needs (C2SP tlog-policy): single ones, groups, and the quorum. */
export interface Policy {
  readonly witnesses: ReadonlyMap<string, Verifier>
  readonly groups: ReadonlyMap<string, { readonly needed: number; readonly members: readonly string[] }>
  /** A witness or group; `none` asks for nobody. */
  readonly quorum: string
}

/** Kind of key of a cosignature (C2SP tlog-cosignature v1). */
const COSIGNATURE = 4
const TIME_BYTES = 8
const SIGNATURE_BYTES = 64

/** Reads a policy; of one that cannot be read, says which line is wrong. */
export function readPolicy(sha256: Sha256, text: string): Policy | { readonly wrong: string } {
  const witnesses = new Map<string, Verifier>()
  const groups = new Map<string, { needed: number; members: string[] }>()
  let quorum: string | undefined
  const isKnown = (name: string): boolean => witnesses.has(name) || groups.has(name)
  for (const [i, line] of text.split('\n').entries()) {
    const [word = '', name = '', value = '', ...rest] = line.replace(/#.*/, '').trim().split(/\s+/)
    const wrong = { wrong: `line ${i + 1}: ${line.trim()}` }
    if (word === '' || word === 'log') continue
    if (word === 'quorum' && quorum === undefined && (name === 'none' || isKnown(name))) quorum = name
    else if (word === 'witness' && !isKnown(name)) {
      const verifier = readVkey(sha256, value)
      if (verifier?.algorithm !== COSIGNATURE) return wrong
      witnesses.set(name, verifier)
    } else if (word === 'group' && !isKnown(name) && rest.length > 0 && rest.every(isKnown)) {
      const needed = value === 'any' ? 1 : value === 'all' ? rest.length : Number(value)
      if (!Number.isInteger(needed) || needed < 1 || needed > rest.length) return wrong
      groups.set(name, { needed, members: rest })
    } else return wrong
  }
  return quorum === undefined ? { wrong: 'it has no line "quorum <name>"' } : { witnesses, groups, quorum }
}

/** L3: enough witnesses of the verifier's own choice have signed the newest checkpoint. */
export async function checkWitnesses(
  note: string,
  policy: Policy,
  isSigned: Platform['isSigned'],
): Promise<LevelReport> {
  const findings = new Tally()
  const read = readNote(note)
  const seen = new Set<string>()
  for (const [name, verifier] of policy.witnesses) {
    const own = read?.signatures.filter((signature) => isOf(signature, verifier)) ?? []
    for (const { bytes } of own) {
      if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) continue
      const message = encoder.encode(`cosignature/v1\ntime ${timeOf(bytes)}\n${read?.text}`)
      if (await isSigned(verifier.key, message, bytes.subarray(TIME_BYTES))) seen.add(name)
    }
  }
  findings.count('cosignatures', seen.size)
  findings.count('witnesses', policy.witnesses.size)
  if (policy.quorum !== 'none' && !isMet(policy, policy.quorum, seen))
    findings.bad(
      'checkpoint',
      `${seen.size} of ${amount(policy.witnesses.size, 'witness', 'witnesses')} signed it, and ${policy.quorum} asks for more`,
    )
  return findings.report(
    'L3',
    'ok',
    `${amount(seen.size, 'witness', 'witnesses')} signed the newest checkpoint`,
  )
}

function isMet(policy: Policy, name: string, seen: ReadonlySet<string>): boolean {
  const group = policy.groups.get(name)
  if (!group) return seen.has(name)
  return group.members.filter((member) => isMet(policy, member, seen)).length >= group.needed
}

const isOf = (signature: Signature, { name, id }: Verifier): boolean =>
  signature.name === name && signature.id.every((byte, i) => byte === id[i])

/** Seconds since 1970, eight bytes with the high one first. */
const timeOf = (bytes: Uint8Array): bigint =>
  new DataView(bytes.buffer, bytes.byteOffset, TIME_BYTES).getBigUint64(0)
