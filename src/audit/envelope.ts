import { encoder, fromBase64, toBase64, toHex } from './base64.ts'
import { canonicalJson } from './canonical-json.ts'
import { isObject } from './entry.ts'
import type { Sha256 } from './merkle.ts'

/** A DSSE 1.0.2 envelope: bytes, what they are, and who signed them. */
export interface Envelope {
  readonly payload: string
  readonly payloadType: string
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[]
}

/** An agent's statement about its work (in-toto Statement v1): the commit it is about, and the record. */
export interface Statement {
  readonly _type: string
  readonly subject: readonly { readonly name?: string; readonly digest: Readonly<Record<string, string>> }[]
  readonly predicateType: string
  readonly predicate: Readonly<Record<string, unknown>>
}

/** Whether an Ed25519 signature over the message is this key's. A browser takes its time over it. */
export type IsSigned = (
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const PREDICATE_TYPE = 'urn:baton:thought-record:v1'
const KEY_ID_BYTES = 16

/** A key is named by the hash of itself, so nobody can give its name to another. */
export const keyIdOf = (sha256: Sha256, key: Uint8Array): string =>
  toHex(sha256(key).subarray(0, KEY_ID_BYTES))

/** The text of a statement about one thing, as Baton signs it. */
export const statementText = (
  subject: Statement['subject'][number],
  predicate: Statement['predicate'],
): string =>
  canonicalJson({ _type: STATEMENT_TYPE, subject: [subject], predicateType: PREDICATE_TYPE, predicate })

/** Signs the bytes of a text: they are what is kept, and what is read after they were verified. */
export function sealEnvelope(
  text: string,
  keyid: string,
  sign: (message: Uint8Array) => Uint8Array,
): Envelope {
  const payload = encoder.encode(text)
  const sig = toBase64(sign(preAuthEncoding(PAYLOAD_TYPE, payload)))
  return { payload: toBase64(payload), payloadType: PAYLOAD_TYPE, signatures: [{ keyid, sig }] }
}

/** The statement in an envelope that this key signed; undefined otherwise. Other signatures are passed over. */
export async function verifyEnvelope(
  envelope: unknown,
  { id, key }: { readonly id: string; readonly key: Uint8Array },
  isSigned: IsSigned,
): Promise<Statement | undefined> {
  if (!isObject(envelope) || envelope.payloadType !== PAYLOAD_TYPE) return undefined
  const { payload: coded, signatures } = envelope
  const payload = typeof coded === 'string' ? fromBase64(coded) : undefined
  if (!payload || !Array.isArray(signatures)) return undefined
  const own = signatures.filter((each) => isObject(each) && each.keyid === id)
  const signature = own.length === 1 && typeof own[0].sig === 'string' ? fromBase64(own[0].sig) : undefined
  if (!signature) return undefined
  const message = preAuthEncoding(PAYLOAD_TYPE, payload)
  return (await isSigned(key, message, signature)) ? readStatement(payload) : undefined
}

function readStatement(payload: Uint8Array): Statement | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    if (!isObject(value) || value._type !== STATEMENT_TYPE || value.predicateType !== PREDICATE_TYPE)
      return undefined
    const { subject, predicate } = value
    const isWhole = Array.isArray(subject) && subject.length > 0 && isObject(predicate)
    // Just looked at, part by part.
    return isWhole && subject.every(hasDigest) ? (value as unknown as Statement) : undefined
  } catch {
    return undefined
  }
}

const hasDigest = (subject: unknown): boolean => isObject(subject) && isObject(subject.digest)

/** The signed message of a payload (DSSE 1.0.2): its type and its very bytes, each after its length. */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = encoder.encode(payloadType)
  const head = encoder.encode(`DSSEv1 ${type.length} ${payloadType} ${payload.length} `)
  const message = new Uint8Array(head.length + payload.length)
  message.set(head)
  message.set(payload, head.length)
  return message
}
