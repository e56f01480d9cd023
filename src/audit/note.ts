import { encoder, fromBase64, toBase64, toHex } from './base64.ts'
import type { Sha256 } from './merkle.ts'

/** A signer's name and Ed25519 key, as C2SP signed-note v1.0.0 writes them in a vkey. */
export interface Verifier {
  readonly name: string
  /** First four bytes of SHA-256 over name, newline, algorithm and key. */
  readonly id: Uint8Array
  readonly algorithm: number
  readonly key: Uint8Array
}

export interface Signature {
  readonly name: string
  readonly id: Uint8Array
  readonly bytes: Uint8Array
}

/** A text that ends with a newline, and the signatures below it. */
export interface Note {
  readonly text: string
  readonly signatures: readonly Signature[]
}

/** Whether an Ed25519 signature over the message is this key's. */
export type VerifyEd25519 = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean

export const ED25519 = 1
const ED25519_BYTES = 32
const ID_BYTES = 4
/** A note with more is an attack on its reader, not a note. */
const MOST_SIGNATURES = 100
const MAX_NOTE_BYTES = 1_000_000
/** No spaces and no plus sign: a vkey and a signature line could not be taken apart otherwise. */
const VERIFIER_NAME = /^[^\s+]+$/u
const SIGNATURE = /^— ([^\s+]+) (\S+)$/u

/** `name+id+key`: how a verifier is told to others. */
export const toVkey = ({ name, id, algorithm, key }: Verifier): string =>
  `${name}+${toHex(id)}+${toBase64(Uint8Array.of(algorithm, ...key))}`

export function newVerifier(sha256: Sha256, name: string, key: Uint8Array): Verifier {
  if (!VERIFIER_NAME.test(name))
    throw new TypeError(`a signer's name has no spaces and no plus sign: ${name}`)
  return { name, id: keyId(sha256, name, ED25519, key), algorithm: ED25519, key }
}

/** Reads a vkey; undefined when it is not one, or its id is not that of its key. */
export function readVkey(sha256: Sha256, vkey: string): Verifier | undefined {
  const [, name = '', id = '', coded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/u.exec(vkey) ?? []
  const [algorithm, ...key] = fromBase64(coded) ?? []
  if (algorithm === undefined || !KEY_BYTES.has(algorithm) || key.length !== ED25519_BYTES) return undefined
  const verifier = { name, algorithm, key: Uint8Array.from(key) }
  const known = keyId(sha256, name, algorithm, verifier.key)
  return toHex(known) === id ? { ...verifier, id: known } : undefined
}

/** Ed25519 for notes, and Ed25519 for cosignatures of a witness. */
const KEY_BYTES = new Set([ED25519, 4])

export const printNote = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map(printSignature).join('')}`

const printSignature = ({ name, id, bytes }: Signature): string =>
  `— ${name} ${toBase64(Uint8Array.of(...id, ...bytes))}\n`

/** Takes a note apart. Its text ends at the last empty line; undefined when it is not a note. */
export function readNote(note: string): Note | undefined {
  if (note.length > MAX_NOTE_BYTES || hasControl(note) || !note.isWellFormed() || !note.endsWith('\n'))
    return undefined
  const split = note.lastIndexOf('\n\n')
  if (split < 0) return undefined
  const lines = note.slice(split + 2, -1).split('\n')
  if (lines.length > MOST_SIGNATURES) return undefined
  const signatures: Signature[] = []
  for (const line of lines) {
    const [, name, coded] = SIGNATURE.exec(line) ?? []
    const bytes = coded === undefined ? undefined : fromBase64(coded)
    if (name === undefined || bytes === undefined || bytes.length <= ID_BYTES) return undefined
    signatures.push({ name, id: bytes.subarray(0, ID_BYTES), bytes: bytes.subarray(ID_BYTES) })
  }
  return { text: note.slice(0, split + 1), signatures }
}

/**
 * The text of a note that this verifier signed; undefined otherwise. Signatures of others are passed over, a
 * false one under this verifier's name and key is not.
 */
export function openNote(
  note: string,
  verifier: Verifier,
  verify: VerifyEd25519,
): { readonly text: string; readonly signature: Signature } | undefined {
  const read = readNote(note)
  const own = read?.signatures.filter(
    ({ name, id }) => name === verifier.name && toHex(id) === toHex(verifier.id),
  )
  const [signature, ...more] = own ?? []
  if (!read || !signature || more.length > 0 || verifier.algorithm !== ED25519) return undefined
  return verify(verifier.key, encoder.encode(read.text), signature.bytes)
    ? { text: read.text, signature }
    : undefined
}

function keyId(sha256: Sha256, name: string, algorithm: number, key: Uint8Array): Uint8Array {
  return sha256(encoder.encode(`${name}\n`), Uint8Array.of(algorithm), key).subarray(0, ID_BYTES)
}

/** ASCII control characters other than newline have no place in a note. */
function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 && code !== 0x0a) return true
  }
  return false
}
