import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, hash as digest, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fromBase64, toBase64 } from './base64.ts'
import { printCheckpoint, readCheckpoint } from './checkpoint.ts'
import { preAuthEncoding } from './envelope.ts'
import type { Sha256 } from './merkle.ts'
import { newVerifier, openNote, printNote, readNote, readVkey, toVkey, type VerifyEd25519 } from './note.ts'

const sha256: Sha256 = (...parts) => digest('sha256', Buffer.concat(parts), 'buffer')
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const isSigned: VerifyEd25519 = (key, message, signature) =>
  verify(
    null,
    message,
    createPublicKey({ key: Buffer.concat([SPKI, key]), format: 'der', type: 'spki' }),
    signature,
  )

const SEED = Buffer.alloc(32, 7)
const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, SEED]), format: 'der', type: 'pkcs8' })
const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI.length)
const signer = newVerifier(sha256, 'baton.local/log', publicKey)
const noteOf = (text: string) =>
  printNote({ text, signatures: [{ ...signer, bytes: sign(null, Buffer.from(text), privateKey) }] })

/** The example of C2SP signed-note v1.0.0. */
const EXAMPLE = {
  vkey: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  note: 'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
}

describe('a signed note', () => {
  it('of the published example is opened with its published key', () => {
    const verifier = readVkey(sha256, EXAMPLE.vkey)

    assert.equal(
      verifier && openNote(EXAMPLE.note, verifier, isSigned)?.text,
      'This is an example message.\n',
    )
    assert.equal(verifier && toVkey(verifier), EXAMPLE.vkey)
  })

  it('is opened by its signer and by nobody else, whatever its text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~é\n]{0,60}$/u), (body) => {
        const text = `${body}\n`

        assert.equal(openNote(noteOf(text), signer, isSigned)?.text, text)
        assert.equal(openNote(noteOf(text), { ...signer, name: 'other' }, isSigned), undefined)
      }),
    )
  })

  it('is not opened with any single bit turned', () => {
    const bytes = Buffer.from(noteOf('log\n5\nroot\n'))
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const copy = Buffer.from(bytes)
      copy[bit >> 3]! ^= 1 << (bit & 7)

      assert.equal(openNote(copy.toString(), signer, isSigned), undefined, `bit ${bit}`)
    }
  })

  it('passes over what others signed, but takes nothing that is signed twice by one', () => {
    const text = 'log\n'
    const own = noteOf(text).split('\n\n')[1]!
    const other = '— someone AAAAAAAAAAAAAAAA\n'

    assert.equal(openNote(`${text}\n${other}${own}`, signer, isSigned)?.text, text)
    assert.equal(openNote(`${text}\n${own}${own}`, signer, isSigned), undefined)
  })

  it('must have the form of one', () => {
    const whole = noteOf('text\n')
    const lines = whole.split('\n\n')[1]!
    const broken = {
      'text alone': 'text\n',
      'no signature': 'text\n\n',
      'no last newline': whole.slice(0, -1),
      'a control character': `\x01${whole}`,
      'a name with a space': whole.replace('— baton.local/log', '— Bad Name'),
      'a line that is no signature': `${whole}Unexpected line.\n`,
      'too many signatures': `text\n\n${lines.repeat(101)}`,
      'spare bits in the base64': whole.replace(/(.)=\n$/u, '$1==\n'),
    }
    for (const [name, note] of Object.entries(broken)) assert.equal(readNote(note), undefined, name)
  })
})

describe('a vkey', () => {
  it('is refused when any of its letters is another', () => {
    const vkey = toVkey(signer)
    for (let i = 0; i < vkey.length; i++) {
      const next = String.fromCharCode(vkey.charCodeAt(i) + 1)

      assert.equal(readVkey(sha256, vkey.slice(0, i) + next + vkey.slice(i + 1)), undefined, `letter ${i}`)
      assert.equal(readVkey(sha256, vkey.slice(0, i)), undefined, `cut at ${i}`)
    }
  })

  it('is not made for a name that could not be read again', () => {
    for (const name of ['', 'a b', 'a+b', 'a\n'])
      assert.throws(() => newVerifier(sha256, name, publicKey), TypeError)
  })
})

describe('a checkpoint', () => {
  const checkpoint = { origin: 'baton.local/log', size: 4711, root: sha256() }

  it('is three lines, and reads as it was written', () => {
    const text = printCheckpoint(checkpoint)

    assert.equal(text, 'baton.local/log\n4711\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n')
    assert.deepEqual(readCheckpoint(text), { ...checkpoint, root: Uint8Array.from(checkpoint.root) })
  })

  it('with anything odd in it is not one', () => {
    const text = printCheckpoint(checkpoint)
    for (const size of ['', '-1', '0x10', '04711', '1e3', '9007199254740993'])
      assert.equal(readCheckpoint(text.replace('4711', size)), undefined, size)
    assert.equal(readCheckpoint(`${text}extension\n`), undefined)
    assert.equal(readCheckpoint(text.slice(0, -1)), undefined)
    assert.equal(readCheckpoint(text.replace('baton.local/log', '')), undefined)
    assert.equal(readCheckpoint(text.replace('U=\n', 'U\n')), undefined)
  })
})

describe('base64', () => {
  it('reads what it writes, and only that', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        assert.equal(toBase64(bytes), Buffer.from(bytes).toString('base64'))
        assert.deepEqual(fromBase64(toBase64(bytes)), bytes)
      }),
    )
    for (const text of ['A', 'AA', 'AAA', 'AB==', 'AA==\n', ' AA==', 'AA=', 'A-=='])
      assert.equal(fromBase64(text), undefined, text)
  })
})

describe('the published test vectors', () => {
  const vectors = JSON.parse(readFileSync(new URL('fixtures/signed-notes.json', import.meta.url), 'utf8'))

  it('of signed notes are judged as published', () => {
    for (const { vkey, note, ok } of vectors.verify) {
      const verifier = readVkey(sha256, vkey)
      assert.equal(verifier !== undefined && openNote(note, verifier, isSigned) !== undefined, ok, vkey)
    }
    for (const vkey of vectors.badVkeys) assert.equal(readVkey(sha256, vkey), undefined, vkey)
  })

  it('of signing give the published line', () => {
    const [{ skey, text, sigLine }] = vectors.sign
    const [, , name, id, ...coded] = skey.split('+')
    const seed = Buffer.from(coded.join('+'), 'base64').subarray(1)
    const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
    const signature = { name, id: Buffer.from(id, 'hex'), bytes: sign(null, Buffer.from(text), key) }

    assert.equal(printNote({ text, signatures: [signature] }), `${text}\n${sigLine}`)
  })

  it('of DSSE give the published bytes', () => {
    const [dsse] = vectors.dsse
    assert.equal(
      Buffer.from(preAuthEncoding(dsse.payloadType, Buffer.from(dsse.payload))).toString(),
      dsse.pae,
    )
  })
})
