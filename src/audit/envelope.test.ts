import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Envelope,
  type IsSigned,
  keyIdOf,
  preAuthEncoding,
  type Statement,
  sealEnvelope,
  statementText,
  verifyEnvelope,
} from './envelope.ts'

const sha256 = (...parts: Uint8Array[]): Uint8Array => hash('sha256', Buffer.concat(parts), 'buffer')
const isSigned: IsSigned = (key, message, signature) => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') }
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

function newKey(): { id: string; key: Uint8Array; private: KeyObject } {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = Buffer.from(privateKey.export({ format: 'jwk' }).x!, 'base64url')
  return { id: keyIdOf(sha256, key), key, private: privateKey }
}

const statement: Statement = JSON.parse(
  statementText(
    { name: 'P0.1.1', digest: { gitCommit: 'c'.repeat(40) } },
    { summary: 'Snow ☃ and "quotes"' },
  ),
)
const codex = newKey()
const seal = (value: unknown, key = codex): Envelope =>
  sealEnvelope(JSON.stringify(value), key.id, (message) => sign(null, message, key.private))
const opened = (envelope: unknown, key = codex) => verifyEnvelope(envelope, key, isSigned)

describe('an envelope', () => {
  it('gives back the statement that was signed, and names its key by the key’s own hash', async () => {
    const envelope = seal(statement)

    assert.deepEqual(await opened(envelope), statement)
    assert.deepEqual(await opened(JSON.parse(JSON.stringify(envelope))), statement)
    assert.equal(envelope.signatures[0]?.keyid, hash('sha256', codex.key, 'hex').slice(0, 32))
    assert.equal(envelope.payloadType, 'application/vnd.in-toto+json')
  })

  it('is signed over type and bytes, each with its length, as DSSE says', () => {
    const text = new TextDecoder().decode(
      preAuthEncoding('http://example.com/HelloWorld', new TextEncoder().encode('hello world')),
    )

    assert.equal(text, 'DSSEv1 29 http://example.com/HelloWorld 11 hello world')
  })

  it('is refused under another key, under another name and as another type', async () => {
    const [envelope, other] = [seal(statement), newKey()]
    const [signature] = envelope.signatures

    assert.equal(await opened(envelope, other), undefined)
    assert.equal(await opened(envelope, { ...other, id: codex.id }), undefined)
    assert.equal(await opened({ ...envelope, payloadType: 'text/plain' }), undefined)
    assert.equal(await opened({ ...envelope, signatures: [] }), undefined)
    assert.equal(await opened({ ...envelope, signatures: [signature, signature] }), undefined)
    const both = { ...envelope, signatures: [{ keyid: other.id, sig: signature!.sig }, signature] }
    assert.deepEqual(await opened(both), statement)
  })

  it('is refused when it holds anything but a statement about a record', async () => {
    const odd = [
      'text',
      null,
      [statement],
      {},
      { ...statement, _type: 'https://in-toto.io/Statement/v0.1' },
      { ...statement, predicateType: 'https://slsa.dev/provenance/v1' },
      { ...statement, subject: [] },
      { ...statement, subject: [{ name: 'P0.1.1' }] },
      { ...statement, predicate: 'text' },
    ]

    for (const value of odd) assert.equal(await opened(seal(value)), undefined, JSON.stringify(value))
    for (const value of [undefined, null, 'x', 1, [], {}, { payload: 1 }])
      assert.equal(await opened(value), undefined)
  })

  it('is refused when any letter of payload or signature is another', async () => {
    const envelope = seal(statement)
    const parts = fc.constantFrom('payload' as const, 'sig' as const)

    await fc.assert(
      fc.asyncProperty(parts, fc.nat(), fc.constantFrom(...'Ab0+/= '), async (part, place, letter) => {
        const text = part === 'payload' ? envelope.payload : envelope.signatures[0]!.sig
        const at = place % text.length
        fc.pre(text[at] !== letter)
        const changed = `${text.slice(0, at)}${letter}${text.slice(at + 1)}`
        const forged =
          part === 'payload'
            ? { ...envelope, payload: changed }
            : { ...envelope, signatures: [{ keyid: codex.id, sig: changed }] }
        assert.equal(await opened(forged), undefined)
      }),
      { numRuns: 200 },
    )
  })
})
