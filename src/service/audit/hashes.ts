import { createPublicKey, hash, verify } from 'node:crypto'
import { leafOf, type Sha256 } from '../../audit/merkle.ts'
import type { VerifyEd25519 } from '../../audit/note.ts'

/** SHA-256 for the pure code of the log. */
export const nodeSha256: Sha256 = (...parts) =>
  hash('sha256', parts.length === 1 ? parts[0]! : Buffer.concat(parts), 'buffer')

const encoder = new TextEncoder()

/** The leaf of an entry, made from its bytes and from nothing that stands beside them. */
export const leafOfText = (entry: string): Uint8Array => leafOf(nodeSha256, encoder.encode(entry))

export const verifyEd25519: VerifyEd25519 = (key, message, signature) => {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') }
    return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)
  } catch {
    // Not a point on the curve: no signature is this key's.
    return false
  }
}

export const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
export const toBytes = (text: string): Uint8Array => Buffer.from(text, 'base64')
